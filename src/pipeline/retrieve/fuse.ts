import type { Hit } from "../../core/retrieval.ts";

/** A ranked list and how much it counts. */
export interface WeightedList {
  readonly hits: readonly Hit[];
  /** ≥ 0; 0 leaves the list out. */
  readonly weight: number;
}

/**
 * Weighted reciprocal rank fusion: score = Σ weight / (k + rank), rank from 1, divided by Σ weight / (k + 1),
 * so that the first of every list scores 1 whatever the server and the weights. Ties keep the order of the
 * lists.
 * Source: Cormack, Clarke, Büttcher, SIGIR 2009, with weights.
 */
export function fuseRanks(lists: readonly WeightedList[], k: number): readonly Hit[] {
  return combine(lists, (_hits, i) => (k + 1) / (k + i + 1));
}

/** Lowest value a list's scores can take: 0 for BM25 and learned weights, nothing certain for a cosine. */
export interface ScoredList extends WeightedList {
  readonly floor?: number;
}

/**
 * Convex combination of scores: each list is scaled so that its best hit has 1 and its floor (or its last
 * hit) 0, then score = Σ weight × scaled score / Σ weight. A hit that a list lacks counts as its floor. Keeps
 * how far hits are apart, which ranks throw away; as it only compares scores within one list of one query, it
 * means the same on every server.
 * Source: Bruch, Gai, Ingber, ACM TOIS 2023 (convex combination with theoretical minimum).
 */
export function fuseScores(lists: readonly ScoredList[]): readonly Hit[] {
  const floors = new Map(lists.map(({ hits, floor }) => [hits, floor ?? hits.at(-1)?.score ?? 0]));
  return combine(lists, (hits, i) => {
    const floor = floors.get(hits) ?? 0;
    const range = (hits[0]?.score ?? 0) - floor;
    return range > 0 ? Math.max(0, (hits[i]?.score ?? 0) - floor) / range : 1;
  });
}

/** Σ weight × value(list, position) / Σ weight over the lists, best first. */
function combine(
  lists: readonly WeightedList[],
  value: (hits: readonly Hit[], position: number) => number,
): readonly Hit[] {
  const total = lists.reduce((sum, { weight }) => sum + weight, 0);
  const byChunk = new Map<string, Hit>();
  for (const { hits, weight } of lists) {
    if (weight === 0) continue;
    hits.forEach((hit, i) => {
      const previous = byChunk.get(hit.chunk.id)?.score ?? 0;
      byChunk.set(hit.chunk.id, {
        chunk: hit.chunk,
        via: "fused",
        score: previous + (weight * value(hits, i)) / total,
      });
    });
  }
  return [...byChunk.values()].sort((a, b) => b.score - a.score);
}
