import { inflateSync } from "node:zlib";

/** The part of a DecompressionStream that pdf.js uses. */
interface Inflater {
  readonly writable: {
    getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> };
  };
  readonly readable: { getReader(): { read(): Promise<{ value?: Uint8Array; done: boolean }> } };
}

/**
 * Makes pdf.js unpack a stream at once. By default it unpacks in pieces that pass through two web streams and
 * a separate thread, which takes a twentieth of the time of reading text. Damaged streams still fail as
 * before, and pdf.js reads as much of them as it can.
 */
export function patchStreamInflate(): void {
  const inPieces = globalThis.DecompressionStream;
  if (inPieces.name === UnpackAtOnce.name) return;
  // Called with `new`, a function that returns an object gives that object.
  function UnpackAtOnce(format: ConstructorParameters<typeof inPieces>[0]): Inflater | DecompressionStream {
    return format === "deflate" ? openInflater() : new inPieces(format);
  }
  // pdf.js uses the members of `Inflater` only; nothing else in this process uses the class.
  globalThis.DecompressionStream = UnpackAtOnce as unknown as typeof DecompressionStream;
}

function openInflater(): Inflater {
  let unpacked = Promise.resolve<Uint8Array | undefined>(undefined);
  const write = async (bytes: Uint8Array): Promise<void> => {
    unpacked = inflate(bytes);
    await unpacked;
  };
  const read = async (): Promise<{ value?: Uint8Array; done: boolean }> => {
    const value = await unpacked;
    unpacked = Promise.resolve(undefined);
    return value === undefined ? { done: true } : { value, done: false };
  };
  return {
    writable: { getWriter: () => ({ write, close: async () => undefined }) },
    readable: { getReader: () => ({ read }) },
  };
}

/** Bytes a stream may unpack to at once; pdf.js reads a larger one itself, in pieces that can be stopped. */
const maxOutputLength = 64 * 1024 * 1024;

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const chunkSize = Math.max(16_384, Math.min(1 << 20, bytes.length * 4));
  // A copy of exactly its size that is not a Buffer: `slice` of a Buffer copies nothing.
  return new Uint8Array(inflateSync(bytes, { chunkSize, maxOutputLength }));
}
