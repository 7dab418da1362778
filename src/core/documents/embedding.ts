import type { Chunk, Tokenizer } from "./chunk.ts";

/** Token id → weight; both arrays have the same length, `indices` ascending. */
export interface SparseVector {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

export interface Embedding {
  /** Shape [dimensions], L2 norm 1. */
  readonly dense: Float32Array;
  /** Learned lexical weights; present when the model has a sparse head. */
  readonly sparse?: SparseVector;
  /**
   * ColBERT rows, shape [tokens − 1, dimensions] flattened row by row, each row L2 norm 1; only when asked
   * for.
   */
  readonly multi?: Float32Array;
}

export interface EmbeddedChunk {
  readonly chunk: Chunk;
  readonly embedding: Embedding;
}

export type Purpose = "query" | "passage";

export interface EmbedOptions {
  readonly purpose: Purpose;
  /** Also return ColBERT rows where the model has that head. Default false. */
  readonly multi?: boolean;
}

export interface Embedder extends AsyncDisposable {
  /** Model id of the manifest. */
  readonly id: string;
  /** Changes whenever vectors would: model, file hash, pooling, prefixes, precision, length. */
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly heads: { readonly sparse: boolean; readonly multi: boolean };
  /**
   * What it was trained on; one for many languages matches a question with text in another. Default: English.
   */
  readonly language?: "english" | "multilingual";
  /** Default: `referenceCosineRange`. */
  readonly cosineRange?: CosineRange;
  /** Provider that really runs, e.g. `cpu` or `cuda`. */
  readonly provider: string;
  readonly tokenizer: Tokenizer;
  /** One embedding per text, same order; equal text gives equal vectors whatever its neighbours. */
  embed(texts: readonly string[], options: EmbedOptions, signal: AbortSignal): Promise<readonly Embedding[]>;
}

/** Cosine of a question with unrelated text, and with text that answers it, under one model. */
export type CosineRange = readonly [unrelated: number, related: number];

/** Those of small English encoders, by which every threshold on cosines is set. */
export const referenceCosineRange: CosineRange = [0.55, 0.8];

/** A cosine under one model on the scale of `referenceCosineRange`; past its range it may leave [−1, 1]. */
export function calibrateCosine(
  cosine: number,
  [unrelated, related]: CosineRange = referenceCosineRange,
): number {
  const [low, high] = referenceCosineRange;
  return low + ((cosine - unrelated) * (high - low)) / (related - unrelated);
}

/** Cosine of two unit vectors of one length. */
export function cosine(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < left.length; i += 1) sum += (left[i] ?? 0) * (right[i] ?? 0);
  return sum;
}
