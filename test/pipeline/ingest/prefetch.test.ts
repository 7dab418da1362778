import assert from "node:assert/strict";
import { test } from "node:test";
import { prefetch, type Started } from "../../../src/pipeline/ingest/prefetch.ts";

async function* source(started: number[], count: number): AsyncGenerator<Started<number>> {
  for (let i = 0; i < count; i++) {
    started.push(i);
    yield { result: new Promise((resolve) => setTimeout(resolve, i % 2 === 0 ? 4 : 1, i)) };
  }
}

test("items come in order, with the next ones started but never more than asked for", async () => {
  const started: number[] = [];
  const seen: number[] = [];
  for await (const item of prefetch(source(started, 9), 3)) {
    seen.push(item);
    assert.ok(started.length <= item + 5, `${started.length} started when ${item} was read`);
  }
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test("an error reaches the reader after the items before it, and closes the source", async () => {
  let closed = false;
  async function* failing(): AsyncGenerator<Started<number>> {
    try {
      yield { result: Promise.resolve(1) };
      yield { result: Promise.reject(new Error("the second failed")) };
      yield { result: Promise.resolve(3) };
    } finally {
      closed = true;
    }
  }
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const item of prefetch(failing(), 3)) seen.push(item);
  }, /the second failed/);
  assert.deepEqual([seen, closed], [[1], true]);
});

test("an empty source gives nothing", async () => {
  assert.deepEqual(await Array.fromAsync(prefetch(source([], 0), 4)), []);
});
