import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hit } from "../../../src/core/retrieval.ts";
import { distinctPages } from "../../../src/pipeline/retrieve/pages.ts";

const hit = (id: string, versionId: string, ...pages: number[]) =>
  ({ chunk: { id, versionId, pages } }) as unknown as Hit;
const ids = (hits: readonly Hit[]): string[] => hits.map(({ chunk }) => chunk.id);
const hits = [hit("a", "v", 1), hit("b", "v", 1), hit("c", "v", 2), hit("d", "w", 1), hit("e", "w")];

test("each page keeps its best hit, and a hit without pages stands for itself", () => {
  assert.deepEqual(ids(distinctPages(hits, 3)), ["a", "c", "d", "e"]);
});

test("where pages are too few, their other hits follow", () => {
  assert.deepEqual(ids(distinctPages(hits, 5)), ["a", "c", "d", "e", "b"]);
});
