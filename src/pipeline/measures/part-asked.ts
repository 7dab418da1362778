import { asksForLatest, type Period, periodsIn, periodText } from "../../language/time/periods.ts";
import { endMonth, lengthsIn, monthPattern } from "../tables/periods.ts";
import type { MeasureBook } from "./entries.ts";
import { type MeasureRequest, measureAsked } from "./request.ts";

/** A part of a year, or a day, as a question names it. */
export type AskedPart =
  /** `Q3 2023`; for `the first nine months of 2023`, the quarter they end with and their number. */
  | {
      readonly kind: "quarter";
      readonly quarter: number;
      readonly year: number;
      readonly isFiscal: boolean;
      readonly months: number;
    }
  /** The latest quarter of the latest report. */
  | { readonly kind: "latest" }
  /** `the nine months ended July 1, 2023`. */
  | { readonly kind: "ended"; readonly months: number; readonly end: number }
  /** A whole year compared with a quarter: the day it ends on. */
  | { readonly kind: "year"; readonly year: number };

/** A question about a measure for one part of a year, or for two that it compares. */
export interface PartRequest {
  readonly asked: MeasureRequest;
  readonly parts: readonly AskedPart[];
}

/** A part, and its position in the question, in characters. */
interface Found {
  readonly part: AskedPart;
  readonly from: number;
  readonly to: number;
}

const ended = new RegExp(
  `^ (?:period )?end(?:ed|ing) (?:on )?${monthPattern},? (?:of )?((?:19|20)\\d\\d)\\b`,
  "i",
);
/** Longest date after a length, in characters. */
const longestDate = 48;

/** Lengths of less than a year with their end date: `three months ended July 1, 2023`. */
function endedIn(text: string): readonly Found[] {
  return lengthsIn(text).flatMap(({ months, at, text: length }): readonly Found[] => {
    const behind = at + length.length;
    const [whole, name = "", day, ofYear] = ended.exec(text.slice(behind, behind + longestDate)) ?? [];
    if (whole === undefined) return [];
    const end = endMonth(name, day === undefined ? undefined : Number(day), Number(ofYear));
    if (end === undefined || months === 12) return [];
    return [{ part: { kind: "ended", months, end }, from: at, to: behind + whole.length }];
  });
}

const firstMonths =
  /\bfirst (six|nine|6|9) months of (?:the )?(fiscal |financial |fy ?)?(?:year )?((?:19|20)\d\d)\b/gi;

const firstMonthsIn = (text: string): readonly Found[] =>
  [...text.matchAll(firstMonths)].map((match) => {
    const [whole, count = "", fiscal, ofYear] = match;
    const months = /^(?:six|6)$/i.test(count) ? 6 : 9;
    const part = { quarter: months / 3, year: Number(ofYear), isFiscal: fiscal !== undefined, months };
    return { part: { kind: "quarter", ...part }, from: match.index, to: match.index + whole.length };
  });

/** A quarter or report described as the latest one. */
const latest =
  /\b(?:latest|most recent|newest)\s+(?:(?:available|fiscal|reported|financial)\s+)?(?:quarter(?:ly)?|10-?q)\b/gi;

const latestIn = (text: string): readonly Found[] =>
  [...text.matchAll(latest)]
    .filter(([whole]) => asksForLatest(whole))
    .map((match) => ({
      part: { kind: "latest" },
      from: match.index,
      to: match.index + match[0].length,
    }));

const saysFiscal = (text: string): boolean => /\b(?:fiscal|financial|fy)/i.test(text);

/** A quarter or a year; undefined for other periods. */
function ofPeriod({ part, years, text }: Period): AskedPart | undefined {
  const [year] = years;
  if (year === undefined) return undefined;
  if (part === null || part === "year") return { kind: "year", year };
  if (!/^q[1-4]$/.test(part)) return undefined;
  return { kind: "quarter", quarter: Number(part.slice(1)), year, isFiscal: saysFiscal(text), months: 3 };
}

