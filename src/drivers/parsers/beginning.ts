import { type Decoded, decode } from "./decode.ts";

/** Most bytes of a long text that are read; it is decoded only that far. */
const mostBytes = 32 * 1024 ** 2;

/**
 * The beginning of a text that is read, up to the end of a line, so that no character of an ordinary file is
 * cut.
 */
export function truncateToLine(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= mostBytes) return bytes;
  const cut = bytes.lastIndexOf(10, mostBytes);
  return bytes.subarray(0, cut > 0 ? cut + 1 : mostBytes);
}

/** Lines of bytes from a place on. */
export function countLines(bytes: Uint8Array, from = 0): number {
  let lines = 0;
  for (let place = from; place < bytes.length; place++) if (bytes[place] === 10) lines++;
  return lines + (from < bytes.length && bytes[bytes.length - 1] !== 10 ? 1 : 0);
}

/** The beginning of a text; what follows it is counted in a warning. @throws SOURCE_DAMAGED */
export async function decodeBeginning(bytes: Uint8Array, name: string): Promise<Decoded> {
  const read = truncateToLine(bytes);
  const decoded = await decode(read, name);
  const rest = `only the first ${mostBytes / 1024 ** 2} MiB were read; ${countLines(bytes, read.length)} later lines were skipped`;
  return { ...decoded, warnings: [...decoded.warnings, ...(read.length === bytes.length ? [] : [rest])] };
}
