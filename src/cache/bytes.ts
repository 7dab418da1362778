import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { Embedding } from "../core/documents/embedding.ts";

const pack = promisify(deflate);
const unpack = promisify(inflate);

/** Longest value that is unpacked, bytes: a cache that others write to could hold a bomb. */
const longestValue = 2 ** 29;

/** A value as compressed JSON. */
export async function packJson(value: unknown): Promise<Buffer> {
  return pack(JSON.stringify(value), { level: 1 });
}

/** The value that `packJson` was given. @throws for bytes that it did not write */
export async function unpackJson(packed: Uint8Array): Promise<unknown> {
  return JSON.parse((await unpack(packed, { maxOutputLength: longestValue })).toString("utf8"));
}

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
export function toBlobs({ dense, sparse }: Embedding): EmbeddingBlobs {
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

/** Length that marks an absent sparse part. */
const noSparse = 0xffff_ffff;

/** Bytes of an embedding in one: the lengths of dense part and of sparse indices, then the parts. */
export function packEmbedding(embedding: Embedding): Buffer {
  const { dense, indices, weights } = toBlobs(embedding);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(dense.length, 0);
  lengths.writeUInt32LE(indices?.length ?? noSparse, 4);
  return Buffer.concat([lengths, dense, indices ?? Buffer.alloc(0), weights ?? Buffer.alloc(0)]);
}

/** The embedding of such bytes; undefined for others. */
export function unpackEmbedding(packed: Buffer): Embedding | undefined {
  if (packed.length < 8) return undefined;
  const length = packed.readUInt32LE(0);
  const given = packed.readUInt32LE(4);
  const sparse = given === noSparse ? 0 : given;
  const isWhole = packed.length === 8 + length + 2 * sparse;
  if (!isWhole || length === 0 || length % 4 !== 0 || sparse % 4 !== 0) return undefined;
  const parts = packed.subarray(8 + length);
  return embeddingOf({
    dense: packed.subarray(8, 8 + length),
    indices: given === noSparse ? null : parts.subarray(0, sparse),
    weights: given === noSparse ? null : parts.subarray(sparse),
  });
}
