import { constants, inflateRawSync, inflateSync } from "node:zlib";
import type { Decrypt } from "./decrypt.ts";
import { readEncryption } from "./encryption.ts";
import { type Dictionary, isDictionary, isReference, openLexer, type PdfValue } from "./lexer.ts";

/** Objects of a PDF file by number, read beside pdf.js for what it does not tell: drawn lines, hidden text, where images lie. */
export interface PdfObjects {
  /** The value behind a reference, or the value itself. */
  resolve(value: PdfValue | undefined): PdfValue | undefined;
  dictionary(value: PdfValue | undefined): Dictionary | undefined;
  /** The unpacked bytes of a stream; undefined where it is packed in a way not known here. */
  stream(value: PdfValue | undefined): Uint8Array | undefined;
  /** Bytes a stream unpacks to through any number of FlateDecode filters, 0 where other filters hide it; infinite above `limit`. */
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
    const found = /(?:^|[^\d])(\d{1,9}) (\d{1,5})$/.exec(head);
    if (found !== null)
      places.set(Number(found[1]), { at: at + 4, generation: Number(found[2]), holder: -1 });
  }
  return places;
}

/** Indexes a file's objects by looking for them, so that a damaged table does not matter. Undefined for a file that a password is needed for. */
export function openObjects(bytes: Uint8Array): PdfObjects | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places = findObjects(file);
  const unpacked = new Map<number, Uint8Array>();
  let kept = 0;
  let decrypt: Decrypt | undefined;

  const valueAt = (source: Uint8Array, at: number): { value: PdfValue; end: number } | undefined => {
    const lexer = openLexer(source, at, true);
    const token = lexer.next();
    return token === undefined || "operator" in token ? undefined : { value: token.value, end: lexer.at };
  };
  const streamAt = (at: number): { dictionary: Dictionary; data: Uint8Array } | undefined => {
    const head = valueAt(file, at);
    if (head === undefined || !isDictionary(head.value)) return undefined;
    const mark = file.indexOf("stream", head.end);
    if (mark < 0 || mark - head.end > 20) return undefined;
    const start =
      mark + 6 + (file[mark + 6] === 13 ? 1 : 0) + (file[mark + 6] === 10 || file[mark + 7] === 10 ? 1 : 0);
    const stated = resolve(head.value.get("/Length"));
    let end = typeof stated === "number" ? start + stated : -1;
    if (end < start || end > file.length || !file.toString("latin1", end, end + 12).includes("endstr"))
      end = file.indexOf("endstream", start);
    return { dictionary: head.value, data: file.subarray(start, end < 0 ? file.length : end) };
  };
  const packedAt = (number: number, { at, generation }: Place) => {
    const found = streamAt(at);
    if (found === undefined) return undefined;
    const data = decrypt === undefined ? found.data : decrypt(found.data, number, generation);
    const filter = resolve(found.dictionary.get("/Filter"));
    const names = Array.isArray(filter)
      ? filter.map(resolve)
      : filter === undefined || filter === null
        ? []
        : [filter];
    return {
      data,
      filters: names.length,
      isFlate: names.every((name) => name === "/FlateDecode" || name === "/Fl"),
    };
  };
  const unpack = (number: number, place: Place): Uint8Array | undefined => {
    const packed = packedAt(number, place);
    if (packed === undefined || packed.filters === 0) return packed?.data;
    const bytes = packed.filters === 1 && packed.isFlate ? inflate(packed.data) : undefined;
    return bytes === "too large" ? undefined : bytes;
  };
  /** Bytes of an object stream; a few are kept, since neighbours are asked for together. */
  const holderBytes = (holder: number): Uint8Array | undefined => {
    const known = unpacked.get(holder);
    if (known !== undefined) return known;
    const place = places.get(holder);
    const data = place === undefined ? undefined : unpack(holder, place);
    if (data === undefined) return undefined;
    kept += data.length;
    for (const [oldest, bytes] of unpacked) {
      if (kept <= maxKeptBytes) break;
      unpacked.delete(oldest);
      kept -= bytes.length;
    }
    unpacked.set(holder, data);
    return data;
  };
  const lookUp = (number: number): PdfValue | undefined => {
    const place = places.get(number);
    if (place === undefined) return undefined;
    const source = place.holder < 0 ? file : holderBytes(place.holder);
    return source === undefined ? undefined : valueAt(source, place.at)?.value;
  };
  const resolve = (value: PdfValue | undefined): PdfValue | undefined => {
    let found = value;
    for (let hops = 0; isReference(found) && hops < 8; hops++) found = lookUp(found.ref);
    return isReference(found) ? undefined : found;
  };

  const encryption = file.includes("/Encrypt") ? readEncryption(file, resolve) : undefined;
  if (encryption === "refused") return undefined;
  decrypt = encryption;

  for (const [holder, place] of [...places]) {
    // The mark stands in the first bytes of an object stream's dictionary.
    if (!file.toString("latin1", place.at, place.at + 160).includes("/ObjStm")) continue;
    const head = streamAt(place.at)?.dictionary;
    const count = resolve(head?.get("/N"));
    const first = resolve(head?.get("/First"));
    const data = holderBytes(holder);
    if (data === undefined || typeof count !== "number" || typeof first !== "number") continue;
    const lexer = openLexer(data, 0, false);
    for (let index = 0; index < count; index++) {
      const number = lexer.next();
      const offset = lexer.next();
      if (number === undefined || offset === undefined || "operator" in number || "operator" in offset) break;
      const earlier = typeof number.value === "number" ? places.get(number.value) : undefined;
      const isNewer =
        earlier === undefined ||
        (earlier.holder < 0 ? earlier.at : (places.get(earlier.holder)?.at ?? 0)) < place.at;
      if (typeof number.value === "number" && typeof offset.value === "number" && isNewer) {
        places.set(number.value, { at: first + offset.value, generation: 0, holder });
      }
    }
  }
  return {
    resolve,
    dictionary(value) {
      const found = resolve(value);
      if (isDictionary(found)) return found;
      return undefined;
    },
    stream(value) {
      const place = isReference(value) ? places.get(value.ref) : undefined;
      return !isReference(value) || place === undefined || place.holder >= 0
        ? undefined
        : unpack(value.ref, place);
    },
    unpackedBytes(value, limit) {
      const place = isReference(value) ? places.get(value.ref) : undefined;
      const packed =
        !isReference(value) || place === undefined || place.holder >= 0
          ? undefined
          : packedAt(value.ref, place);
      if (packed === undefined || !packed.isFlate) return 0;
      let { data } = packed;
      for (let filter = 0; filter < packed.filters; filter++) {
        const bytes = inflate(data, limit);
        if (bytes === undefined) return 0;
        if (bytes === "too large") return Number.POSITIVE_INFINITY;
        data = bytes;
      }
      return data.length;
    },
  };
}
