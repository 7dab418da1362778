import { type Chunk, embedText } from "../../core/documents/chunk.ts";
import type { EmbeddedChunk, Embedder, Embedding } from "../../core/documents/embedding.ts";
import type { Run } from "../../core/run.ts";

/** Embeddings already computed, by content hash; one cache per fingerprint. */
export interface EmbeddingCache {
  get(hashes: readonly string[], fingerprint: string): Promise<ReadonlyMap<string, Embedding>>;
  put(
    entries: readonly { readonly hash: string; readonly embedding: Embedding }[],
    fingerprint: string,
  ): Promise<void>;
}

export interface Embedded {
  readonly chunks: readonly EmbeddedChunk[];
  readonly fromCache: number;
  /** Tokens the model actually processed. */
  readonly tokens: number;
}

/** chunks → embedded chunks, same order; cached ones are not computed again */
export async function embed(
  chunks: readonly Chunk[],
  embedder: Embedder,
  cache: EmbeddingCache,
  run: Run,
): Promise<Embedded> {
  const known = new Map(
    await cache.get(
      chunks.map((chunk) => chunk.contentHash),
      embedder.fingerprint,
    ),
  );
  const missing = [
    ...new Map(
      chunks.filter((chunk) => !known.has(chunk.contentHash)).map((chunk) => [chunk.contentHash, chunk]),
    ).values(),
  ];
  const fresh =
    missing.length === 0
      ? []
      : await embedder.embed(missing.map(embedText), { purpose: "passage" }, run.signal);
  const entries = missing.map((chunk, i) => ({
    hash: chunk.contentHash,
    embedding: found(fresh[i], chunk.id),
  }));
  if (entries.length > 0) await cache.put(entries, embedder.fingerprint);
  for (const { hash, embedding } of entries) known.set(hash, embedding);
  return {
    chunks: chunks.map((chunk) => ({ chunk, embedding: found(known.get(chunk.contentHash), chunk.id) })),
    fromCache: chunks.length - missing.length,
    tokens: missing.reduce((sum, chunk) => sum + chunk.tokenCount, 0),
  };
}

function found(embedding: Embedding | undefined, id: string): Embedding {
  if (embedding === undefined) throw new RangeError(`the embedder returned no vector for chunk ${id}`);
  return embedding;
}
