import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Hit } from "../../src/core/retrieval.ts";
import { fuse } from "../../src/pipeline/fuse.ts";
import { chunkOf } from "../helpers/chunk.ts";

const hits = (ids: readonly string[]): Hit[] => ids.map((id, i) => ({ chunk: chunkOf({ id }), score: 1 - i / 100, via: "dense" }));
const idLists = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"));

test("the first of every list scores 1", () => {
  const [first] = fuse(
    [
      { hits: hits(["a", "b"]), weight: 2 },
      { hits: hits(["a", "c"]), weight: 1 },
    ],
    60,
  );
  assert.equal(first?.chunk.id, "a");
  assert.ok(Math.abs((first?.score ?? 0) - 1) < 1e-12);
});

test("a list of weight 0 leaves the other's order as it is", () => {
  const fused = fuse(
    [
      { hits: hits(["a", "b", "c"]), weight: 1 },
      { hits: hits(["c", "b", "a"]), weight: 0 },
    ],
    60,
  );
  assert.deepEqual(
    fused.map((hit) => hit.chunk.id),
    ["a", "b", "c"],
  );
});

test("every hit of every list comes back exactly once, best first", () => {
  fc.assert(
    fc.property(idLists, idLists, fc.integer({ min: 1, max: 100 }), (left, right, k) => {
      const fused = fuse(
        [
          { hits: hits(left), weight: 1 },
          { hits: hits(right), weight: 0.5 },
        ],
        k,
      );
      assert.deepEqual(new Set(fused.map((hit) => hit.chunk.id)), new Set([...left, ...right]));
      assert.equal(fused.length, new Set([...left, ...right]).size);
      assert.ok(fused.every((hit, i) => i === 0 || hit.score <= (fused[i - 1]?.score ?? 0)));
    }),
  );
});

test("a hit that ranks better in one list and no worse in the other is ranked higher", () => {
  const fused = fuse(
    [
      { hits: hits(["a", "b"]), weight: 1 },
      { hits: hits(["a", "b"]), weight: 1 },
    ],
    60,
  );
  assert.deepEqual(
    fused.map((hit) => hit.chunk.id),
    ["a", "b"],
  );
});
