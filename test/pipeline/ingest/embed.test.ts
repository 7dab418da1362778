import assert from "node:assert/strict";
import { test } from "node:test";
import { embed } from "../../../src/pipeline/ingest/embed.ts";
import { fakeEmbedder, memoryCache } from "../fakes.ts";
import { chunkOf, runOf } from "../fixtures.ts";

test("equal texts are embedded once, known ones not at all, and the order stays", async () => {
  const embedder = fakeEmbedder();
  const cache = memoryCache();
  const chunks = ["one", "two", "one"].map((text, ordinal) =>
    chunkOf(text, { id: `v-${ordinal}`, ordinal, contentHash: text, tokenCount: 2 }),
  );
  const first = await embed(chunks, embedder, cache, runOf());
  assert.deepEqual(
    embedder.asked.map((texts) => texts.length),
    [2],
  );
  assert.deepEqual(
    first.chunks.map(({ chunk }) => chunk.id),
    ["v-0", "v-1", "v-2"],
  );
  assert.equal(first.chunks[0]?.embedding, first.chunks[2]?.embedding);
  assert.deepEqual([first.fromCache, first.tokens], [1, 4]);
  const second = await embed(chunks, embedder, cache, runOf());
  assert.equal(embedder.asked.length, 1);
  assert.deepEqual([second.fromCache, second.tokens], [3, 0]);
});

test("an embedder that returns too few vectors is an error, not a gap", async () => {
  const embedder = { ...fakeEmbedder(), embed: async () => [] };
  await assert.rejects(
    embed([chunkOf("x", { contentHash: "x" })], embedder, memoryCache(), runOf()),
    /no vector/,
  );
});
