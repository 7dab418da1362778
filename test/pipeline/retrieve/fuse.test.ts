import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Hit } from "../../../src/core/retrieval.ts";
import { fuseRanks as fuse, fuseRoutes, fuseScores } from "../../../src/pipeline/retrieve/fuse.ts";
import { chunkOf } from "../../helpers/chunk.ts";

const hits = (ids: readonly string[]): Hit[] =>
  ids.map((id, i) => ({ chunk: chunkOf({ id }), score: 1 - i / 100, via: "dense" }));
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

test("scores are scaled within their own list, so that a server's units do not matter", () => {
  const dense = hits(["a", "b", "c"]);
  const scaled = (factor: number): Hit[] =>
    hits(["c", "d"]).map((hit) => ({ ...hit, score: hit.score * factor }));
  const order = (factor: number) =>
    fuseScores([
      { hits: dense, weight: 0.6 },
      { hits: scaled(factor), weight: 0.4, floor: 0 },
    ]).map((hit) => [hit.chunk.id, hit.score.toFixed(9)]);
  assert.deepEqual(order(1), order(37));
});

test("score fusion ranks a hit that is far ahead in one list above one that is barely ahead in the other", () => {
  const list = (entries: readonly (readonly [string, number])[]): Hit[] =>
    entries.map(([id, score]) => ({ chunk: chunkOf({ id }), score, via: "dense" }));
  const fused = fuseScores([
    {
      hits: list([
        ["a", 0.8],
        ["b", 0.79],
        ["z", 0.5],
      ]),
      weight: 0.5,
    },
    {
      hits: list([
        ["b", 20],
        ["a", 2],
      ]),
      weight: 0.5,
      floor: 0,
    },
  ]);
  assert.equal(fused[0]?.chunk.id, "b");
});

test("words count little in a text of another language than the question, where the model reads both", () => {
  const hit = (id: string, text: string, score: number): Hit => ({
    chunk: chunkOf({ id, text }),
    score,
    via: "dense",
  });
  const english = hit("english", "The Grammy was given to the singer of the northern choir.", 0.8);
  const other = hit("other", "Grammy Grammy: a list of all winners of the Grammy since its beginning.", 0.6);
  const vietnamese = hit("vietnamese", "Giải Grammy được trao cho ca sĩ của dàn hợp xướng phía bắc.", 0.7);
  const settings = { denseWeight: 0.65, lexicalWeight: 0.35, fusion: "scores", rrfK: 60 } as const;
  const idsOf = (lexical: readonly Hit[], language?: string): readonly string[] =>
    fuseRoutes(
      [{ dense: [english, vietnamese, other], lexical, denseFloor: 0.3, ...(language && { language }) }],
      "hybrid",
      settings,
    ).map(({ chunk }) => chunk.id);
  const lexical = [
    { ...other, score: 9 },
    { ...vietnamese, score: 8 },
    { ...english, score: 1 },
  ];
  assert.deepEqual(idsOf(lexical), ["vietnamese", "other", "english"], "as the routes have it");
  assert.deepEqual(idsOf(lexical, "vi"), ["vietnamese", "english", "other"], "asked in Vietnamese");
  assert.deepEqual(idsOf(lexical, "latin"), ["other", "english", "vietnamese"], "asked in English");
});
