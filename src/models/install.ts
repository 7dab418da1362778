import { chmod, mkdir, rename, rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RagctlError } from "../core/errors.ts";
import { unpackFolder } from "./archive.ts";
import { type archiveFor, hashFile, hashTree, lockName, partFolder, readLock } from "./catalog.ts";
import type { ModelFile, RuntimeEntry } from "./manifest-schema.ts";
import { SourceFailure } from "./sources/source.ts";

/** A file waiting in `.part` with the hash it must have. */
export interface Arrival {
  readonly file: ModelFile;
  /** Hash published where it came from, for files the manifest does not pin. */
  readonly publishedSha256: string | null;
  readonly from: string;
}

/**
 * Checks files in `.part` and makes them visible; an unpinned file's hash is recorded in lock.json first.
 * @throws SourceFailure `hash`, the wrong file being deleted
 */
export async function install(
  folder: string,
  arrivals: readonly Arrival[],
  signal: AbortSignal,
): Promise<void> {
  for (const { file, publishedSha256, from } of arrivals) {
    const part = join(partFolder(folder), file.name);
    const expected = file.sha256 ?? publishedSha256;
    if (expected === null) throw new SourceFailure("failed", `no sha256 is known for ${file.name}`);
    const actual = await hashFile(part, signal);
    if (actual !== expected) {
      await rm(part, { force: true });
      throw new SourceFailure(
        "hash",
        `${file.name} has sha256 ${actual.slice(0, 12)}… instead of ${expected.slice(0, 12)}… and was deleted`,
      );
    }
    if (file.sha256 === null) await record(folder, file.name, expected, from);
    const target = join(folder, file.name);
    await mkdir(dirname(target), { recursive: true });
    await rename(part, target);
  }
}

/**
 * Checks the archive of a runtime, unpacks it next to its destination and moves it into place in one step.
 * @throws SourceFailure `hash`
 */
export async function installRuntime(
  folder: string,
  entry: RuntimeEntry,
  archive: NonNullable<ReturnType<typeof archiveFor>>,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const actual = await hashFile(path, signal);
  if (actual !== archive.sha256) {
    throw new SourceFailure(
      "hash",
      `the archive has sha256 ${actual.slice(0, 12)}… instead of ${archive.sha256.slice(0, 12)}…`,
    );
  }
  const room = join(partFolder(folder), "unpacked");
  await rm(room, { recursive: true, force: true });
  await unpackFolder(path, entry.unpack.from, join(room, entry.unpack.to), signal);
  await chmod(join(room, entry.executable), 0o755);
  await installTree(folder, entry, archive.treeSha256, room, signal);
}

/** Checks an unpacked runtime under `room` and moves it into place. @throws SourceFailure `hash` */
export async function installTree(
  folder: string,
  entry: RuntimeEntry,
  treeSha256: string,
  room: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await hashTree(room, entry.unpack.to, signal)) !== treeSha256) {
    throw new SourceFailure("hash", `the unpacked ${entry.unpack.to} folder differs from the published one`);
  }
  const target = join(folder, entry.unpack.to);
  await rm(target, { recursive: true, force: true });
  await rename(join(room, entry.unpack.to), target);
}

/** @throws DISK_FULL when the disk cannot take `neededBytes` more */
export async function requireSpace(folder: string, id: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < neededBytes) {
    throw new RagctlError(
      "DISK_FULL",
      `${id} needs ${megabytes(neededBytes)} MB on the disk of ${folder}, but only ${megabytes(free)} MB are free`,
      {
        hint: "free some space, or set RAGCTL_HOME to another disk, and run the command again",
      },
    );
  }
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}

async function record(folder: string, name: string, sha256: string, from: string): Promise<void> {
  const lock = { ...(await readLock(folder)), [name]: { sha256, from } };
  const draft = join(partFolder(folder), lockName);
  await writeFile(draft, `${JSON.stringify(lock, null, 2)}\n`);
  await rename(draft, join(folder, lockName));
}
