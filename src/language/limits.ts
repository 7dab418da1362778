import { alternatives } from "./languages.ts";
import { type Quantity, quantitiesIn } from "./quantities.ts";
import { normalize, words } from "./terms.ts";
import { canonicalUnit } from "./units.ts";

/** What an amount measures: its canonical unit, or the root of the word after it; "" for neither. */
export type LimitMeasure = string;

/** The range of values that a limit allows (`more than 40 EUR`). */
export interface Limit {
  readonly measure: LimitMeasure;
  /** Lowest and highest value; for a strict comparison moved by half a step. */
  readonly least: number;
  readonly most: number;
  /** Whether it limits what is possible (`up to`, a range) rather than stating a condition (`more than`). */
  readonly isBound: boolean;
  /** Position of its words in the normalised text. */
  readonly from: number;
  readonly to: number;
}

/** An amount to compare with a limit. */
export interface LimitAmount {
  readonly measure: LimitMeasure;
  readonly value: number;
  /** The root of the number and of the word after it. */
  readonly roots: readonly string[];
}

/** Characters before and after an amount that may have its comparison words. */
const reach = 60;

/** Between such a word and its amount: a currency, or the measured thing. */
const between =
  "(?:\\s(?:an?|the|total|of|to|value|sum|about|is|are|von|einem|einer|wert|là|us\\$|[$€£¥]|eur|usd|gbp|chf)){0,3}[:\\s]{1,2}[$€£¥]?\\s?[-−–]?$";
/** Words before an amount, or the sign for them. */
const ahead = (forms: string, sign: string): RegExp =>
  new RegExp(`(?:(?<![\\p{L}])(?:${forms})${between}|(?<![<>=–−-])(?:${sign})\\s?$)`, "iu");
/** `maximum weight of a load: 500 kg`, with the measured thing in between. */
const named = (forms: string): RegExp => new RegExp(`(?<![\\p{L}])(?:${forms})(?![\\p{L}])[^.;\\d]*$`, "iu");
/** After an amount and its unit. */
const behind = (forms: string): RegExp =>
  new RegExp(`^(?:[\\s-]?[\\p{L}%°€²/$£]{1,20}){0,2}[\\s,]{1,2}(?:${forms})(?![\\p{L}])`, "iu");

const comparisons = {
  noMore: ahead(
    alternatives(({ limits }) => limits?.upTo),
    "≤|<=",
  ),
  noLess: ahead(
    alternatives(({ limits }) => limits?.from),
    "≥|>=",
  ),
  above: ahead(
    alternatives(({ limits }) => limits?.above),
    ">",
  ),
  below: ahead(
    alternatives(({ limits }) => limits?.below),
    "<",
  ),
  maximum: named(alternatives(({ limits }) => limits?.maximum)),
  minimum: named(alternatives(({ limits }) => limits?.minimum)),
  orMore: behind(alternatives(({ limits }) => limits?.orMore)),
  orLess: behind(alternatives(({ limits }) => limits?.orLess)),
} as const;

const until = alternatives((language) => language.until);
/** Between the amounts of a range; the first may have a unit as well. */
const span = new RegExp(`^\\s?(?:[\\p{L}%°€²]{1,12}\\s)?(?:[–−-]|${until})\\s?[$€£]?[-−–]?$`, "iu");

/** Smaller than any difference of amounts: above 40 begins half a step after 40. */
const stepOf = (value: number): number => 1e-6 * Math.max(1, Math.abs(value));

