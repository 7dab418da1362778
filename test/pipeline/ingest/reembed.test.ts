import assert from "node:assert/strict";
import { test } from "node:test";
import type { VectorStore } from "../../../src/core/retrieval.ts";
import { reembed } from "../../../src/pipeline/ingest/reembed.ts";
import { fakeEmbedder, memoryCache, storeThat } from "../fakes.ts";
import { chunkOf, runOf } from "../fixtures.ts";

const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");

/** Re-embeds one content of a source. */
function stepsFrom(source: VectorStore, target = storeThat({ write: async () => undefined })) {
  const missing = ["v1"];
  return reembed(
    {
      source: { store: source, name: "old" },
      target: { store: target, name: "new" },
      embedder: fakeEmbedder(),
      cache: memoryCache(),
      missing: async () => missing,
      done: async () => {
        missing.pop();
      },
      orphans: async () => [],
      swap: async () => true,
    },
    runOf(),
  );
}

test("what the model cannot read of a chunk is counted by the text that it embeds, not by the one cited", async () => {
  const window = { pageText: words(30), start: 0, end: words(30).length };
  const chunks = [
    chunkOf(words(80), { id: "v1-0", contentHash: "a", window }),
    chunkOf(words(90), { id: "v1-1", contentHash: "b", window }),
    chunkOf(words(30), { id: "v1-2", contentHash: "c", headings: [words(60)] }),
  ];
  const source = storeThat({
    async *list() {
      yield* chunks;
    },
  });
  const steps = stepsFrom(source);
  const progress = await Array.fromAsync(steps);
  assert.equal(progress.at(-1)?.truncated, 1);
});

test("no more chunks are taken from the source than are embedded together", async () => {
  let taken = 0;
  let written = 0;
  let mostHeld = 0;
  const source = storeThat({
    async *list() {
      for (; taken < 300; taken += 1)
        yield chunkOf(`word ${taken}`, { id: `v1-${taken}`, contentHash: `${taken}` });
    },
  });
  const target = storeThat({
    async write(_, chunks) {
      mostHeld = Math.max(mostHeld, taken - written);
      written += chunks.length;
    },
  });
  const steps = stepsFrom(source, target);
  const progress = await Array.fromAsync(steps);
  assert.deepEqual([written, progress.at(-1)?.chunks], [300, 300]);
  assert.ok(mostHeld <= 128, `${mostHeld} were held`);
});
