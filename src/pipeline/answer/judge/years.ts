import { alternatives } from "../../../language/languages.ts";
import { contentTerms } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { sourceOf } from "./relevance.ts";
import type { Witness } from "./witness.ts";

/** A year as it is written; earlier ones than 1900 are told from other numbers by a word before them. */
const yearWritten = /(?<![\p{N}.,])(?:1\d|20)\d\d(?![\p{N}]|[.,]\p{N})/gu;
const earlyYear = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ datedBy }) => datedBy)})\\s(1\\d{3})(?![\\p{N}]|[.,]\\p{N}|\\s?\\p{L}{1,3}(?![\\p{L}]))`,
  "giu",
);
/** `1995 to 2000`, `2015–16`, `from 1991 until 1999`. */
const spanWritten = new RegExp(
  `(?<!\\p{N})((?:1\\d|20)\\d\\d)\\s{0,2}(?:[-–/]|${alternatives(({ until }) => until)})\\s{0,2}((?:1\\d|20)\\d\\d|\\d\\d)(?!\\p{N})`,
  "giu",
);
const decade = /(?<!\p{N})((?:1\d|20)\d)0s(?!\p{L})/giu;

/** A day or year from which on something is counted: `up 26 points since 2018`. */
const since = `(?<![\\p{L}])(?:${alternatives(({ periods }) => periods?.since)})\\s[^.;|\\n]{0,24}?((?:1\\d|20)\\d\\d)`;

/** Its year is not the one of the count. */
const dayOfStart = new RegExp(since, "giu");
const startWritten = new RegExp(`${since}(?!\\p{N})`, "iu");

/**
 * The first year of the span that a question names, and the one since which the sentences count that a statement rests
 * on; null where these have that first year, or count from no other.
 */
function otherStart(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
): { readonly asked: number; readonly told: string } | null {
  const [first] = spansIn(asked.text)[0] ?? [];
  if (first === undefined) return null;
  const terms = contentTerms(statement);
  const starts = cited.map((witness) => {
    const source = sourceOf(terms, witness);
    return source.includes(String(first)) ? undefined : startWritten.exec(source)?.[1];
  });
  const told = starts.includes(undefined) ? undefined : starts[0];
  return told === undefined ? null : { asked: first, told };
}

/** The years that a question names, each with others that it may be called by. */
function yearsAsked({ text, periods }: Question): readonly (readonly number[])[] {
  const early = [...text.matchAll(earlyYear)].map(([, year]) => [Number(year)]);
  return [...periods.map(({ years }) => years), ...early].filter(({ length }) => length > 0);
}

/** First and last year of each span or decade of a text. */
function spansIn(text: string): readonly (readonly [first: number, last: number])[] {
  const spans = [...text.matchAll(spanWritten)].map(([, first = "", last = ""]): [number, number] => [
    Number(first),
    Number(last.length === 2 ? first.slice(0, 2) + last : last),
  ]);
  const decades = [...text.matchAll(decade)].map(([, tens]): [number, number] => [
    Number(`${tens}0`),
    Number(`${tens}9`),
  ]);
  return [...spans, ...decades];
}

/**
 * The year of a question, and another that the cited passages speak of, where they name years and none of
 * those that are asked about, neither in their text nor in headings and file name, or where what the statement rests on
 * is counted from another year than the one that a span in the question begins with; null otherwise.
 */
export function otherYear(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
): { readonly asked: number; readonly told: string } | null {
  const wanted = yearsAsked(asked);
  const [first] = wanted[0] ?? [];
  if (first === undefined || cited.some(({ finding }) => finding)) return null;
  const isHeld = (year: number): boolean =>
    cited.some(
      ({ squashed, text, figures }) =>
        squashed.includes(String(year)) ||
        figures.some(({ periods }) => periods.some(({ years }) => years.includes(year))) ||
        spansIn(text).some(([from, to]) => from <= year && year <= to),
    );
  if (wanted.some((years) => years.some(isHeld))) return otherStart(asked, statement, cited);
  const told = cited.flatMap(({ text }) => text.replace(dayOfStart, " ").match(yearWritten) ?? [])[0];
  return told === undefined ? null : { asked: first, told };
}
