import { maxContentBytes } from "../../pages.ts";
import { type FileStream, isStream } from "./pdfjs.ts";

/** Most bytes that one byte of a packed stream can become: of deflate, and of any other filter. */
const mostOf = (filter: string): number => (filter === "FlateStream" ? 1032 : 2731);
/** Bytes that are unpacked at a time to learn how many there are. */
const step = 1 << 20;

/** Largest possible unpacked size of a stream, by its size in the file. */
function bound(stream: FileStream): number {
  const inner = stream.stream ?? stream.str;
  return inner === undefined ? (stream.length ?? 0) : bound(inner) * mostOf(stream.constructor.name);
}

/**
 * Whether the content of a page, a stream or a list of them, unpacks to more than any page needs. Found out
 * piece by piece, for a few hundred bytes can name a gigabyte many times, and only where it is possible at
 * all.
 */
export function isTooLarge(content: unknown): boolean {
  const streams = (Array.isArray(content) ? content : [content]).filter(isStream);
  if (streams.reduce((sum, stream) => sum + bound(stream), 0) <= maxContentBytes) return false;
  let total = 0;
  for (const stream of streams) {
    let bytes = step;
    while (bytes === step && total <= maxContentBytes) {
      try {
        bytes = stream.getBytes(step).length;
      } catch {
        // pdf.js finds out what of it can be read.
        bytes = 0;
      }
      total += bytes;
    }
  }
  return total > maxContentBytes;
}
