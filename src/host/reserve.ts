import { randomBytes } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/*
 * Room for a host to start where the disk is full: its identity, its address and those of its servers take a page
 * each, and a registry that several processes read 32 KiB. It needs no more while nothing is written, and has given
 * all of it back when it ends.
 */

/** Bytes kept; random, since a file system may store zeros in no room. */
const reserveBytes = 131_072;

const reserveOf = (folder: string): string => join(folder, "reserve");

/** Keeps the room, where there is that much. */
export async function keepReserve(folder: string): Promise<void> {
  const path = reserveOf(folder);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size === reserveBytes) return;
  await writeFile(path, randomBytes(reserveBytes), { mode: 0o600 }).catch(() => rm(path, { force: true }));
}

/** Gives the room to whoever writes next; false where none was kept. */
export async function giveReserve(folder: string): Promise<boolean> {
  return rm(reserveOf(folder)).then(
    () => true,
    () => false,
  );
}
