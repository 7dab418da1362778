import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diversify } from "../../../src/pipeline/retrieve/diversify.ts";
import { hitOf } from "../fixtures.ts";

const at = (degrees: number): Float32Array =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));
const hit = (id: string, score: number) => hitOf(id, { id }, score);
const ids = (hits: readonly { readonly chunk: { readonly id: string } }[]): string[] =>
  hits.map(({ chunk }) => chunk.id);

test("a near-repeat gives its place to another passage", () => {
  const vectors = new Map([
    ["a", at(0)],
    ["a again", at(2)],
    ["b", at(60)],
  ]);
  assert.deepEqual(
    ids(diversify([hit("a", 1), hit("a again", 0.95), hit("b", 0.6)], vectors, { lambda: 0.5, limit: 2 })),
    ["a", "b"],
  );
});

test("passages that are merely on one subject keep their order", () => {
  const vectors = new Map([
    ["a", at(0)],
    ["b", at(30)],
    ["c", at(90)],
  ]);
  assert.deepEqual(
    ids(diversify([hit("a", 1), hit("b", 0.9), hit("c", 0.8)], vectors, { lambda: 0.5, limit: 3 })),
    ["a", "b", "c"],
  );
});

test("a hit without a vector is like no other", () => {
  assert.deepEqual(ids(diversify([hit("a", 1), hit("b", 0.5)], new Map(), { lambda: 0.5, limit: 5 })), [
    "a",
    "b",
  ]);
});

test("every hit comes at most once, the best first, and λ 1 keeps the order", () => {
  const hits = fc.array(
    fc.record({
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      degrees: fc.integer({ min: 0, max: 90 }),
    }),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(hits, fc.integer({ min: 0, max: 14 }), (given, limit) => {
      const sorted = given
        .map(({ score }, index) => hit(String(index), score))
        .toSorted((left, right) => right.score - left.score);
      const vectors = new Map(given.map(({ degrees }, index) => [String(index), at(degrees)]));
      const found = ids(diversify(sorted, vectors, { lambda: 0.5, limit }));
      assert.equal(found.length, Math.min(limit, given.length));
      assert.equal(new Set(found).size, found.length);
      if (found.length > 0) assert.equal(found[0], sorted[0]?.chunk.id);
      assert.deepEqual(ids(diversify(sorted, vectors, { lambda: 1, limit })), ids(sorted.slice(0, limit)));
    }),
  );
});
