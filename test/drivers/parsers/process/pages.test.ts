import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { pagesInOrder } from "../../../../src/drivers/parsers/pages.ts";

/** Reads pages of which each takes another number of turns; counts those that are held at the same time. */
function openReading() {
  const held = { now: 0, most: 0 };
  const read = async (page: number): Promise<number> => {
    held.most = Math.max(held.most, ++held.now);
    for (let left = (page * 7) % 5; left >= 0; left--) await turn();
    held.now--;
    if (page === 1500) throw new Error("page 1500");
    return page;
  };
  return { held, read };
}

test("pages that end out of order are given in order, and few of two thousand are held", async () => {
  const { held, read } = openReading();
  const pages: number[] = [];
  for await (const page of pagesInOrder(1, 1499, 4, read)) pages.push(page);
  for await (const page of pagesInOrder(1501, 2000, 4, read)) pages.push(page);
  assert.deepEqual(
    pages,
    Array.from({ length: 2000 }, (_, index) => index + 1).filter((page) => page !== 1500),
  );
  assert.deepEqual(held, { now: 0, most: 4 });
});

test("after a page that fails, and after a reader that stops, no page is still being read", async () => {
  const { held, read } = openReading();
  const given: number[] = [];
  const all = async () => {
    for await (const page of pagesInOrder(1495, 2000, 4, read)) given.push(page);
  };
  await assert.rejects(all, /page 1500/);
  assert.deepEqual(given, [1495, 1496, 1497, 1498, 1499]);
  assert.equal(held.now, 0);
  for await (const page of pagesInOrder(1, 10, 4, read)) if (page === 3) break;
  assert.equal(held.now, 0);
});
