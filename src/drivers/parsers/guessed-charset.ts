/** Bytes that a guess looks at. */
const sampleBytes = 65_536;

/** Sets of one byte a character that the detector does not know; Western texts of the Mac and of DOS, Russian ones. */
const unknownToDetector = ["windows-1252", "macintosh", "cp850", "cp852", "cp866", "x-mac-cyrillic"] as const;

/** What a text has where it was read in the wrong set of one byte a character. */
const oddities: readonly RegExp[] = [
  /[\u0080-\u009f\ufffd]|[\p{Co}\p{Cn}]/gu,
  // A sign inside a word, at its end, and where one begins.
  /(?<=\p{L})[^\u0000-\u007f\p{L}\p{M}\p{N}\p{Z}’‘‐‑–—·…\u00ad](?=\p{L})/gu,
  /(?<=\p{L})(?![®™°])[\u0080-\uffff](?<=[\p{S}\p{Pi}§¶¡¿])(?!\p{L})/gu,
  /(?<=^|[\s("])[^\u0000-\u007f\p{L}\p{M}\p{N}\p{Z}\p{Ps}\p{Pi}\p{Pf}\p{Pd}•µ¿¡„‚](?=\p{Ll})/gu,
  // A capital inside a word of small letters.
  /\p{Ll}(?![A-Z])\p{Lu}|(?![a-z])\p{Ll}\p{Lu}/gu,
  // Two alphabets in a word.
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/gu,
];

/** Oddities of a text for each of its characters that are not ASCII. */
function oddityOf(text: string): number {
  const all = text.match(/[^\u0000-\u007f]/gu)?.length ?? 0;
  const odd = oddities.reduce((sum, oddity) => sum + (text.match(oddity)?.length ?? 0), 0);
  return odd / Math.max(1, all);
}

/** Oddity up to which what the detector says is kept. */
const mostOdd = 0.02;

/** The bytes as text in a set; undefined where no decoder knows it. Invalid bytes become U+FFFD. */
export async function inCharset(bytes: Uint8Array, charset: string): Promise<string | undefined> {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    const { default: iconv } = await import("iconv-lite");
    if (!iconv.encodingExists(charset)) return undefined;
    return iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), charset);
  }
}

/**
 * The set in which bytes that are not UTF-8 make most sense: the detector's where they read well in it, else
 * the one of those it does not know in which they have fewest signs and capitals inside words.
 */
export async function guessedCharset(bytes: Uint8Array): Promise<string> {
  const sample = bytes.subarray(0, sampleBytes);
  const { default: chardet } = await import("chardet");
  const [first] = chardet.analyse(sample).filter(({ name }) => !/^(?:ascii|utf-?8)$/i.test(name));
  const charsets = [...(first === undefined ? [] : [first.name]), ...unknownToDetector];
  const scored: { readonly charset: string; readonly oddity: number }[] = [];
  for (const charset of charsets) {
    const oddity = oddityOf((await inCharset(sample, charset)) ?? "");
    if (charset === first?.name && oddity <= mostOdd) return charset;
    scored.push({ charset, oddity });
  }
  return scored.toSorted((one, other) => one.oddity - other.oddity)[0]?.charset ?? "windows-1252";
}
