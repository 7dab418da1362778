import { scaleFactor } from "../tables/amounts.ts";
import type { MeasureBook } from "./entries.ts";
import type { Line, ReadLine } from "./statements.ts";

/** What a measure is computed with. */
export interface MeasureDrivers {
  readonly book: MeasureBook;
  /** The lines of the document's statements. */
  readonly read: ReadLine;
  /** The value of a sum of numbers; null where it has none, as a division by nothing. */
  readonly calculate: (sum: string) => number | null;
}

/** A formula computed for one year. */
export interface Computed {
  readonly year: number;
  readonly value: number;
  /** The formula with the numbers in place of the lines. */
  readonly sum: string;
  /** Lines read, each once, in the order of the formula. */
  readonly lines: readonly Line[];
  /** What amounts are in. */
  readonly scale: string;
}

const call = /\b(avg|change|prior)\(([^()]*)\)/g;
const lineName = /[a-z_]{2,}/g;

/**
 * Computes a formula for a year from the lines of statements; null where one of them is not there, or where it
 * has no value, as a division by nothing. Amounts are in what the first line is in.
 */
export function compute(
  formula: string,
  year: number,
  { read, book, calculate }: MeasureDrivers,
): Computed | null {
  const lines: Line[] = [];
  let isMissing = false;
  const lineOf = (item: string, of: number): string => {
    const line = read(item, of);
    const otherwise = book.items.get(item)?.otherwise;
    if (line === undefined) {
      isMissing ||= otherwise === undefined;
      return otherwise === undefined || isMissing ? "0" : `(${expand(otherwise, of)})`;
    }
    const values = [line, ...(line.beside ?? [])].map((each) => {
      if (!lines.some(({ row }) => row === each.row)) lines.push(each);
      const value = each.value * scaleFactor(each.scale, lines[0]?.scale ?? "");
      return value < 0 ? `(${value})` : String(value);
    });
    return values.length > 1 ? `(${values.join(" + ")})` : values.join("");
  };
  const expand = (text: string, of: number): string =>
    text
      .replace(call, (_, function_: string, inner: string) => {
        const [now, before] = [grouped(expand(inner, of)), grouped(expand(inner, of - 1))];
        if (function_ === "prior") return before;
        return function_ === "avg" ? `((${now} + ${before}) / 2)` : `(${now} - ${before})`;
      })
      .replace(lineName, (item) => lineOf(item, of));
  const sum = expand(formula, year);
  if (isMissing || lines.length === 0) return null;
  const value = calculate(sum);
  return value === null ? null : { year, value, sum, lines, scale: lines[0]?.scale ?? "" };
}

/** A formula, or a sum of its numbers, as a part of another one. */
export const grouped = (part: string): string => (/^(?:\w+|\(?-?[\d.]+\)?)$/.test(part) ? part : `(${part})`);
