import { cosine } from "../../core/documents/embedding.ts";
import type { Hit } from "../../core/retrieval.ts";

export interface DiversifyOptions {
  /** 1: relevance alone, 0: diversity alone. Default 0.5. */
  readonly lambda: number;
  /** Hits to keep. */
  readonly limit: number;
  /**
   * Cosine up to which two chunks count as dissimilar; from here to 1 similarity rises from 0 to 1. Default
   * 0.95.
   */
  readonly likeFrom?: number;
}

/**
 * Maximal marginal relevance: each next hit maximises λ · relevance − (1 − λ) · similarity to the hits
 * already taken. Relevance is the score relative to the best one. Current encoders give any two passages on
 * one subject a cosine of .6 to .9, so similarity counts only from `likeFrom`: only near-duplicates are
 * demoted. A hit without a vector is similar to none. Source: Carbonell and Goldstein, SIGIR 1998.
 */
export function diversify(
  hits: readonly Hit[],
  vectors: ReadonlyMap<string, Float32Array>,
  options: DiversifyOptions,
): readonly Hit[] {
  const { lambda, limit, likeFrom = 0.95 } = options;
  const top = Math.max(...hits.map((hit) => hit.score), Number.EPSILON);
  const rest = hits.map((hit) => ({ hit, vector: vectors.get(hit.chunk.id), likeness: 0 }));
  const taken: Hit[] = [];
  while (taken.length < limit && rest.length > 0) {
    let best = 0;
    const value = (index: number): number =>
      (lambda * (rest[index]?.hit.score ?? 0)) / top - (1 - lambda) * (rest[index]?.likeness ?? 0);
    for (let index = 1; index < rest.length; index += 1) if (value(index) > value(best)) best = index;
    const [next] = rest.splice(best, 1);
    if (next === undefined) break;
    taken.push(next.hit);
    for (const other of rest) {
      if (next.vector === undefined || other.vector === undefined) continue;
      other.likeness = Math.max(
        other.likeness,
        Math.max(0, cosine(next.vector, other.vector) - likeFrom) / (1 - likeFrom),
      );
    }
  }
  return taken;
}
