import assert from "node:assert/strict";
import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { withFolderLock } from "../../src/models/folder-lock.ts";
import { never, temporaryFolder } from "./fixtures.ts";

test("who was silent too long and lost the lock leaves it to the one that has it now", async (t) => {
  const folder = await temporaryFolder(t);
  const entered: string[] = [];
  const ends = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const hold = (name: "first" | "second"): Promise<void> =>
    withFolderLock(folder, never(), async () => {
      entered.push(name);
      await ends[name].promise;
    });
  const first = hold("first");
  while (entered.length < 1) await sleep(5);
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(join(folder, ".lock"), longAgo, longAgo);
  const second = hold("second");
  while (entered.length < 2) await sleep(5);
  ends.first.resolve();
  await first;
  let isThird = false;
  const third = withFolderLock(folder, never(), async () => {
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
    await mkdir(join(folder, ".lock"), { recursive: true });
    await writeFile(join(folder, ".lock", "owner-of-before"), "elsewhere 1");
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(folder, ".lock"), longAgo, longAgo);
    let active = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++active);
      await sleep(5);
      active--;
    };
    const waiting: Promise<void>[] = [];
    for (let at = 0; at < 6; at++) {
      waiting.push(withFolderLock(folder, never(), work));
      await new Promise(setImmediate);
    }
    await Promise.all(waiting);
  }
  assert.equal(most, 1);
});