/** A text with these ranges replaced by spaces. */
function without(text: string, places: readonly Pick<Found, "from" | "to">[]): string {
  const shown = [...text];
  for (const { from, to } of places) shown.fill(" ", from, to);
  return shown.join("");
}

/** The parts of years in a question, and the question without them; null if it names other periods too. */
function partsOf(question: string): { readonly parts: readonly AskedPart[]; readonly rest: string } | null {
  const own = [...endedIn(question), ...firstMonthsIn(question), ...latestIn(question)];
  const other = without(question, own);
  const periods = periodsIn(other).filter(({ part, years }) => part !== "quarter" || years.length > 0);
  const named = periods.map((period) => ({ period, part: ofPeriod(period) }));
  if (periodText(other).length !== other.length || named.some(({ part }) => part === undefined)) return null;
  const found = named.flatMap(({ period: { at, text }, part }) =>
    part === undefined ? [] : [{ part, from: at, to: at + text.length }],
  );
  const all = [...own, ...found].toSorted((left, right) => left.from - right.from);
  return { parts: all.map(({ part }) => part), rest: without(other, found) };
}

/**
 * Whether this combination is supported: one part, or two to compare; a year only together with a quarter.
 */
function canBeAsked(parts: readonly AskedPart[]): boolean {
  const [first, second] = parts;
  if (first === undefined || parts.length > 2) return false;
  if (second === undefined) return first.kind !== "year";
  const kinds = new Set([first.kind, second.kind]);
  return kinds.size === 1
    ? !kinds.has("year") && !kinds.has("latest")
    : kinds.has("year") && kinds.has("quarter");
}

/** Words for the report itself, which do not identify the company. */
const reportNames =
  /\b(?:form )?10-?q\b|\bquarterly (?:earnings )?(?:report|filing|results|release)s?\b|\bearnings release\b/gi;
const reportWords = new Set(
  "report reports filing filings stated disclosed revealed shown given per figure figures result results latest recent most".split(
    " ",
  ),
);
/** Words for costs and payments. */
const costWords = new Set("invest invested allocate allocated expenditure expenditures spending".split(" "));
/** Words that ask for a ratio where the measure is an amount. */
const shareWords = /%|\b(?:rates?|ratios?|percent|percentage|shares?|proportion|margins?)\b/i;
/** A question with its object before the verb: `What effective tax rate did Intel report`. */
const leading = /^(?:(.{0,80}?,)\s+)?(?:what|which)\s+(?!is\b|are\b|was\b|were\b|did\b|does\b|do\b|has\b)/i;

/**
 * What a question asks of a report's statements for parts of years: quarters, months up to a day, or the days
 * they end on. Null for any other question, including one about whole years only.
 */
export function partAsked(question: string, book: MeasureBook): PartRequest | null {
  const said = question.replace(/\s+/g, " ").trim();
  const found = partsOf(said);
  if (found === null || !canBeAsked(found.parts)) return null;
  const plain = found.rest
    .replace(reportNames, " ")
    .replace(/ & /g, " and ")
    .replace(leading, "$1 what is ")
    .replace(/\s+/g, " ")
    .trim();
  const asked = measureAsked(plain, book);
  if (asked === null || asked.years.length > 0 || asked.form === "mean" || asked.form === "growth")
    return null;
  // A comparison needs two quarters; with one, it is unclear what to compare it with.
  const isCompared = asked.form === "comparison" || asked.claim === "up" || asked.claim === "down";
  if (isCompared && found.parts.length < 2) return null;
  if (asked.measure.unit === "amount" && shareWords.test(plain)) return null;
  const isCost = book.items.get(asked.measure.of)?.positive === true;
  const rest = asked.rest.filter((word) => !reportWords.has(word) && !(isCost && costWords.has(word)));
  return { asked: { ...asked, rest }, parts: found.parts };
}
