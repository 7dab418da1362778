import { alternatives } from "../../../language/languages.ts";
import type { Claim } from "./claim.ts";

/** A year, as written. */
const yearWritten = /(?<![\p{N}.,])(?:1\d|20)\d\d(?![\p{N}]|[.,]\p{N})/gu;
/** `1995 to 2000`, `2015–16`, `from 1991 until 1999`. */
const spanWritten = new RegExp(
  `(?<!\\p{N})((?:1\\d|20)\\d\\d)\\s{0,2}(?:[-–/]|${alternatives(({ until }) => until)})\\s{0,2}((?:1\\d|20)\\d\\d|\\d\\d)(?!\\p{N})`,
  "giu",
);
const decade = /(?<!\p{N})((?:1\d|20)\d)0s(?!\p{L})/giu;

/** A day or year from which something is counted is not the count's own period: `up 26 points since 2018`. */
const dayOfStart = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ periods }) => periods?.since)})\\s[^.;|\\n]{0,24}?(?:1\\d|20)\\d\\d`,
  "giu",
);

/** First and last year of each span or decade in a text. */
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
 * Why a statement is unsupported: the cited passages name years, but none of the question's, in text,
 * headings or file names. Null otherwise.
 */
export function otherYear({ asked, cited, where }: Claim): string | null {
  const early = asked.datedYears.map((year) => [year]);
  const wanted = [...asked.periods.map(({ years }) => years), ...early].filter(({ length }) => length > 0);
  const [first] = wanted[0] ?? [];
  if (first === undefined) return null;
  const isHeld = (year: number): boolean =>
    cited.some(
      ({ squashed, text, figures }) =>
        squashed.includes(String(year)) ||
        figures.some(({ periods }) => periods.some(({ years }) => years.includes(year))) ||
        spansIn(text).some(([from, to]) => from <= year && year <= to),
    );
  if (wanted.some((years) => years.some(isHeld))) return null;
  const namedYear = cited.flatMap(({ text }) => text.replace(dayOfStart, " ").match(yearWritten) ?? [])[0];
  return namedYear === undefined ? null : asked.notes.judged.otherYear(where, namedYear, `${first}`);
}