/** Whether the sign before an amount is a minus rather than part of a range or name. */
const isMinus = (text: string, { at }: Quantity): boolean =>
  /(?:^|[\s(]|[–−-]\s?)[-−–]$/u.test(text.slice(Math.max(0, at - 4), at));

function signedValue(text: string, quantity: Quantity): number {
  const value = (quantity.readings[0] ?? Number.NaN) * quantity.scale;
  return isMinus(text, quantity) ? -value : value;
}

function measureOf(text: string, { at, text: written, unit }: Quantity): LimitMeasure {
  if (unit !== "") return unit;
  const [, word = ""] = /^[\s-](\p{L}{2,})/u.exec(text.slice(at + written.length, at + reach)) ?? [];
  return words(word)[0] ?? "";
}

/** The quantities of a normalized text, in order. */
const inOrder = (text: string): readonly Quantity[] =>
  quantitiesIn(text).toSorted((left, right) => left.at - right.at);

/** The limit of a single amount, by the words before or after it; undefined if there is no comparison. */
function limitOf(text: string, quantity: Quantity): Limit | undefined {
  const { at, text: written } = quantity;
  const before = text.slice(Math.max(0, at - reach), at);
  const after = text.slice(at + written.length, at + written.length + reach);
  const value = signedValue(text, quantity);
  const half = stepOf(value) / 2;
  const found = (Object.keys(comparisons) as (keyof typeof comparisons)[]).flatMap((key) => {
    const match = comparisons[key].exec(key === "orMore" || key === "orLess" ? after : before);
    return match === null ? [] : [{ key, match }];
  })[0];
  if (found === undefined) return undefined;
  const { key, match } = found;
  const isBehind = key === "orMore" || key === "orLess";
  const from = isBehind ? at : at - (before.length - match.index);
  const to = at + written.length + (isBehind ? match[0].length : 0);
  const base = { measure: measureOf(text, quantity), from, to };
  if (key === "above") return { ...base, least: value + half, most: Infinity, isBound: false };
  if (key === "below") return { ...base, least: -Infinity, most: value - half, isBound: false };
  return key === "noMore" || key === "maximum" || key === "orLess"
    ? { ...base, least: -Infinity, most: value, isBound: key !== "orLess" }
    : { ...base, least: value, most: Infinity, isBound: key !== "orMore" };
}

/** The range of two consecutive amounts; undefined if they form none. */
function rangeOf(text: string, first: Quantity, last: Quantity | undefined): Limit | undefined {
  if (last === undefined || !span.test(text.slice(first.at + first.text.length, last.at))) return undefined;
  const [least, most] = [signedValue(text, first), signedValue(text, last)];
  const measure = measureOf(text, last);
  const isOne = first.unit === "" || first.unit === last.unit;
  const [from, to] = [first.at, last.at + last.text.length];
  return isOne && least < most ? { measure, least, most, isBound: true, from, to } : undefined;
}

/** The limits in a text, in order; `text` is normalised. */
export function limitsIn(text: string): readonly Limit[] {
  const all = inOrder(text);
  const limits: Limit[] = [];
  for (let at = 0; at < all.length; at++) {
    const quantity = all[at];
    if (quantity === undefined) continue;
    const range = rangeOf(text, quantity, all[at + 1]);
    if (range !== undefined) at++;
    const limit = range ?? limitOf(text, quantity);
    if (limit !== undefined) limits.push(limit);
  }
  return limits;
}

/**
 * The amounts of a text; one in a comparison is moved to where the comparison begins. `text` is normalised.
 */
export function amountsIn(text: string): readonly LimitAmount[] {
  return inOrder(text).map((quantity) => {
    const limit = limitOf(text, quantity);
    const value = signedValue(text, quantity);
    const isAbove = limit !== undefined && !limit.isBound && limit.least > value;
    const isBelow = limit !== undefined && !limit.isBound && limit.most < value;
    const [, word = ""] =
      /^[\s-]?(\p{L}+)/u.exec(text.slice(quantity.at + quantity.text.length).slice(0, reach)) ?? [];
    return {
      measure: measureOf(text, quantity),
      value: isAbove ? value + stepOf(value) : isBelow ? value - stepOf(value) : value,
      roots: words(`${quantity.text} ${word}`),
    };
  });
}

/** Whether an amount is within a limit. */
export const isWithin = ({ value }: LimitAmount, { least, most }: Limit): boolean =>
  value >= least && value <= most;

/** A line that may state a limit; for a table row, with the first row of its table. */
export interface LimitLine {
  readonly text: string;
  readonly header?: string;
}

/** The limits of a line for a measure, which a table's header may name for all rows. */
function limitsOn(measure: LimitMeasure, { text, header = "" }: LimitLine): readonly Limit[] {
  const named = words(header).some((word) => word === measure || canonicalUnit(word) === measure);
  return limitsIn(normalize(text)).filter(
    (limit) => limit.measure === (limit.measure === "" && named ? "" : measure),
  );
}

/**
 * Lines whose limits include an amount of the question, and lines whose limits exclude it; both empty if the
 * lines do not distinguish it.
 */
export interface Bands<T extends LimitLine> {
  readonly within: readonly T[];
  readonly outside: readonly T[];
  /** The roots of the amount. */
  readonly roots: readonly string[];
}

/** The amounts of a question that have a measure. */
export const amountsInQuestion = (question: string): readonly LimitAmount[] =>
  amountsIn(normalize(question)).filter(({ measure }) => measure !== "");

/** The lines with adjacent limits on one measure (`under 5 years`, `5–10 years`). */
export function rangeTableLines<T extends LimitLine>(
  amounts: readonly LimitAmount[],
  lines: readonly T[],
): Bands<T> {
  for (const amount of amounts) {
    const bands = lines
      .map((line) => ({ line, limits: limitsOn(amount.measure, line) }))
      .filter(({ limits }) => limits.length > 0);
    const [within, outside] = [true, false].map((isIn) =>
      bands
        .filter(({ limits }) => limits.some((limit) => isWithin(amount, limit)) === isIn)
        .map(({ line }) => line),
    );
    if (within?.length && outside?.length) return { within, outside, roots: amount.roots };
  }
  return { within: [], outside: [], roots: [] };
}
