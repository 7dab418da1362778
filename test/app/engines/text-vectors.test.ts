import assert from "node:assert/strict";
import { test } from "node:test";
import { embedTexts } from "../../../src/app/engines/text-vectors.ts";
import type { Embedder } from "../../../src/core/documents/embedding.ts";

/** Reads four letters, each a token. */
function letters(batches: number[]): Pick<Embedder, "maxTokens" | "tokenizer" | "embed"> {
  return {
    maxTokens: 4,
    tokenizer: {
      count: (text) => text.length,
      encode: (text) => [...text].map(Number),
      encodeForModel: (text, most) => ({
        ids: [...text].slice(0, most).map(Number),
        truncated: Math.max(0, text.length - most),
      }),
    },
    async embed(texts) {
      batches.push(texts.length);
      return texts.map(({ length }) => ({ dense: Float32Array.of(length) }));
    },
  };
}

test("texts are embedded in their order, some at a time, and one that is too long is named", async () => {
  const batches: number[] = [];
  const model = letters(batches);
  const { signal } = new AbortController();
  const texts = Array.from({ length: 20 }, (_, at) => "1".repeat(1 + (at % 4)));
  const { vectors, tokens } = await embedTexts(model, texts, "passage", signal);
  assert.deepEqual(
    vectors.map(([length]) => length),
    texts.map(({ length }) => length),
  );
  assert.deepEqual([tokens, batches], [50, [16, 4]]);
  await assert.rejects(embedTexts(model, ["1", "12345"], "passage", signal), {
    code: "USAGE_INVALID",
    message: "text 2 has more than 4 tokens",
  });
  await assert.rejects(embedTexts(model, ["1"], "passage", AbortSignal.abort()));
  assert.equal(batches.length, 2);
});
