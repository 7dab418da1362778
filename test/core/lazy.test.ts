import assert from "node:assert/strict";
import { test } from "node:test";
import { keyed, lazy } from "../../src/core/lazy.ts";

test("a value is made on first use, once, and once for each key", () => {
  const made: string[] = [];
  const length = keyed((key: string) => made.push(key));
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
