import type { Embedding, SparseVector } from "../../src/core/documents/embedding.ts";

/** Inner product of two vectors of equal length; their cosine when both have norm 1. */
export function denseScore(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

/** Lexical matching score: Σ of the products of the weights of shared tokens. Source: FlagEmbedding m3.py. */
export function sparseScore(left: SparseVector, right: SparseVector): number {
  let [sum, l, r] = [0, 0, 0];
  while (l < left.indices.length && r < right.indices.length) {
    const difference = (left.indices[l] ?? 0) - (right.indices[r] ?? 0);
    if (difference === 0) sum += (left.values[l] ?? 0) * (right.values[r] ?? 0);
    if (difference <= 0) l += 1;
    if (difference >= 0) r += 1;
  }
  return sum;
}

/**
 * Late interaction: the mean over the query's rows of the best inner product with a passage row.
 * Source: FlagEmbedding m3.py, colbert_score.
 */
export function multiScore(query: Float32Array, passage: Float32Array, dimensions: number): number {
  const rows = query.length / dimensions;
  let sum = 0;
  for (let q = 0; q < query.length; q += dimensions) {
    let best = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < passage.length; p += dimensions) {
      best = Math.max(
        best,
        denseScore(query.subarray(q, q + dimensions), passage.subarray(p, p + dimensions)),
      );
    }
    sum += best;
  }
  return rows === 0 ? 0 : sum / rows;
}

/**
 * Weighted mean of the three scores; a head that either side lacks counts 0.
 * Source: FlagEmbedding README, weights_for_different_modes [0.4, 0.2, 0.4] as [dense, sparse, multi].
 */
export function pairScore(
  query: Embedding,
  passage: Embedding,
  weights: readonly [number, number, number] = [0.4, 0.2, 0.4],
): number {
  const [dense, sparse, multi] = weights;
  const lexical = query.sparse && passage.sparse ? sparseScore(query.sparse, passage.sparse) : 0;
  const late = query.multi && passage.multi ? multiScore(query.multi, passage.multi, query.dense.length) : 0;
  return (
    (dense * denseScore(query.dense, passage.dense) + sparse * lexical + multi * late) /
    (dense + sparse + multi)
  );
}
