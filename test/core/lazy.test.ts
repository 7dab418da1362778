import assert from "node:assert/strict";
import { test } from "node:test";
import { lazy, lazyMap, lruBySize } from "../../src/core/lazy.ts";

test("a value is made on first use, once, and once for each key", () => {
  const made: string[] = [];
  const length = lazyMap((key: string) => made.push(key));
  assert.deepEqual([length("a"), length("a"), length("b"), length("a")], [1, 1, 2, 1]);
  const nothing = lazy(() => {
    made.push("nothing");
  });
  assert.deepEqual([nothing(), nothing()], [undefined, undefined]);
  assert.deepEqual(made, ["a", "b", "nothing"]);
});

test("an attempt that throws or rejects is made again by the next use", async () => {
  const outcomes = [new Error("first"), undefined, new Error("unused")];
  const attempt = (): number => {
    const error = outcomes.shift();
    if (error !== undefined) throw error;
    return outcomes.length;
  };
  const value = lazy(attempt);
  assert.throws(value, /first/);
  assert.deepEqual([value(), value()], [1, 1]);

  outcomes.splice(0, outcomes.length, new Error("first"), undefined);
  const promise = lazy(async () => attempt());
  await assert.rejects(Promise.all([promise(), promise()]), /first/);
  assert.deepEqual(await Promise.all([promise(), promise()]), [0, 0]);
});

test("of values that are too large together those go that were used longest ago, the last one never", () => {
  const values = lruBySize<string, number>(10, (size) => size);
  for (const [key, size] of Object.entries({ a: 4, b: 4 })) values.set(key, size);
  assert.equal(values.get("a"), 4);
  values.set("c", 4);
  assert.deepEqual([values.get("a"), values.get("b"), values.get("c")], [4, undefined, 4]);
  values.set("c", 6);
  assert.deepEqual([values.get("a"), values.get("c")], [4, 6]);
  values.set("d", 99);
  assert.deepEqual([values.get("a"), values.get("c"), values.get("d")], [undefined, undefined, 99]);
});
