import type { Embedding } from "../../core/documents/embedding.ts";
import { serveThread } from "../runtime/serve-thread.ts";
import { type EncodeInput, type EncoderFacts, type EncoderSettings, openEncoder } from "./encoder.ts";

/** The memory of an embedding, handed over instead of copied. */
function memoryOf({ dense, sparse, multi }: Embedding): ArrayBuffer[] {
  const views = [dense, ...(sparse ? [sparse.indices, sparse.values] : []), ...(multi ? [multi] : [])];
  return views.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
}

await serveThread<EncoderSettings, EncoderFacts, EncodeInput, readonly Embedding[]>(async (settings) => {
  const encoder = await openEncoder(settings);
  return {
    facts: encoder.facts,
    run: ({ rows, multi }) => encoder.encode(rows, multi),
    memoryOf: (embeddings) => embeddings.flatMap(memoryOf),
    [Symbol.asyncDispose]: () => encoder[Symbol.asyncDispose](),
  };
});
