import type { Hit } from "../core/retrieval.ts";

/** A ranked list and how much its ranks count. */
export interface WeightedList {
  readonly hits: readonly Hit[];
  /** ≥ 0; 0 leaves the list out. */
  readonly weight: number;
}

/**
 * Weighted reciprocal rank fusion: score = Σ weight / (k + rank), rank from 1, divided by Σ weight / (k + 1),
 * so that the first of every list scores 1 whatever the server and the weights. Ties keep the order of the lists.
 * Source: Cormack, Clarke, Büttcher, SIGIR 2009, with weights.
 */
export function fuse(lists: readonly WeightedList[], k: number): readonly Hit[] {
  const best = lists.reduce((sum, { weight }) => sum + weight / (k + 1), 0);
  const byChunk = new Map<string, Hit>();
  for (const { hits, weight } of lists) {
    if (weight === 0) continue;
    hits.forEach((hit, i) => {
      const previous = byChunk.get(hit.chunk.id)?.score ?? 0;
      byChunk.set(hit.chunk.id, { chunk: hit.chunk, via: "fused", score: previous + weight / (k + i + 1) / best });
    });
  }
  return [...byChunk.values()].sort((a, b) => b.score - a.score);
}
