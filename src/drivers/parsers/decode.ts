import { RagctlError } from "../../core/errors.ts";

/** Text with the warnings its decoding gives rise to. */
export interface Decoded {
  readonly text: string;
  /** The character set that it was read as. */
  readonly charset: string;
  readonly warnings: readonly string[];
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [one, two, three] = bytes;
  if (one === 0xef && two === 0xbb && three === 0xbf) return "utf-8";
  if (one === 0xff && two === 0xfe) return "utf-16le";
  if (one === 0xfe && two === 0xff) return "utf-16be";
  return undefined;
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8: the caller guesses another charset
  }
}

/** Bytes of a page that its declaration is looked for in. */
const metaBytes = 2048;

/** The character set that a page of HTML declares itself. */
export function metaCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, metaBytes)).toString("latin1");
  return /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(head)?.[1];
}

/**
 * Bytes as text: by byte order mark, then as UTF-8, then by the declared charset, then by a guess, which is
 * reported as a warning. @throws SOURCE_DAMAGED
 */
export async function decode(bytes: Uint8Array, name: string, declared?: string): Promise<Decoded> {
  const marked = byteOrderMark(bytes);
  const plain = marked === undefined || marked === "utf-8" ? utf8(bytes) : undefined;
  if (plain !== undefined) return { text: plain.replace(/\r\n?/g, "\n"), charset: "utf-8", warnings: [] };
  const { default: iconv } = await import("iconv-lite");
  let charset =
    marked ??
    (declared !== undefined && iconv.encodingExists(declared) && !/^utf-?8$/i.test(declared)
      ? declared
      : undefined);
  let guessed = false;
  if (charset === undefined) {
    const { default: chardet } = await import("chardet");
    const guess = chardet.detect(bytes.subarray(0, 65_536));
    charset =
      guess !== null && iconv.encodingExists(guess) && guess !== "UTF-8" && guess !== "ASCII"
        ? guess
        : "windows-1252";
    guessed = true;
  }
  const text = iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), charset);
  const strange = text.match(/[\u0000-\u0008\u000e-\u001f\ufffd]/g)?.length ?? 0;
  if (strange > Math.max(4, text.length * 0.05)) {
    throw new RagctlError(
      "SOURCE_DAMAGED",
      `${name} is not text: ${strange} of ${text.length} characters are invalid in ${charset}`,
      {
        hint: "convert the file to UTF-8 and ingest it again",
      },
    );
  }
  const warnings = [`the text is not UTF-8; it was read as ${charset}${guessed ? " (a guess)" : ""}`];
  return { text: text.replace(/\r\n?/g, "\n"), charset, warnings };
}
