import { alternatives } from "./languages.ts";
import { type Quantity, quantitiesIn } from "./quantities.ts";
import { normalize, words } from "./terms.ts";
import { unitNamed } from "./units.ts";

/** What an amount counts: its canonical unit, or the root of the word behind it; "" for neither. */
export type Measure = string;

/** The values that a text marks off by an amount (`more than 40 EUR`). */
export interface Limit {
  readonly measure: Measure;
  /** Lowest and highest of them; a value that lies outside a strict comparison is moved by half a step. */
  readonly least: number;
  readonly most: number;
  /** Whether it says what there may be (`up to`, a range), and not when something else holds (`more than`). */
  readonly isBound: boolean;
  /** Where its words begin and end in the normalized text. */
  readonly from: number;
  readonly to: number;
}

/** An amount that is held against a limit. */
export interface Amount {
  readonly measure: Measure;
  readonly value: number;
  /** The root of the number and of the word behind it. */
  readonly roots: readonly string[];
}

/** Characters before and behind an amount among which its words of comparison stand. */
const reach = 60;

/** Between such a word and its amount: a currency, or what is measured. */
const between =
  "(?:\\s(?:an?|the|total|of|to|value|sum|about|is|are|von|einem|einer|wert|là|us\\$|[$€£¥]|eur|usd|gbp|chf)){0,3}[:\\s]{1,2}[$€£¥]?\\s?[-−–]?$";
/** Words before an amount, or the sign for them. */
const ahead = (forms: string, sign: string): RegExp =>
  new RegExp(`(?:(?<![\\p{L}])(?:${forms})${between}|(?<![<>=–−-])(?:${sign})\\s?$)`, "iu");
/** `maximum weight of a load: 500 kg`: what is measured stands between. */
const named = (forms: string): RegExp => new RegExp(`(?<![\\p{L}])(?:${forms})(?![\\p{L}])[^.;|\\d]*$`, "iu");
/** Behind an amount and its unit. */
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

/** A step of a value that no amount is smaller than: above 40 begins half of it behind 40. */
const stepOf = (value: number): number => 1e-6 * Math.max(1, Math.abs(value));

/** Whether the sign before an amount belongs to it, and makes no range or name. */
const isMinus = (text: string, { at }: Quantity): boolean =>
  /(?:^|[\s(|]|[–−-]\s?)[-−–]$/u.test(text.slice(Math.max(0, at - 4), at));

function signedValue(text: string, quantity: Quantity): number {
  const value = (quantity.readings[0] ?? Number.NaN) * quantity.scale;
  return isMinus(text, quantity) ? -value : value;
}

function measureOf(text: string, { at, text: written, unit }: Quantity): Measure {
  if (unit !== "") return unit;
  const [, word = ""] = /^[\s-](\p{L}{2,})/u.exec(text.slice(at + written.length, at + reach)) ?? [];
  return words(word)[0] ?? "";
}

/** The quantities of a normalized text, in order. */
const inOrder = (text: string): readonly Quantity[] =>
  quantitiesIn(text).toSorted((left, right) => left.at - right.at);

/** What an amount alone marks off, by the words before or behind it; undefined where nothing compares. */
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

/** The range that two amounts in a row mark off; undefined where they make none. */
function rangeOf(text: string, first: Quantity, last: Quantity | undefined): Limit | undefined {
  if (last === undefined || !span.test(text.slice(first.at + first.text.length, last.at))) return undefined;
  const [least, most] = [signedValue(text, first), signedValue(text, last)];
  const measure = measureOf(text, last);
  const isOne = first.unit === "" || first.unit === last.unit;
  const [from, to] = [first.at, last.at + last.text.length];
  return isOne && least < most ? { measure, least, most, isBound: true, from, to } : undefined;
}

/** What the amounts of a text mark off, in order; `text` is normalized. */
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

/** The amounts of a text, those that it compares with moved to where the comparison begins; `text` is normalized. */
export function amountsIn(text: string): readonly Amount[] {
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

/** Whether an amount is one of the values that a limit marks off. */
export const isWithin = ({ value }: Amount, { least, most }: Limit): boolean =>
  value >= least && value <= most;

/** A line that may mark off values, of a row of a table with the first row of that. */
export interface Line {
  readonly text: string;
  readonly header?: string;
}

/** The limits of a line on what a measure counts, which a header may name for all its rows. */
function limitsOn(measure: Measure, { text, header = "" }: Line): readonly Limit[] {
  const named = words(header).some((word) => word === measure || unitNamed(word) === measure);
  return limitsIn(normalize(text)).filter(
    (limit) => limit.measure === (limit.measure === "" && named ? "" : measure),
  );
}

/** Lines that an amount of a question lies in, and those that it lies outside of; all empty where lines do not tell it apart. */
export interface Bands<T extends Line> {
  readonly within: readonly T[];
  readonly outside: readonly T[];
  /** The roots of the amount. */
  readonly roots: readonly string[];
}

/** The amounts of a question that have a measure. */
export const amountsAsked = (question: string): readonly Amount[] =>
  amountsIn(normalize(question)).filter(({ measure }) => measure !== "");

/** The bands of lines that mark off values of one measure side by side (`under 5 years`, `5–10 years`). */
export function bandsOf<T extends Line>(amounts: readonly Amount[], lines: readonly T[]): Bands<T> {
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
