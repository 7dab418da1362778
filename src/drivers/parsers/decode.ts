import { isAscii, isUtf8 } from "node:buffer";
import { wideCharset } from "../../core/bytes/wide-text.ts";
import { RagctlError } from "../../core/errors.ts";
import { countWarning } from "./blocks.ts";
import { charsetNamed, declaredCharset } from "./declared-charset.ts";
import { guessedCharset, inCharset } from "./guessed-charset.ts";

/** Text with the warnings its decoding gives rise to. */
export interface Decoded {
  readonly text: string;
  /** The character set that it was read as. */
  readonly charset: string;
  readonly warnings: readonly string[];
}

/** The lines of a text in bytes, each with the end of the line. */
function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  const end = bytes.includes(10) ? 10 : 13;
  for (let start = 0; start < bytes.length; ) {
    const at = bytes.indexOf(end, start);
    const next = at < 0 ? bytes.length : at + 1;
    yield bytes.subarray(start, next);
    start = next;
  }
}

/** A character in UTF-8, in bytes read as latin1. */
const sequence =
  /[\u00c2-\u00df][\u0080-\u00bf]|[\u00e0-\u00ef][\u0080-\u00bf]{2}|[\u00f0-\u00f4][\u0080-\u00bf]{3}/g;

/** Whether a line is UTF-8 but for a few bytes, as one that a program cut inside a character. */
function isMostlyUtf8(line: Uint8Array): boolean {
  const text = Buffer.from(line).toString("latin1");
  const stray = text.replace(sequence, "").match(/[\u0080-\u00ff]/g)?.length ?? 0;
  return (text.match(sequence)?.length ?? 0) > stray;
}

/** Sets with characters of several bytes, whose texts may be valid UTF-8 in a line by chance. */
const isOfManyBytes = (charset: string): boolean => /^(?:big5|gb|euc|shift|iso-2022|cp9)/i.test(charset);

/** How many lines of a text are UTF-8 beyond ASCII, those that are not UTF-8, and the number of the first. */
function linesByKind(bytes: Uint8Array) {
  const others: Uint8Array[] = [];
  let [valid, first, number] = [0, 0, 0];
  for (const line of linesOf(bytes)) {
    number += 1;
    if (isAscii(line)) continue;
    if (isUtf8(line)) valid += 1;
    else if (others.push(line) === 1) first = number;
  }
  return { valid, others, first };
}

/**
 * A text of which some lines are UTF-8 and others are not, as logs that several programs write; undefined
 * where it is in one set.
 */
async function mixed(bytes: Uint8Array, declared: string | undefined): Promise<Decoded | undefined> {
  const { valid, others, first } = linesByKind(bytes);
  if (valid === 0 || (declared !== undefined && valid < others.length)) return undefined;
  const strangers = others.filter((line) => !isMostlyUtf8(line));
  const charset =
    strangers.length === 0 ? "utf-8" : (declared ?? (await guessedCharset(Buffer.concat(strangers))));
  if (isOfManyBytes(charset) && valid < others.length) return undefined;
  const texts: string[] = [];
  for (const line of linesOf(bytes)) {
    const own = isUtf8(line) || isMostlyUtf8(line) ? "utf-8" : charset;
    texts.push((await inCharset(line, own)) ?? "");
  }
  const [which, were] =
    others.length === 1
      ? [`line ${first} is`, "it was"]
      : [`${others.length} lines, the first of them line ${first}, are`, "they were"];
  const as = charset === "utf-8" ? "without the bytes that are none" : `as ${charset} (a guess)`;
  return { text: texts.join(""), charset, warnings: [`${which} not UTF-8; ${were} read ${as}`] };
}

