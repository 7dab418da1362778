import { constants, inflateRawSync, inflateSync } from "node:zlib";
import { type Decrypt, readEncryption, readString } from "./encryption.ts";
import {
  type Dictionary,
  isDictionary,
  isReference,
  isStringPlace,
  nextValue,
  type PdfValue,
} from "./lexer.ts";

/**
 * Objects of a PDF file by number, read beside pdf.js for what it does not tell: drawn lines, hidden text,
 * where images lie.
 */
export interface PdfObjects {
  /** The value behind a reference, or the value itself. */
  resolve(value: PdfValue | undefined): PdfValue | undefined;
  dictionary(value: PdfValue | undefined): Dictionary | undefined;
  /** The bytes of a string; undefined for anything else, and for a string that is encrypted. */
  string(value: PdfValue | undefined): Uint8Array | undefined;
  /** The unpacked bytes of a stream; undefined where it is packed in a way not known here. */
  stream(value: PdfValue | undefined): Uint8Array | undefined;
  /**
   * Bytes a stream unpacks to through any number of FlateDecode filters, 0 where other filters hide it;
   * infinite above `limit`.
   */
  unpackedBytes(value: PdfValue | undefined, limit: number): number;
}

interface Place {
  readonly at: number;
  readonly generation: number;
  /** Number of the object stream the object is in, or -1. */
  readonly holder: number;
}

/** Most bytes one stream may unpack to; longer ones are cut. */
const maxStreamBytes = 32 * 1024 * 1024;

/** Bytes of unpacked object streams that are kept at the same time. */
const maxKeptBytes = 12 * 1024 * 1024;

function inflate(packed: Uint8Array, maxOutputLength = maxStreamBytes): Uint8Array | "too large" | undefined {
  const chunkSize = Math.max(16_384, Math.min(1 << 20, packed.length * 4));
  const limits = { chunkSize, finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength };
  try {
    // Some writers state a smaller window in the two bytes of the head than they use: they are passed over.
    return ((packed[0] ?? 0) & 15) === 8
      ? inflateRawSync(packed.subarray(2), limits)
      : inflateSync(packed, limits);
  } catch (error) {
    // Damaged: the caller does without, pdf.js reads what can be read.
    return error instanceof RangeError ? "too large" : undefined;
  }
}

/** Start of every `n g obj` in file order; a later one of the same number replaces the earlier. */
function findObjects(file: Buffer): Map<number, Place> {
  const places = new Map<number, Place>();
  for (let at = file.indexOf(" obj"); at >= 0; at = file.indexOf(" obj", at + 4)) {
    const head = file.toString("latin1", Math.max(0, at - 18), at);
    const match = /(?:^|[^\d])(\d{1,9}) (\d{1,5})$/.exec(head);
    if (match !== null)
      places.set(Number(match[1]), { at: at + 4, generation: Number(match[2]), holder: -1 });
  }
  return places;
}

/** A file with what is known of its objects. */
interface ObjectFile {
  readonly file: Buffer;
  readonly places: Map<number, Place>;
  decrypt: Decrypt | undefined;
  /** Bytes of object streams; a few are kept, since neighbours are asked for together. */
  readonly unpacked: Map<number, Uint8Array>;
  keptBytes: number;
}

interface Stream {
  readonly dictionary: Dictionary;
  readonly data: Uint8Array;
}

/** A decrypted stream before its filters. */
interface PackedStream {
  readonly data: Uint8Array;
  readonly filters: number;
  /** Whether all filters are FlateDecode. */
  readonly isFlate: boolean;
}

function resolve(objects: ObjectFile, value: PdfValue | undefined): PdfValue | undefined {
  let target = value;
  for (let hops = 0; isReference(target) && hops < 8; hops++) target = lookUp(objects, target.ref);
  return isReference(target) ? undefined : target;
}

function lookUp(objects: ObjectFile, number: number): PdfValue | undefined {
  const place = objects.places.get(number);
  if (place === undefined) return undefined;
  const bytes = place.holder < 0 ? objects.file : objectStreamBytes(objects, place.holder);
  return bytes === undefined ? undefined : nextValue({ bytes, references: true, at: place.at });
}

/** Where the data begin after the mark `stream`, which may be followed by either end of a line or both. */
function dataStart(file: Buffer, mark: number): number {
  const after = mark + "stream".length;
  const hasReturn = file[after] === 13;
  const hasFeed = file[after] === 10 || file[after + 1] === 10;
  return after + Number(hasReturn) + Number(hasFeed);
}

function streamAt(objects: ObjectFile, at: number): Stream | undefined {
  const { file } = objects;
  const lexer = { bytes: file, references: true, at };
  const dictionary = nextValue(lexer);
  if (!isDictionary(dictionary)) return undefined;
  const mark = file.indexOf("stream", lexer.at);
  if (mark < 0 || mark - lexer.at > 20) return undefined;
  const start = dataStart(file, mark);
  const stated = resolve(objects, dictionary.get("/Length"));
  let end = typeof stated === "number" ? start + stated : -1;
  if (end < start || end > file.length || !file.toString("latin1", end, end + 12).includes("endstr"))
    end = file.indexOf("endstream", start);
  return { dictionary, data: file.subarray(start, end < 0 ? file.length : end) };
}

