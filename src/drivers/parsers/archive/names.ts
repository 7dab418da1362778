import { isUtf8 } from "node:buffer";

type Bytes = readonly (readonly [first: number, last: number])[];

/** A character set of names. */
interface Charset {
  readonly name: string;
  /** First bytes of characters of two bytes. */
  readonly leads: Bytes;
  /** First bytes of the letters that its makers took for the usual ones, of ideographs the first level. */
  readonly usual: Bytes;
  /** Those of its signs, which every text may have. */
  readonly signs: Bytes;
  /** The first of the second bytes of usual characters. */
  readonly trail: number;
}

const one = (name: string, ...usual: Bytes): Charset => ({ name, leads: [], usual, signs: [], trail: 0 });
const extended = (name: string, trail: number, ...usual: Bytes): Charset => ({
  name,
  leads: [[0x81, 0xfe]],
  usual,
  signs: [[0xa1, 0xa3]],
  trail,
});
/**
 * Sets of programs that write no mark; of two that fit alike the first. Sources: JIS X 0208, KS X 1001, GB
 * 2312, Big5.
 */
const charsets: readonly Charset[] = [
  {
    name: "shift_jis",
    leads: [
      [0x81, 0x9f],
      [0xe0, 0xfc],
    ],
    usual: [
      [0x82, 0x83],
      [0x88, 0x97],
    ],
    signs: [[0x81, 0x81]],
    trail: 0,
  },
  extended("euc-kr", 0xa1, [0xb0, 0xc8]),
  extended("gbk", 0xa1, [0xb0, 0xd7]),
  extended("big5", 0, [0xa4, 0xc6]),
  one("cp866", [0x80, 0xaf], [0xe0, 0xf1]),
  one("windows-1251", [0xc0, 0xff]),
  one("cp437", [0x80, 0xa5], [0xe1, 0xe1]),
  one("windows-1252", [0xc0, 0xff]),
];
/** Share of characters that must be usual ones of a set. */
const mostlyUsual = 0.8;

const within = (byte: number, ranges: Bytes): boolean =>
  ranges.some(([first, last]) => byte >= first && byte <= last);

/** The share of usual characters among those of a set. */
function shareOf(text: Uint8Array, { leads, usual, signs, trail }: Charset): number {
  let [all, fitting] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte < 0x80) continue;
    if (!within(byte, signs)) all += 1;
    if (within(byte, leads)) at += 1;
    if (within(byte, usual) && (text[at] ?? 0) >= trail) fitting += 1;
  }
  return fitting / Math.max(1, all);
}

/** Whether a text is valid, and its words of Latin letters hold none of another script, as in a set that does not fit. */
function isPure(text: string): boolean {
  if (text.includes("\ufffd")) return false;
  const foreign =
    text.match(/[\p{L}\p{M}]+/gu)?.filter((word) => /[^\p{Script=Latin}\p{M}]|[\uff00-\uffef]/u.test(word)) ??
    [];
  const mixed = foreign.filter((word) => /\p{Script=Latin}/u.test(word));
  return foreign.length === 0 || mixed.length * 2 < foreign.length;
}

/**
 * The names of an archive that does not say in which character set they are: UTF-8 where they are valid in it,
 * else a set in whose usual characters they are, else that of DOS. `guess`: the set, unless it is UTF-8.
 */
export async function decodedNames(
  names: readonly Uint8Array[],
): Promise<{ readonly texts: readonly string[]; readonly guess?: string }> {
  const plain = names.map((name) => (isUtf8(name) ? Buffer.from(name).toString("utf8") : undefined));
  const strange = Buffer.from(names.flatMap((name, at) => (plain[at] === undefined ? [...name, 10] : [])));
  if (strange.length === 0) return { texts: plain.map((name) => name ?? "") };
  const { default: iconv } = await import("iconv-lite");
  const read = (charset: string) =>
    names.map((name, at) => plain[at] ?? iconv.decode(Buffer.from(name), charset));
  const [best] = charsets
    .map((charset) => ({ name: charset.name, share: shareOf(strange, charset) }))
    .filter(({ name, share }) => share >= mostlyUsual && isPure(read(name).join("\n")))
    .toSorted((one, other) => other.share - one.share);
  const guess = best?.name ?? "cp437";
  return { texts: read(guess), guess };
}
