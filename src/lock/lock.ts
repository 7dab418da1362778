import { randomUUID } from "node:crypto";
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "../core/schema.ts";
import { folderIdentity } from "./place.ts";
import { type Identity, identityOf, isRunning, kernelId } from "./process.ts";

/*
 * The lock of a folder: a folder `.lock` in it with one file, the mark, that names the process which holds it.
 * 1. A process writes its mark in a folder beside `.lock` and moves that into place, which fails where `.lock`
 *    holds a mark.
 * 2. The holder touches its mark, as a heartbeat for those who cannot see its process.
 * 3. Who finds a dead holder removes its mark. Marks have unique names, so of several processes one does, and
 *    the mark of the next holder is not taken for it; `.lock` itself goes only while it is empty.
 */

/** How often a waiting process looks again, and how often the holder says it is alive, ms. */
const pollMs = 200;
const beatMs = 5_000;
/** A holder that cannot be checked counts as dead after this long without a beat, ms; so does a draft. */
const silentMs = 60_000;

const lockName = ".lock";
const draftPrefix = ".lock-";

const recordSchema = z.object({
  host: z.string().default(hostname),
  pid: z.number().int().positive(),
  started: z.string(),
  place: z.string().optional(),
  /** A server may be asked to stop; a worker must not be interrupted. */
  role: z.enum(["server", "worker"]).default("server"),
});
type Role = z.infer<typeof recordSchema>["role"];

/** The process that a file names. */
export interface Owner extends Identity {
  readonly role: Role;
  /** Whether it is of another machine, where nothing of it can be seen but its heartbeat. */
  readonly isElsewhere: boolean;
}

/** Names a running process in a file of the folder, for `readRecord`. */
export async function recordOf(pid: number, folder: string, role: Role): Promise<string> {
  return JSON.stringify({ ...(await identityOf(pid)), place: folderIdentity(folder), role });
}

/** The process that a file names; "copied" if it was copied from another folder with its process. */
export async function readRecord(path: string): Promise<Owner | "copied" | undefined> {
  try {
    const { place, ...named } = recordSchema.parse(JSON.parse(await readFile(path, "utf8")));
    if (place !== undefined && place !== folderIdentity(dirname(path))) return "copied";
    return { ...named, isElsewhere: await isElsewhere(named) };
  } catch {
    return undefined;
  }
}

/**
 * A server is of this machine if it ran on this kernel: where it still runs in another container, it answers
 * at its socket, and a container that ended left no process.
 */
async function isElsewhere({ host, started, role }: Identity & { readonly role: Role }): Promise<boolean> {
  if (host === hostname()) return false;
  const kernel = await kernelId();
  return role !== "server" || kernel === "" || !started.startsWith(`${kernel}/`);
}

/** Time since a file was last touched, ms; 0 for one that is gone. */
async function silenceOf(path: string): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined ? 0 : Date.now() - stats.mtimeMs;
}

/** The path of the mark of a lock, the process it names, and whether that may still run. */
async function markOf(folder: string) {
  const [name] = await readdir(join(folder, lockName)).catch(() => []);
  if (name === undefined) return undefined;
  const path = join(folder, lockName, name);
  const [owner, isSilent] = [await readRecord(path), (await silenceOf(path)) > silentMs];
  if (owner === "copied") return { path, isAlive: false };
  if (owner === undefined || owner.isElsewhere) return { path, owner, isAlive: !isSilent };
  // Without its start, another process may have its id by now.
  return { path, owner, isAlive: !(isSilent && owner.started === "") && (await isRunning(owner)) };
}

/** The living holder of a folder's lock, if any. */
export async function ownerOf(folder: string): Promise<Owner | undefined> {
  const mark = await markOf(folder);
  return mark?.isAlive === true ? mark.owner : undefined;
}

/**
 * Takes the lock of a folder until the value is disposed of or this process ends. Undefined if another holds
 * it, this process included. `onLost` is called should the mark go, as when another machine takes the lock of
 * a holder that was silent.
 */
export async function tryLock(
  folder: string,
  role: Role = "worker",
  onLost?: () => void,
): Promise<AsyncDisposable | undefined> {
  const earlier = await markOf(folder);
  if (earlier?.isAlive === true || (earlier !== undefined && !(await remove(earlier.path)))) return undefined;
  const mark = await moveIn(folder, role);
  if (mark === undefined) return undefined;
  const beat = setInterval(async () => {
    const error: unknown = await utimes(mark, new Date(), new Date()).catch((failure: unknown) => failure);
    if (!hasCode(error, ["ENOENT", "ENOTDIR"])) return;
    clearInterval(beat);
    onLost?.();
  }, beatMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      await remove(mark);
    },
  };
}

/** Runs `work` while no other process holds the folder's lock; waits for its turn. */
export async function withLock<T>(folder: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  for (;;) {
    await using lock = await tryLock(folder);
    if (lock !== undefined) return await work();
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code));

/** Error codes of moving a folder over one that is not empty, or over any folder on Windows. */
const taken = ["EEXIST", "ENOTEMPTY", "EPERM"];

/** Moves a mark of this process into place; its path, or undefined where another one is there. */
async function moveIn(folder: string, role: Role): Promise<string | undefined> {
  await removeDrafts(folder);
  const name = randomUUID();
  const [draft, lock] = [join(folder, `${draftPrefix}${name}`), join(folder, lockName)];
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(join(draft, name), await recordOf(process.pid, draft, role), { mode: 0o600 });
    // Only Windows needs it: elsewhere an empty folder can be moved over.
    await rmdir(lock).catch(() => undefined);
    const error: unknown = await rename(draft, lock).catch((failure: unknown) => failure);
    if (error !== undefined && !hasCode(error, taken)) throw error;
    return error === undefined ? join(lock, name) : undefined;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Removes what killed processes left: a draft is moved within milliseconds. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith(draftPrefix) && (await silenceOf(path)) > silentMs)
      await rm(path, { recursive: true, force: true });
  }
}

/** Removes a mark, and the lock unless it has another one by now; false if the mark was gone. */
async function remove(path: string): Promise<boolean> {
  const isOurs = await unlink(path).then(
    () => true,
    () => false,
  );
  if (isOurs) await rmdir(dirname(path)).catch(() => undefined);
  return isOurs;
}
