import assert from "node:assert/strict";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import type { Embedder, Embedding } from "../../src/core/documents/embedding.ts";
import type { VectorStore } from "../../src/core/retrieval.ts";
import type { EmbeddingCache } from "../../src/pipeline/ingest/embed.ts";
import type { RetrieveSettings } from "../../src/pipeline/retrieve/retrieve.ts";
import { countWords } from "./fixtures.ts";

/** An embedder that records what it was asked. */
export function fakeEmbedder(): Embedder & { readonly asked: (readonly string[])[] } {
  const asked: (readonly string[])[] = [];
  const encode = (text: string) => Array.from({ length: countWords(text) }, (_, i) => i);
  return {
    id: "fake",
    fingerprint: "fake:1",
    dimensions: 2,
    maxTokens: 64,
    heads: { sparse: false, multi: false },
    provider: "cpu",
    tokenizer: { count: countWords, encode, encodeForModel: (text) => ({ ids: encode(text), truncated: 0 }) },
    asked,
    async embed(texts) {
      asked.push(texts);
      return texts.map((text) => ({ dense: Float32Array.of(Math.cos(text.length), Math.sin(text.length)) }));
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** A cache of embeddings that forgets nothing. */
export function memoryCache(): EmbeddingCache {
  const entries = new Map<string, Embedding>();
  return {
    get: async (hashes) =>
      new Map(hashes.flatMap((hash) => [...entries].filter(([known]) => known === hash))),
    put: async (added) => {
      for (const { hash, embedding } of added) entries.set(hash, embedding);
    },
  };
}

/** What a store holds, by chunk id. */
export type Stored = Map<string, Chunk>;

/** A store that does only this; any other call fails the test. */
export function storeThat(does: Partial<VectorStore>): VectorStore {
  const unused = () => assert.fail("this call of the store is not expected");
  return {
    id: "memory",
    version: unused,
    collections: unused,
    ensure: unused,
    drop: unused,
    write: unused,
    delete: unused,
    search: unused,
    count: unused,
    list: unused,
    async [Symbol.asyncDispose]() {},
    ...does,
  };
}

/** Settings of a search by scores; a test states what it is about. */
export const retrieveSettings: RetrieveSettings = {
  fusion: "scores",
  candidates: 20,
  nameWeight: 0.08,
  yearWeight: 0.1,
  denseWeight: 1,
  lexicalWeight: 1,
  rrfK: 60,
};