/** A text in UTF-8, or in a set of seven bits, which is ASCII that switches to other signs. */
async function ofAscii(bytes: Uint8Array, declared: string): Promise<Decoded> {
  const text = new TextDecoder().decode(bytes);
  const charset = /\u001b\$[@B]/.test(text) ? "iso-2022-jp" : declared;
  const isShifted = /utf-?7$|^iso-2022/i.test(charset) && isAscii(bytes);
  const shifted = isShifted ? await inCharset(bytes, charset) : undefined;
  return { text: shifted ?? text, charset: shifted === undefined ? "utf-8" : charset, warnings: [] };
}

/** A text in the set that it declares; undefined where that is unknown or plainly wrong. */
async function asDeclared(bytes: Uint8Array, charset: string): Promise<Decoded | undefined> {
  const text = await inCharset(bytes, charset);
  if (text === undefined || invalidIn(text) > text.length * mostInvalid) return undefined;
  return { text, charset, warnings: [`the text is not UTF-8; it was read as ${charset}`] };
}

/** A text in the set that a guess finds. */
async function asGuessed(bytes: Uint8Array): Promise<Decoded> {
  const charset = await guessedCharset(bytes);
  const text = (await inCharset(bytes, charset)) ?? "";
  return { text, charset, warnings: [`the text is not UTF-8; it was read as ${charset} (a guess)`] };
}

/** The bytes as text, by what the text says or a guess. */
async function readAs(bytes: Uint8Array, declared: string | undefined): Promise<Decoded> {
  const wide = wideCharset(bytes);
  if (wide !== undefined) return (await asDeclared(bytes, wide)) ?? (await asGuessed(bytes));
  const said = [declared, declaredCharset(bytes)].filter((name) => name !== undefined).map(charsetNamed);
  if (isUtf8(bytes)) return await ofAscii(bytes, said[0] ?? "");
  const other = said.find((name) => !/^(?:utf-?8|(?:us-)?ascii)$/i.test(name));
  const inPart = await mixed(bytes, other);
  if (inPart !== undefined) return inPart;
  const own = other === undefined ? undefined : await asDeclared(bytes, other);
  return own ?? (await asGuessed(bytes));
}

const invalidIn = (text: string): number => text.match(/\ufffd/g)?.length ?? 0;
/** Share of invalid characters up to which a text is what it declares. */
const mostInvalid = 0.02;

/** What programs write to colour, link and place text on a terminal, also as system logs write it. Source: ECMA-48. */
const terminalCodes =
  /(?:\u001b|#033)\[[0-?]{0,60}[ -/]{0,5}[@-~]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|\u001b[()*+][0-9A-Z]|\u001b[=>78cDEHM]/g;

/** A text as a terminal shows it: without such codes, and without what was written over. */
export const withoutTerminalCodes = (text: string): string =>
  text.replace(terminalCodes, "").replace(/[^\n]\u0008/g, "");

/**
 * Bytes as text: by byte order mark, then as UTF-8, line by line where most of it is, then by the declared
 * charset, here or in the text, then by a guess, which is reported as a warning. Codes for terminals and zeros
 * are left out. @throws SOURCE_DAMAGED
 */
export async function decode(bytes: Uint8Array, name: string, declared?: string): Promise<Decoded> {
  const { text: raw, charset, warnings } = await readAs(bytes, declared);
  const zeros = raw.match(/\0/g)?.length ?? 0;
  const text = withoutTerminalCodes(raw).replaceAll("\0", "");
  const strange = text.match(/[\u0001-\u0008\u000e-\u001f\ufffd]/g)?.length ?? 0;
  if (strange > Math.max(4, text.length * 0.05)) {
    throw new RagctlError(
      "SOURCE_DAMAGED",
      `${name} is not text: ${strange} of ${text.length} characters are invalid in ${charset}`,
      {
        hint: "convert the file to UTF-8 and ingest it again",
      },
    );
  }
  const left = countWarning(zeros, "zero byte", "left out of the text");
  return { text: text.replace(/\r\n?/g, "\n"), charset, warnings: [...warnings, ...left] };
}
