import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ModelFacts, openPool } from "../../../src/drivers/runtime/threads.ts";

const worker = new URL("doubling-worker.ts", import.meta.url);
const never = new AbortController().signal;

describe("the threads of a model", () => {
  it("are started again after they died, which fails the work they had", async () => {
    for (const size of [1, 2]) {
      await using pool = await openPool<null, ModelFacts, number, number>({
        ...{ name: "doubler", worker, settings: null, size },
      });
      assert.deepEqual(await pool.run([1, 2, 3, 4, 5], never), [2, 4, 6, 8, 10]);
      for (const deadly of Array.from({ length: size + 1 }, () => -1))
        await assert.rejects(pool.run([deadly], never), /the thread of the doubler ended before its work/);
      assert.deepEqual(await pool.run([6, 7], never), [12, 14]);
    }
  });
});
