/** Character sets whose characters are of two or four bytes. */
export type WideCharset = "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Bytes that the zeros among them are counted in. */
const sampleBytes = 64 * 1024;

/** The set that the byte order mark of a text names; a mark of four bytes begins like one of two. */
function marked([one, two, three, four]: Uint8Array): WideCharset | undefined {
  if (one === 0xff && two === 0xfe) return three === 0 && four === 0 ? "utf-32le" : "utf-16le";
  if (one === 0 && two === 0 && three === 0xfe && four === 0xff) return "utf-32be";
  return one === 0xfe && two === 0xff ? "utf-16be" : undefined;
}

/** The share of characters that no text has: control characters, and those without a meaning. */
function strangeShare(text: string): number {
  const strange = text.match(/[\p{Cn}\p{Co}\p{Cs}\ufffd]|(?![\t\n\f\r\u001b])[\u0000-\u001f]/gu)?.length ?? 0;
  return strange / Math.max(1, text.length);
}

/** Most of those in a text. */
const mostStrange = 0.01;

/**
 * Whether bytes are a text that a program left zeros in, as a log that was preallocated or cut while it was
 * written. The bytes of the text may be of any set.
 */
export function isTextWithZeros(bytes: Uint8Array): boolean {
  const rest = bytes.filter((byte) => byte !== 0);
  const control = rest.filter((byte) => byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27).length;
  return control <= rest.length * mostStrange;
}

/** Bytes of zero at each place of four, as shares of all bytes at that place. */
function zeroShares(bytes: Uint8Array): readonly [number, number, number, number] {
  const zeros: [number, number, number, number] = [0, 0, 0, 0];
  // A remainder of division by four is an index of four.
  for (const [at, byte] of bytes.entries())
    if (byte === 0) zeros[(at % 4) as 0 | 1 | 2 | 3] += 4 / bytes.length;
  return zeros;
}

/** The set of two bytes a character by the shares of zeros among first and second bytes. */
function ofTwoBytes(bytes: Uint8Array, first: number, second: number): WideCharset | undefined {
  const charset = first < second ? "utf-16le" : "utf-16be";
  const [few, many] = [Math.min(first, second), Math.max(first, second)];
  const isMostlyLatin = many >= 0.2 && few * 20 <= many;
  const plain = bytes.filter((byte) => byte !== 0);
  // Zeros may have got into a text of single bytes.
  if (!isMostlyLatin && strangeShare(new TextDecoder().decode(plain)) <= mostStrange) return undefined;
  return strangeShare(new TextDecoder(charset).decode(bytes)) <= mostStrange ? charset : undefined;
}

/**
 * The wide character set of a text: by its mark, or by where its zeros are, since spaces and ends of lines
 * have small numbers in every script. Undefined for any other text and for what is none.
 */
export function wideCharset(bytes: Uint8Array): WideCharset | undefined {
  const said = marked(bytes);
  if (said !== undefined) return said;
  const sample = bytes.subarray(0, Math.min(sampleBytes, bytes.length - (bytes.length % 2)));
  if (!sample.includes(0)) return undefined;
  const [first, second, third, fourth] = zeroShares(sample);
  if (fourth >= 0.98 && third >= 0.9 && first <= 0.02) return "utf-32le";
  if (first >= 0.98 && second >= 0.9 && fourth <= 0.02) return "utf-32be";
  return ofTwoBytes(sample, (first + third) / 2, (second + fourth) / 2);
}
