import assert from "node:assert/strict";
import { test } from "node:test";
import { createSemaphore } from "../../src/drivers/mutex.ts";

const never = new AbortController().signal;

test("turns come in the order asked, one at a time, and whoever waits is told its place", async () => {
  const turns = createSemaphore();
  const end = await turns.take(never);
  const [order, places]: [number[], string[]] = [[], []];
  let active = 0;
  const work = async (number: number): Promise<void> => {
    const endOwn = await turns.take(never, (ahead) => places.push(`${number}:${ahead}`));
    assert.equal(++active, 1);
    order.push(number);
    await new Promise((resolve) => setImmediate(resolve));
    active--;
    endOwn();
  };
  const all = Promise.all([1, 2, 3].map(work));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(places, ["1:1", "2:2", "3:3"]);
  end();
  await all;
  assert.deepEqual(order, [1, 2, 3]);
  assert.deepEqual(
    places.filter((place) => place.startsWith("3:")),
    ["3:3", "3:2", "3:1", "3:0"],
  );
});

test("whoever stops waiting leaves the queue at once and holds nobody up", async () => {
  const turns = createSemaphore();
  const end = await turns.take(never);
  const [leaving, places] = [new AbortController(), [] as number[]];
  const left = turns.take(leaving.signal);
  const next = turns.take(never, (ahead) => places.push(ahead));
  leaving.abort(new Error("gone"));
  await assert.rejects(left, /gone/);
  assert.deepEqual(places, [2, 1]);
  end();
  end();
  const endNext = await next;
  let isTaken = false;
  const last = turns.take(never).then((endLast) => {
    isTaken = true;
    return endLast;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isTaken, false, "an end that is said twice gives one turn");
  endNext();
  (await last)();
  await assert.rejects(turns.take(AbortSignal.abort(new Error("late"))), /late/);
});

test("as many have a turn at once as the queue is opened for", async () => {
  const turns = createSemaphore(2);
  const ends = [await turns.take(never), await turns.take(never)];
  let isTaken = false;
  const third = turns.take(never).then((end) => {
    isTaken = true;
    return end;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isTaken, false);
  ends[1]?.();
  (await third)();
});
