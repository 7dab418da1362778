import { stem } from "../../language/terms.ts";

/** A cell that is one number. */
export interface NumberCell {
  readonly value: number;
  /** Decimal places. */
  readonly digits: number;
  readonly isPercent: boolean;
}

/** A whole cell: parentheses or a sign for negatives, a currency, digits, a percent sign. */
const numberCell =
  /^(\()?\s?([-−])?\s?(?:[A-Z]{0,3}\p{Sc})?\s?([-−])?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,6}))?\s?(\))?\s?(%)?\s?(\))?$/u;
const dash = /^[-–—]$/;

/** The number in a cell; undefined for any other cell, or if a dot may be a thousands separator. */
export function numberOf(cell: string): NumberCell | undefined {
  const text = cell.trim();
  if (dash.test(text)) return { value: 0, digits: 0, isPercent: false };
  const [, open, sign, signBehind, whole = "", fraction = "", close, percent, closeBehind] =
    numberCell.exec(text) ?? [];
  const isBracketed = open !== undefined;
  if (whole === "" || isBracketed !== (close !== undefined || closeBehind !== undefined)) return undefined;
  if (fraction.length === 3 && !whole.includes(",") && percent === undefined) return undefined;
  const amount = Number(`${whole.replaceAll(",", "")}.${fraction || 0}`);
  const isNegative = isBracketed || sign !== undefined || signBehind !== undefined;
  return {
    value: isNegative ? -amount : amount,
    digits: fraction.length,
    isPercent: percent !== undefined,
  };
}

/**
 * A number in parentheses, a plain number, or a dash for zero; one followed by `%` is a change, not an
 * amount.
 */
const written =
  /\(\s?\p{Sc}?\s?\d[\d,]*(?:\.\d+)?\s?\)|\p{Sc}?\s?\d[\d,]*(?:\.\d+)?(\s?%)?|(?<![\p{L}\p{N}])[—–](?![\p{L}\p{N}])/gu;

/** Amounts in a text, as written, without percentages. */
export const amountsIn = (text: string): readonly string[] =>
  [...text.matchAll(written)].flatMap(([amount, percent]) => (percent === undefined ? [amount.trim()] : []));

/** Whether an amount may be the note number that IFRS statements put before the values of a row. */
export const isNoteNumber = (amount: string): boolean => /^[1-5]?\d$|^60$/.test(amount) && amount !== "0";

/** Scale factors by name. */
export const factors: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

/** How many of one scale equal one of the other; 1 if either is unknown. */
export const scaleFactor = (from: string, to: string): number =>
  from === "" || to === "" ? 1 : (factors[from] ?? 1) / (factors[to] ?? 1);

/** Labels of counts, to which the scale of their table does not apply. */
const counts =
  /\b(?:number|headcount|employees?|shares?|stores?|units?|per|rates?|ratio|days|months|hours)\b/i;
/** Whether the numbers under this label are counts rather than amounts. */
export const isCountLabel = (label: string): boolean => counts.test(label);

/** The scale a text gives for amounts: thousand, million, billion or "". */
export const scaleIn = (text: string): string =>
  /(?:\bin |\(|\$ ?|^ ?)(thousand|million|billion)s?\b(?! of)/im.exec(text)?.[1]?.toLowerCase() ?? "";

/** A cell with exactly one amount. */
export interface CellAmount {
  readonly value: number;
  /** Decimal places. */
  readonly digits: number;
  /** `%`, a currency or the word after the number; "" for none. */
  readonly unit: string;
}

/** Longest cell that may be an amount, in characters. */
const longest = 40;
/** A trailing remark on a number's uncertainty or rank. */
const behind = /\s?\([^()]*\)$/;
/** A negative number with the currency before its parenthesis. */
const negative = /^(\p{Sc})\s?\(([^()]*)\)$/u;
const marks = /[*†‡↑↓]/g;
const unitBehind = /^([^\p{L}]+?)\s?(\p{L}[\p{L}/²³°]{0,11})$/u;

/** The amount in a cell, without a trailing parenthesis: `57.4% (0.2%)`; undefined for any other cell. */
export function amountOf(cell: string): CellAmount | undefined {
  const whole = cell.replace(marks, "").trim().replace(negative, "($1$2)");
  if (whole.length === 0 || whole.length > longest || /^[-–—]$/.test(whole)) return undefined;
  const text = whole.replace(behind, "").trim() || whole;
  const [, number = text, word = ""] = unitBehind.exec(text) ?? [];
  // After a leading zero, a dot is a decimal point.
  const small = /^[-−]?0?\.\d{3}$/.exec(number.trim());
  const read = small
    ? { value: Number(number.trim().replace("−", "-")), digits: 3, isPercent: false }
    : numberOf(number);
  if (read === undefined) return undefined;
  const currency = /\p{Sc}/u.exec(number)?.[0] ?? "";
  const unit = read.isPercent ? "%" : `${currency}${word}`;
  return { value: read.value, digits: read.digits, unit };
}

/** The unit of an amount, normalised for comparison: `month` for `months`. */
export const unitOf = ({ unit }: CellAmount): string => stem(unit.toLowerCase());

/** Whether a cell begins with a number: `120.000`, `12 to 14`. */
export const hasNumber = (cell: string): boolean => /^[\p{Sc}\s(−-]{0,4}\d/u.test(cell);

/** A number with so many decimal places. */
export const withPlaces = (value: number, places: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });

/** A number in the notation of the amounts it was computed from. */
export function formatLike(value: number, { unit }: CellAmount, digits: number): string {
  const [, currency = "", word = ""] = /^(\p{Sc}?)(.*)$/u.exec(unit) ?? [];
  return `${value < 0 ? "-" : ""}${currency}${withPlaces(Math.abs(value), digits)}${word === "" || word === "%" ? word : ` ${word}`}`;
}
