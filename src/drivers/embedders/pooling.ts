import type { SparseVector } from "../../core/documents/embedding.ts";
import type { FloatTensor } from "../runtime/onnx.ts";

export type Pooling = "cls" | "mean";

/** The vector scaled to L2 norm 1, in place; the norm it had. */
export function normalise(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares);
  if (norm > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / norm;
  return norm;
}

/** The `row`-th slice of a tensor's first dimension, as a view. */
export function sliceRow(tensor: FloatTensor, row: number): Float32Array {
  const size = tensor.data.length / (tensor.dims[0] ?? 1);
  return tensor.data.subarray(row * size, (row + 1) * size);
}

/**
 * One vector from token states, shape [width, dimensions] flattened; only the first `tokens` rows are of the
 * text.
 */
export function poolStates(
  states: Float32Array,
  dimensions: number,
  tokens: number,
  pooling: Pooling,
): Float32Array {
  if (pooling === "cls") return states.slice(0, dimensions);
  const sums = new Float64Array(dimensions);
  for (let token = 0; token < tokens; token++) {
    const start = token * dimensions;
    for (let at = 0; at < dimensions; at++) sums[at] = (sums[at] ?? 0) + (states[start + at] ?? 0);
  }
  return Float32Array.from(sums, (sum) => sum / tokens);
}

/**
 * Learned lexical weights of one text: special tokens dropped, weights above 0 kept, the highest of a
 * repeated token. An export that leaves its ReLU out gives negative weights, which the same rule drops.
 * Source: FlagEmbedding m3.py, _process_token_weights.
 * @param weights of each of `width` token places, or of the whole vocabulary when longer than that
 */
export function sparseWeights(
  weights: Float32Array,
  ids: ArrayLike<number>,
  width: number,
  specialIds: ReadonlySet<number>,
): SparseVector {
  const highest = new Map<number, number>();
  const keep = (id: number, weight: number): void => {
    if (weight > 0 && !specialIds.has(id) && weight > (highest.get(id) ?? 0)) highest.set(id, weight);
  };
  if (weights.length === width) for (let at = 0; at < ids.length; at++) keep(ids[at] ?? 0, weights[at] ?? 0);
  else for (let id = 0; id < weights.length; id++) keep(id, weights[id] ?? 0);
  const indices = Uint32Array.from(highest.keys()).sort();
  return { indices, values: Float32Array.from(indices, (id) => highest.get(id) ?? 0) };
}

/**
 * ColBERT rows of one text, shape [tokens − 1, dimensions] flattened: the start token dropped, the end token
 * kept, each row L2 norm 1.
 * @param rows shape [places, dimensions] flattened; `places` is `width`, or one less when the export dropped
 *   the start token itself
 */
export function multiRows(
  rows: Float32Array,
  dimensions: number,
  tokens: number,
  width: number,
): Float32Array {
  const start = rows.length / dimensions === width ? dimensions : 0;
  const tokenRows = rows.slice(start, start + (tokens - 1) * dimensions);
  for (let at = 0; at < tokenRows.length; at += dimensions)
    normalise(tokenRows.subarray(at, at + dimensions));
  return tokenRows;
}
