import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How often a waiting process looks again, and how often the holder says it is alive, ms. */
const pollMs = 200;
const beatMs = 5_000;
/** A lock whose holder cannot be asked is given up after this long without a beat, ms. */
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
  while (!(await acquire(lock))) {
    await removeIfDead(lock, folder);
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  const beat = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(lock, { recursive: true, force: true });
  }
}

async function acquire(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  await writeFile(join(lock, "owner"), `${hostname()} ${process.pid}`);
  return true;
}

async function removeIfDead(lock: string, folder: string): Promise<void> {
  const stats = await stat(lock).catch(() => undefined);
  if (stats === undefined) return;
  const owner = await readFile(join(lock, "owner"), "utf8").catch(() => "");
  const [host = "", pid = ""] = owner.split(" ");
  const silent = Date.now() - stats.mtimeMs > silentMs;
  const dead = owner !== "" && host === hostname() && !isAlive(Number(pid));
  if (!silent && !dead) return;
  // Moving it away is atomic: of several processes that see the same dead holder, one succeeds.
  const aside = join(folder, `.lock-${randomUUID()}`);
  const moved = await rename(lock, aside).then(
    () => true,
    () => false,
  );
  if (moved) await rm(aside, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
