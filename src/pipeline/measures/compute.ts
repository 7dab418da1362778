import { scaleFactor } from "../tables/amounts.ts";
import type { MeasureBook } from "./entries.ts";
import type { ReadLine, StatementLine } from "./statements.ts";

/** Dependencies for computing a measure. */
export interface MeasureDrivers {
  readonly book: MeasureBook;
  /** Reads lines of the document's statements. */
  readonly read: ReadLine;
  /** Value of an arithmetic expression; null if it has none, for example a division by zero. */
  readonly calculate: (sum: string) => number | null;
}

/** A formula computed for one year. */
export interface ComputedMeasure {
  readonly year: number;
  readonly value: number;
  /** The formula with numbers in place of lines. */
  readonly sum: string;
  /** Lines read, without duplicates, in the order of the formula. */
  readonly lines: readonly StatementLine[];
  readonly scale: string;
}

const call = /\b(avg|change|prior)\(([^()]*)\)/g;
const lineName = /[a-z_]{2,}/g;

/**
 * Computes a formula for a year from statement lines; null if a line is missing or the result is undefined,
 * for example a division by zero. Amounts are in the scale of the first line.
 */
export function compute(
  formula: string,
  year: number,
  { read, book, calculate }: MeasureDrivers,
): ComputedMeasure | null {
  const lines: StatementLine[] = [];
  let isMissing = false;
  const lineOf = (item: string, of: number): string => {
    const line = read(item, of);
    const otherwise = book.items.get(item)?.else;
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
        const [now, before] = [parenthesize(expand(inner, of)), parenthesize(expand(inner, of - 1))];
        if (function_ === "prior") return before;
        return function_ === "avg" ? `((${now} + ${before}) / 2)` : `(${now} - ${before})`;
      })
      .replace(lineName, (item) => lineOf(item, of));
  const sum = expand(formula, year);
  if (isMissing || lines.length === 0) return null;
  const value = calculate(sum);
  return value === null ? null : { year, value, sum, lines, scale: lines[0]?.scale ?? "" };
}

/** Parenthesises a formula, or an expression of numbers, for use inside another one. */
export const parenthesize = (part: string): string =>
  /^(?:\w+|\(?-?[\d.]+\)?)$/.test(part) ? part : `(${part})`;
