import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ownerOf, tryLock, withLock } from "../../src/lock/lock.ts";
import { kernelId } from "../../src/lock/process.ts";
import { never, temporaryFolder } from "../models/fixtures.ts";

const markOf = async (folder: string): Promise<string> => {
  const [mark = ""] = await readdir(join(folder, ".lock"));
  return join(folder, ".lock", mark);
};

const touchLongAgo = async (path: string): Promise<void> => {
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(path, hourAgo, hourAgo);
};

/** Writes the lock of a process that this test does not run. */
async function writeLock(folder: string, owner: object): Promise<string> {
  await mkdir(join(folder, ".lock"), { recursive: true });
  await writeFile(join(folder, ".lock", "mark"), JSON.stringify({ role: "worker", ...owner }));
  return join(folder, ".lock", "mark");
}

const elsewhere = { host: "elsewhere", pid: process.pid, started: "of another kernel/1" };

test("a folder is locked by one process once, until it is given up, and nothing is left there", async (t) => {
  const folder = await temporaryFolder(t);
  const first = await tryLock(folder);
  assert.equal((await ownerOf(folder))?.pid, process.pid);
  assert.equal(await tryLock(folder), undefined);
  await first?.[Symbol.asyncDispose]();
  await first?.[Symbol.asyncDispose]();
  assert.equal(await ownerOf(folder), undefined);
  assert.deepEqual(await readdir(folder), []);
  await using second = await tryLock(folder);
  assert.ok(second !== undefined);
});

test("a holder whose process number another process has by now is dead", async (t) => {
  const folder = await temporaryFolder(t);
  await writeLock(folder, { host: hostname(), pid: process.pid, started: "before" });
  assert.equal(await ownerOf(folder), undefined);
  await using lock = await tryLock(folder);
  assert.ok(lock !== undefined);
});

test("the lock of another machine is kept while it beats, and taken when it was silent for a minute", async (t) => {
  const folder = await temporaryFolder(t);
  const mark = await writeLock(folder, elsewhere);
  assert.equal(await tryLock(folder, "server"), undefined);
  const owner = await ownerOf(folder);
  assert.deepEqual([owner?.host, owner?.isElsewhere], ["elsewhere", true]);
  await touchLongAgo(mark);
  await using lock = await tryLock(folder, "server");
  assert.ok(lock !== undefined);
});

test("a server of a container that ended is dead at once, a worker may be in one that runs", async (t) => {
  const kernel = await kernelId();
  if (kernel === "") return t.skip("the system does not name its kernel");
  const folder = await temporaryFolder(t);
  const owner = { host: "container", pid: process.pid, started: `${kernel}/1` };
  await writeLock(folder, owner);
  assert.equal(await tryLock(folder), undefined);
  await writeLock(folder, { ...owner, role: "server" });
  await using lock = await tryLock(folder);
  assert.ok(lock !== undefined);
});

test("a living holder of this machine keeps its lock, however long it was silent", async (t) => {
  const folder = await temporaryFolder(t);
  await using lock = await tryLock(folder);
  assert.ok(lock !== undefined);
  await touchLongAgo(await markOf(folder));
  assert.equal(await tryLock(folder), undefined);
});

test("a copied lock names no process of the copy", async (t) => {
  const folder = await temporaryFolder(t);
  await using lock = await tryLock(folder);
  assert.ok(lock !== undefined);
  const copy = join(folder, "copy");
  await writeLock(copy, JSON.parse(await readFile(await markOf(folder), "utf8")));
  await using own = await tryLock(copy);
  assert.ok(own !== undefined);
});

test("an unreadable lock is kept for a minute", async (t) => {
  const folder = await temporaryFolder(t);
  const mark = await writeLock(folder, {});
  assert.equal(await tryLock(folder), undefined);
  await touchLongAgo(mark);
  await using lock = await tryLock(folder);
  assert.ok(lock !== undefined);
});

test("a holder beats, and is told when another machine took its lock", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const folder = await temporaryFolder(t);
  const lost = Promise.withResolvers<void>();
  await using lock = await tryLock(folder, "server", lost.resolve);
  assert.ok(lock !== undefined);
  const mark = await markOf(folder);
  await touchLongAgo(mark);
  t.mock.timers.tick(5_000);
  while (Date.now() - (await stat(mark)).mtimeMs > 60_000) await sleep(5);
  await rm(mark);
  t.mock.timers.tick(5_000);
  await lost.promise;
});

test("who lost the lock to another machine leaves it to the one that has it now", async (t) => {
  const folder = await temporaryFolder(t);
  const entered: string[] = [];
  const ends = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const hold = (name: "first" | "second"): Promise<void> =>
    withLock(folder, never(), async () => {
      entered.push(name);
      await ends[name].promise;
    });
  const first = hold("first");
  while (entered.length < 1) await sleep(5);
  const mark = await markOf(folder);
  await writeFile(mark, JSON.stringify(elsewhere));
  await touchLongAgo(mark);
  const second = hold("second");
  while (entered.length < 2) await sleep(5);
  ends.first.resolve();
  await first;
  let isThird = false;
  const third = withLock(folder, never(), async () => {
    isThird = true;
  });
  await sleep(500);
  const isBeside = isThird;
  ends.second.resolve();
  await Promise.all([second, third]);
  assert.equal(isBeside, false, "the third worked beside the second");
  assert.deepEqual(await readdir(folder), []);
});

test("a lock whose holder died is taken over by one at a time", async (t) => {
  const folder = await temporaryFolder(t);
  let most = 0;
  for (let round = 0; round < 10; round++) {
    await rm(folder, { recursive: true, force: true });
    await writeLock(folder, { host: hostname(), pid: process.pid, started: "before" });
    let active = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++active);
      await sleep(5);
      active--;
    };
    const waiting: Promise<void>[] = [];
    for (let at = 0; at < 6; at++) {
      waiting.push(withLock(folder, never(), work));
      await new Promise(setImmediate);
    }
    await Promise.all(waiting);
  }
  assert.equal(most, 1);
});

test("drafts that killed processes left are removed once they are old", async (t) => {
  const folder = await temporaryFolder(t);
  for (const name of [".lock-old", ".lock-new"]) await mkdir(join(folder, name));
  await touchLongAgo(join(folder, ".lock-old"));
  await using lock = await tryLock(folder);
  assert.ok(lock !== undefined);
  assert.deepEqual((await readdir(folder)).sort(), [".lock", ".lock-new"]);
});

test("waiting for a lock ends when aborted", async (t) => {
  const folder = await temporaryFolder(t);
  await withLock(folder, never(), async () => {
    await assert.rejects(
      withLock(folder, AbortSignal.timeout(100), async () => undefined),
      { name: "TimeoutError" },
    );
  });
});
