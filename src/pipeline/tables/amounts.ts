import { stem } from "../../language/terms.ts";

/** A cell that is one number. */
export interface NumberCell {
  readonly value: number;
  /** As it stands there. */
  readonly text: string;
  /** Digits behind the point. */
  readonly digits: number;
  readonly isPercent: boolean;
}

/** A whole cell: brackets or a sign for less than nothing, a currency, digits, and what is a share. */
const numberCell =
  /^(\()?\s?([-−])?\s?(?:[A-Z]{0,3}\p{Sc})?\s?([-−])?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,6}))?\s?(\))?\s?(%)?\s?(\))?$/u;
const dash = /^[-–—]$/;

/** The number that a cell is; undefined for any other cell, and where a point may part thousands. */
export function numberOf(cell: string): NumberCell | undefined {
  const text = cell.trim();
  if (dash.test(text)) return { value: 0, text, digits: 0, isPercent: false };
  const [, open, sign, signBehind, whole = "", fraction = "", close, percent, closeBehind] =
    numberCell.exec(text) ?? [];
  const isBracketed = open !== undefined;
  if (whole === "" || isBracketed !== (close !== undefined || closeBehind !== undefined)) return undefined;
  if (fraction.length === 3 && !whole.includes(",") && percent === undefined) return undefined;
  const amount = Number(`${whole.replaceAll(",", "")}.${fraction || 0}`);
  const isNegative = isBracketed || sign !== undefined || signBehind !== undefined;
  return {
    value: isNegative ? -amount : amount,
    text,
    digits: fraction.length,
    isPercent: percent !== undefined,
  };
}

/** A number in brackets, a number, or a dash for nothing; what has a `%` behind it is a change, no amount. */
const written =
  /\(\s?\p{Sc}?\s?\d[\d,]*(?:\.\d+)?\s?\)|\p{Sc}?\s?\d[\d,]*(?:\.\d+)?(\s?%)?|(?<![\p{L}\p{N}])[—–](?![\p{L}\p{N}])/gu;

/** The amounts of a text as they are written there, without those in percent. */
export const amountsIn = (text: string): readonly string[] =>
  [...text.matchAll(written)].flatMap(([amount, percent]) => (percent === undefined ? [amount.trim()] : []));

/** Whether an amount may be a note's number before the values of a row, as statements under IFRS have it. */
export const isNote = (amount: string): boolean => /^[1-5]?\d$|^60$/.test(amount) && amount !== "0";

/** Scales of amounts, by name. */
export const factors: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

/** How many of the one are one of the other; 1 where either is not known. */
export const scaleFactor = (from: string, to: string): number =>
  from === "" || to === "" ? 1 : (factors[from] ?? 1) / (factors[to] ?? 1);

/** Rows of numbers that are no amounts, which the scale of their table is not said of. */
const counts =
  /\b(?:number|headcount|employees?|shares?|stores?|units?|per|rates?|ratio|days|months|hours)\b/i;
/** Whether numbers under this label are no amounts. */
export const saysCount = (label: string): boolean => counts.test(label);

/** What a text says that amounts are in: thousand, million, billion or "". */
export const scaleIn = (text: string): string =>
  /(?:\bin |\(|\$ ?|^ ?)(thousand|million|billion)s?\b(?! of)/im.exec(text)?.[1]?.toLowerCase() ?? "";

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
    : numberOf(number);
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
