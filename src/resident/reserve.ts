import { randomBytes } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asRagctlError, RagctlError } from "../core/errors.ts";

/*
 * Space for a host to start on a full disk: a page each for its identity, its address and those of its
 * servers, and 32 KiB for a registry with several readers. The host needs no more while nothing is written,
 * and frees all of it when it ends.
 */

/** Reserved bytes; random, because file systems may store zeros without using space. */
const reserveBytes = 131_072;

const reserveOf = (folder: string): string => join(folder, "reserve");

/** Reserves the space, if available. */
export async function reserveDiskSpace(folder: string): Promise<void> {
  const path = reserveOf(folder);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size === reserveBytes) return;
  await writeFile(path, randomBytes(reserveBytes), { mode: 0o600 }).catch(() => rm(path, { force: true }));
}

/** Frees the space; false if none was reserved. */
export async function releaseDiskReserve(folder: string): Promise<boolean> {
  return rm(reserveOf(folder)).then(
    () => true,
    () => false,
  );
}

/** What a host writes when it starts, bytes: its identity and its address take a page each. */
const hostBytes = 16_384;

/** A host on a full disk cannot even write down why it ended. @throws DISK_FULL */
export async function checkDiskSpace(folder: string): Promise<void> {
  const probe = join(folder, `room.${process.pid}`);
  try {
    await writeFile(probe, Buffer.alloc(hostBytes), { mode: 0o600 });
  } catch (cause) {
    if (asRagctlError(cause).code !== "DISK_FULL") return;
    const why = `the disk of ${folder} is full: the resident process could not start`;
    throw new RagctlError("DISK_FULL", why, { hint: "free some space and run the command again", cause });
  } finally {
    await rm(probe, { force: true });
  }
}
