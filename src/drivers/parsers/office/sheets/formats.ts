import type { CellObject } from "xlsx";

/** The format that follows the reader's locale, in the order that cannot be misread. */
export const localDate = "yyyy-mm-dd";

/** The part of the library's formatter that is used. */
interface Formatter {
  format(format: string, value: number, options: object): string;
  is_date(format: string): boolean;
}

/**
 * Pieces of a number format: quoted, escaped or bracketed text, markers of dates and of halves of a day, runs
 * of one letter, single signs.
 */
const piece = /"[^"]*"?|[\\_*][\s\S]|\[[^\]]*\]?|AM\/PM|A\/P|上午\/下午|General|([A-Za-z])\1*|[\s\S]/giu;
/** Parts of a date by their letter, each written as often as the library takes it. */
const longest: Readonly<Record<string, number>> = { d: 4, m: 5, y: 4, h: 2, s: 2, e: 4, b: 4 };

/** A piece of a date's format as the library reads it; undefined where it is no part of Excel's grammar. */
function datePart(part: string, after: string): string | undefined {
  const letter = part.charAt(0).toLowerCase();
  if (/^(?:["\\_*[]|AM\/PM$|A\/P$|上午\/下午$)/i.test(part)) return part;
  // The weekday and the era as Chinese and Japanese files write them.
  if (letter === "a" && part.length >= 3) return part.length === 3 ? "ddd" : "dddd";
  if (letter === "g") return "";
  if (/^[a-z]/.test(letter))
    return longest[letter] === undefined ? undefined : part.slice(0, longest[letter]);
  // Fractions of a second begin with a full stop; any other one is text, which the library would take for
  // one.
  if (part === ".") return after.startsWith("0") ? part : "\\.";
  return /^[\d\s,$\-+/():;]$/.test(part) ? part : `\\${part}`;
}

/** A date's format as the library reads it; undefined where it can't. */
function dateFormat(format: string): string | undefined {
  let text = "";
  for (const match of format.replace(/\.0{4,}/g, ".000").matchAll(piece)) {
    const part = datePart(match[0], format.slice(match.index + match[0].length));
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

/** A date's serial number in the order that cannot be misread, without a time that is midnight. */
function isoDate(ssf: Formatter, value: number, options: object): string {
  const text = ssf.format(value < 1 ? "hh:mm:ss" : "yyyy-mm-dd hh:mm:ss", value, options);
  return text.replace(/ 00:00:00$/, "") || String(value);
}

/**
 * A shown number with all digits that were written: spreadsheets display at most eleven characters. A value
 * that is not a decimal of 15 digits was computed and remains as shown.
 */
function withDigits(value: number, shown: string): string {
  const written = String(Math.abs(value));
  const isWritten = Number.isInteger(value) || Number(value.toPrecision(15)) === value;
  if (!isWritten || written.includes("e")) return shown;
  return shown.replace(/\d+(?:\.\d+)?(?:E[+-]?\d+)?/gi, (number) =>
    Math.abs(Number(number) / Math.abs(value) - 1) < 1e-4 ? written : number,
  );
}

const scientific = /^-?\d(?:\.\d+)?E\+\d+$/i;

/** Returns a function that formats cells as a spreadsheet of this calendar displays them. */
export function createCellFormatter(ssf: Formatter, date1904: boolean): (cell: CellObject) => string {
  const options = { date1904, dateNF: localDate };
  const dates = new Map<string, string | undefined>();
  const dateText = (value: number, format: string, shown: string): string => {
    if (!dates.has(format)) dates.set(format, dateFormat(format));
    const readable = dates.get(format);
    if (readable === format && shown !== "") return shown;
    try {
      const text = readable === undefined ? "" : ssf.format(readable, value, options);
      return text || isoDate(ssf, value, options);
    } catch {
      return isoDate(ssf, value, options);
    }
  };
  return ({ v: value, z: format, w: shown }) => {
    const text = shown ?? String(value ?? "");
    if (typeof value !== "number") return text;
    // OpenDocument gives the displayed text, as the writing program formatted it, but no format.
    if (typeof format !== "string") return scientific.test(text) ? withDigits(value, text) : text;
    if (ssf.is_date(format)) return dateText(value, format, shown ?? "");
    return /general/i.test(format) ? withDigits(value, text) : text;
  };
}
