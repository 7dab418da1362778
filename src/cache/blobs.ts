import type { Embedding } from "../core/documents/embedding.ts";

/** An embedding as bytes: little-endian float32 and uint32, as every platform Node 22 runs on keeps them. */
export interface EmbeddingBlobs {
  readonly dense: Buffer;
  readonly indices: Buffer | null;
  readonly weights: Buffer | null;
}

const bytesOf = (array: Float32Array | Uint32Array): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);

/** A copy that starts at a multiple of 4, which a blob need not. */
const aligned = (blob: Buffer): ArrayBuffer => new Uint8Array(blob).buffer;

/** Dense and sparse parts as blobs; ColBERT rows are not cached. */
export function blobsOf({ dense, sparse }: Embedding): EmbeddingBlobs {
  return {
    dense: bytesOf(dense),
    indices: sparse === undefined ? null : bytesOf(sparse.indices),
    weights: sparse === undefined ? null : bytesOf(sparse.values),
  };
}

/** The embedding those bytes were made from. */
export function embeddingOf({ dense, indices, weights }: EmbeddingBlobs): Embedding {
  const vector = new Float32Array(aligned(dense));
  if (indices === null || weights === null) return { dense: vector };
  return {
    dense: vector,
    sparse: { indices: new Uint32Array(aligned(indices)), values: new Float32Array(aligned(weights)) },
  };
}
