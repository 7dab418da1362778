import { blanked, type Period, periodsIn, periodText } from "../../language/time/periods.ts";
import { endMonth, lengthWords, monthPattern, monthsOf } from "../tables/periods.ts";
import { calledBy } from "./calendar.ts";
import type { MeasureBook } from "./entries.ts";
import { mentionsFiscalYear } from "./fiscal-years.ts";
import { type AskedPart, type MeasureRequest, yearsAsked } from "./request.ts";

/** A part, and where the question names it. */
interface Found extends Pick<Period, "at" | "text"> {
  readonly part: AskedPart;
}

const fourDigits = "((?:19|20)\\d\\d)\\b";

/** Ways to name a part of a year by its length, or the newest one. */
const forms: readonly (readonly [RegExp, (groups: readonly (string | undefined)[]) => AskedPart | null])[] = [
  [
    new RegExp(
      `\\b(${lengthWords}) (?:period )?end(?:ed|ing) (?:on )?${monthPattern},? (?:of )?${fourDigits}`,
      "gi",
    ),
    ([length = "", month = "", day, year]) => {
      const months = monthsOf(length);
      const end = endMonth(month, day === undefined ? undefined : Number(day), Number(year));
      return end === undefined || months === 12 ? null : { kind: "ended", months, end };
    },
  ],
  [
    new RegExp(
      `\\bfirst (six|nine|6|9) months of (?:the )?(fiscal |financial |fy ?)?(?:year )?${fourDigits}`,
      "gi",
    ),
    ([count = "", fiscal, year]) => {
      const months = /^(?:six|6)$/i.test(count) ? 6 : 9;
      const isFiscal = fiscal !== undefined;
      return { kind: "quarter", quarter: months / 3, year: Number(year), isFiscal, months };
    },
  ],
  [
    /\b(?:latest|most recent|newest)\s+(?:(?:available|fiscal|reported|financial)\s+)?(?:quarter(?:ly)?|10-?q)\b/gi,
    () => ({ kind: "latest" }),
  ],
];

const foundIn = (text: string): readonly Found[] =>
  forms.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const [whole, ...groups] = match;
      const part = read(groups);
      return part === null ? [] : [{ part, at: match.index, text: whole }];
    }),
  );

/** A quarter or a year; undefined for other periods. */
function ofPeriod(period: Period): AskedPart | undefined {
  const [year] = period.years;
  const isYear = period.part === null || period.part === "year";
  if (year !== undefined && isYear) return { kind: "year", year };
  const [called] = calledBy(period);
  return called && { kind: "quarter", ...called, isFiscal: mentionsFiscalYear(period.text), months: 3 };
}

/** The parts of years in a question, and the question without them; null if it names other periods too. */
function partsOf(question: string): { readonly parts: readonly AskedPart[]; readonly rest: string } | null {
  const own = foundIn(question);
  const other = blanked(question, own);
  const periods = periodsIn(other).filter(({ part, years }) => part !== "quarter" || years.length > 0);
  const named = periods.map((period) => ({ period, part: ofPeriod(period) }));
  if (periodText(other).length !== other.length || named.some(({ part }) => part === undefined)) return null;
  const found = named.flatMap(({ period: { at, text }, part }) =>
    part === undefined ? [] : [{ part, at, text }],
  );
  const all = [...own, ...found].toSorted((left, right) => left.at - right.at);
  return { parts: all.map(({ part }) => part), rest: blanked(other, found) };
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
function partsAsked(question: string, book: MeasureBook): MeasureRequest | null {
  const said = question.replace(/\s+/g, " ").trim();
  const found = partsOf(said);
  if (found === null || !canBeAsked(found.parts)) return null;
  const plain = found.rest
    .replace(reportNames, " ")
    .replace(/ & /g, " and ")
    .replace(leading, "$1 what is ")
    .replace(/\s+/g, " ")
    .trim();
  const asked = yearsAsked(plain, book);
  if (asked === null || asked.years.length > 0 || asked.form === "mean" || asked.form === "growth")
    return null;
  // A comparison needs two quarters; with one, it is unclear what to compare it with.
  const isCompared = asked.form === "comparison" || asked.claim === "up" || asked.claim === "down";
  if (isCompared && found.parts.length < 2) return null;
  if (asked.measure.unit === "amount" && shareWords.test(plain)) return null;
  const isCost = book.items.get(asked.measure.of)?.positive === true;
  const rest = asked.rest.filter((word) => !reportWords.has(word) && !(isCost && costWords.has(word)));
  return { ...asked, rest, parts: found.parts };
}

/**
 * What a question asks of a company's statements, for parts of years or for whole years; null if it names no
 * measure, several that are not divided, or a period that is neither.
 */
export const parseMeasureQuestion = (question: string, book: MeasureBook): MeasureRequest | null =>
  partsAsked(question, book) ?? yearsAsked(question, book);
