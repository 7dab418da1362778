import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hit } from "../../../src/core/retrieval.ts";
import { neighbourIds, widen } from "../../../src/pipeline/retrieve/widen.ts";
import { chunkOf } from "../../helpers/chunk.ts";

const chunk = (ordinal: number, section = "Seals", pages = [1]) =>
  chunkOf({
    id: `abc-${ordinal}`,
    versionId: "abc",
    ordinal,
    headings: [section],
    text: `text ${ordinal}`,
    pages,
  });
const hit = (ordinal: number): Hit => ({ chunk: chunk(ordinal), score: 1, via: "fused" });

test("a hit asks for the chunks around it, not for other hits and not for what stands before the first", () => {
  assert.deepEqual(neighbourIds([hit(1), hit(2)], 2), ["abc-0", "abc-3", "abc-4"]);
});

test("a hit takes in its section in reading order, with every page, and keeps its id", () => {
  const [wide] = widen([hit(2)], [chunk(3, "Seals", [2]), chunk(1)]);
  assert.deepEqual(
    [wide?.chunk.id, wide?.chunk.text, wide?.chunk.pages],
    ["abc-2", "text 1\n\ntext 2\n\ntext 3", [1, 2]],
  );
});

test("a hit stops at the end of its section and at a gap", () => {
  const [wide] = widen([hit(2)], [chunk(1, "Bearings"), chunk(4)]);
  assert.equal(wide?.chunk.text, "text 2");
});

test("a chunk between two hits is given to one of them", () => {
  const texts = widen([hit(1), hit(3)], [chunk(2)]).map(({ chunk: each }) => each.text);
  assert.deepEqual(texts, ["text 1\n\ntext 2", "text 3"]);
});