function filterNames(objects: ObjectFile, dictionary: Dictionary): readonly (PdfValue | undefined)[] {
  const filter = resolve(objects, dictionary.get("/Filter"));
  if (Array.isArray(filter)) return filter.map((name) => resolve(objects, name));
  return filter === undefined || filter === null ? [] : [filter];
}

function packedAt(objects: ObjectFile, number: number, { at, generation }: Place): PackedStream | undefined {
  const stream = streamAt(objects, at);
  if (stream === undefined) return undefined;
  const names = filterNames(objects, stream.dictionary);
  return {
    data: objects.decrypt?.(stream.data, number, generation) ?? stream.data,
    filters: names.length,
    isFlate: names.every((name) => name === "/FlateDecode" || name === "/Fl"),
  };
}

function unpack(objects: ObjectFile, number: number, place: Place): Uint8Array | undefined {
  const packed = packedAt(objects, number, place);
  if (packed === undefined || packed.filters === 0) return packed?.data;
  const bytes = packed.filters === 1 && packed.isFlate ? inflate(packed.data) : undefined;
  return bytes === "too large" ? undefined : bytes;
}

function objectStreamBytes(objects: ObjectFile, number: number): Uint8Array | undefined {
  const { places, unpacked } = objects;
  const cached = unpacked.get(number);
  if (cached !== undefined) return cached;
  const place = places.get(number);
  const data = place === undefined ? undefined : unpack(objects, number, place);
  if (data === undefined) return undefined;
  objects.keptBytes += data.length;
  for (const [oldest, bytes] of unpacked) {
    if (objects.keptBytes <= maxKeptBytes) break;
    unpacked.delete(oldest);
    objects.keptBytes -= bytes.length;
  }
  unpacked.set(number, data);
  return data;
}

/** Place of the object stream's own object for what lies in one, else of the object itself. */
function filePlace({ places }: ObjectFile, { holder, at }: Place): number {
  return holder < 0 ? at : (places.get(holder)?.at ?? 0);
}

/** Adds the objects of one object stream, but for those that a later part of the file replaces. */
function indexObjectStream(objects: ObjectFile, holder: number, holderAt: number): void {
  const dictionary = streamAt(objects, holderAt)?.dictionary;
  const count = resolve(objects, dictionary?.get("/N"));
  const first = resolve(objects, dictionary?.get("/First"));
  const bytes = objectStreamBytes(objects, holder);
  if (bytes === undefined || typeof count !== "number" || typeof first !== "number") return;
  const lexer = { bytes, references: false, at: 0 };
  for (let index = 0; index < count; index++) {
    const number = nextValue(lexer);
    const offset = nextValue(lexer);
    if (number === undefined || offset === undefined) return;
    if (typeof number !== "number" || typeof offset !== "number") continue;
    const earlier = objects.places.get(number);
    if (earlier === undefined || filePlace(objects, earlier) < holderAt)
      objects.places.set(number, { at: first + offset, generation: 0, holder });
  }
}

function indexObjectStreams(objects: ObjectFile): void {
  const { file, places } = objects;
  for (const [number, { at }] of [...places]) {
    // The mark stands in the first bytes of an object stream's dictionary.
    if (file.toString("latin1", at, at + 160).includes("/ObjStm")) indexObjectStream(objects, number, at);
  }
}

/** Bytes that a stream unpacks to through all its filters; infinite above `limit`. */
function unpackedLength({ data, filters }: PackedStream, limit: number): number {
  let bytes = data;
  for (let filter = 0; filter < filters; filter++) {
    const next = inflate(bytes, limit);
    if (next === undefined) return 0;
    if (next === "too large") return Number.POSITIVE_INFINITY;
    bytes = next;
  }
  return bytes.length;
}

/**
 * Indexes a file's objects by looking for them, so that a damaged table does not matter. Undefined for a file
 * that a password is needed for.
 */
export function openObjects(bytes: Uint8Array): PdfObjects | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const objects: ObjectFile = {
    file,
    places: findObjects(file),
    decrypt: undefined,
    unpacked: new Map(),
    keptBytes: 0,
  };
  const decrypt = file.includes("/Encrypt")
    ? readEncryption(file, (value) => resolve(objects, value))
    : undefined;
  if (decrypt === "refused") return undefined;
  objects.decrypt = decrypt;
  indexObjectStreams(objects);
  /** Streams are never inside object streams. */
  const streamPlace = (value: PdfValue | undefined) => {
    const place = isReference(value) ? objects.places.get(value.ref) : undefined;
    return !isReference(value) || place === undefined || place.holder >= 0
      ? undefined
      : { number: value.ref, place };
  };
  return {
    resolve: (value) => resolve(objects, value),
    dictionary(value) {
      const target = resolve(objects, value);
      return isDictionary(target) ? target : undefined;
    },
    string(value) {
      const target = resolve(objects, value);
      const isReadable = isStringPlace(target) && (decrypt === undefined || target.bytes !== file);
      return isReadable ? readString(target) : undefined;
    },
    stream(value) {
      const at = streamPlace(value);
      return at === undefined ? undefined : unpack(objects, at.number, at.place);
    },
    unpackedBytes(value, limit) {
      const at = streamPlace(value);
      const packed = at === undefined ? undefined : packedAt(objects, at.number, at.place);
      return packed?.isFlate === true ? unpackedLength(packed, limit) : 0;
    },
  };
}
