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
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How often a waiting process looks again, and how often the holder says it is alive, ms. */
const pollMs = 200;
const beatMs = 5_000;
/** A lock whose holder cannot be checked expires after this long without a beat, ms. */
const silentMs = 60_000;

/**
 * Runs `work` while no other process works on the folder; waits for its turn, takes over from a holder that
 * died.
 */
export async function withFolderLock<T>(
  folder: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true });
  const lock = join(folder, ".lock");
  let mark = await acquire(folder, lock);
  while (mark === undefined) {
    await removeIfDead(lock);
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    mark = await acquire(folder, lock);
  }
  const beat = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await remove(lock, mark);
  }
}

/**
 * Takes the lock by moving a folder that names this process into place, which fails on a non-empty folder.
 * Returns the unique name of the file in it; undefined where another process holds the lock.
 */
async function acquire(folder: string, lock: string): Promise<string | undefined> {
  const mark = randomUUID();
  const draft = join(folder, `.lock-${mark}`);
  await mkdir(draft);
  try {
    await writeFile(join(draft, mark), `${hostname()} ${process.pid}`);
    await rename(draft, lock);
    return mark;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (error instanceof Error && "code" in error && taken.has(String(error.code))) return undefined;
    throw error;
  }
}

/** Error codes of moving a folder over one that is not empty, or over any folder on Windows. */
const taken: ReadonlySet<string> = new Set(["EEXIST", "ENOTEMPTY", "EPERM"]);

async function removeIfDead(lock: string): Promise<void> {
  const stats = await stat(lock).catch(() => undefined);
  if (stats === undefined) return;
  const [mark] = await readdir(lock).catch(() => []);
  const owner = mark === undefined ? "" : await readFile(join(lock, mark), "utf8").catch(() => "");
  const [host = "", pid = ""] = owner.split(" ");
  const silent = Date.now() - stats.mtimeMs > silentMs;
  const dead = owner !== "" && host === hostname() && !isAlive(Number(pid));
  if (silent || dead) await remove(lock, mark);
}

/**
 * Removes the lock of one holder: of several processes that see the same dead holder, one removes its mark,
 * and the folder goes only while it holds no mark of the next one.
 */
async function remove(lock: string, mark: string | undefined): Promise<void> {
  if (mark !== undefined) {
    const isOurs = await unlink(join(lock, mark)).then(
      () => true,
      () => false,
    );
    if (!isOurs) return;
  }
  await rmdir(lock).catch(() => undefined);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
