import { stem } from "../../language/terms.ts";
import { cellOf } from "../measures/year-tables.ts";

/** A cell that is one amount. */
export interface Amount {
  readonly value: number;
  /** Digits behind the point. */
  readonly digits: number;
  /** `%`, a currency or the word behind the number; "" for none. */
  readonly unit: string;
}

/** Longest cell that may be an amount, in characters. */
const longest = 40;
/** What says how sure a number is, or that it is the best of its column. */
const behind = /\s?\([^()]*\)$/;
/** Less than nothing, with its currency before the bracket. */
const negative = /^(\p{Sc})\s?\(([^()]*)\)$/u;
const marks = /[*†‡↑↓]/g;
const unitBehind = /^([^\p{L}]+?)\s?(\p{L}[\p{L}/²³°]{0,11})$/u;

/** The amount that a cell is, a bracket behind it left out: `57.4% (0.2%)`; undefined for any other cell. */
export function amountOf(cell: string): Amount | undefined {
  const whole = cell.replace(marks, "").trim().replace(negative, "($1$2)");
  if (whole.length === 0 || whole.length > longest || /^[-–—]$/.test(whole)) return undefined;
  const text = whole.replace(behind, "").trim() || whole;
  const [, number = text, word = ""] = unitBehind.exec(text) ?? [];
  // Nobody writes thousands behind a nought.
  const small = /^[-−]?0?\.\d{3}$/.exec(number.trim());
  const read = small
    ? { value: Number(number.trim().replace("−", "-")), digits: 3, isPercent: false }
    : cellOf(number);
  if (read === undefined) return undefined;
  const currency = /\p{Sc}/u.exec(number)?.[0] ?? "";
  const unit = read.isPercent ? "%" : `${currency}${word}`;
  return { value: read.value, digits: read.digits, unit };
}

/** The unit of an amount as units are compared: `month` for `months`. */
export const unitOf = ({ unit }: Amount): string => stem(unit.toLowerCase());

/** Whether a cell has a number first, whatever follows: `120.000`, `12 to 14`. */
export const hasNumber = (cell: string): boolean => /^[\p{Sc}\s(−-]{0,4}\d/u.test(cell);

/** A number as the amounts that it comes from are written. */
export function writtenLike(value: number, { unit }: Amount, digits: number): string {
  const number = Math.abs(value).toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const [, currency = "", word = ""] = /^(\p{Sc}?)(.*)$/u.exec(unit) ?? [];
  return `${value < 0 ? "-" : ""}${currency}${number}${word === "" || word === "%" ? word : ` ${word}`}`;
}
