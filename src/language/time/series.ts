import { alternatives } from "../languages.ts";

/** Consecutive members of a list in a text, joined by commas and `and`. */
export interface Series {
  /** Index of the first member in the text, and length of the list. */
  readonly at: number;
  readonly length: number;
  /** As written: years, or amounts with currency, digits and scale. */
  readonly members: readonly string[];
}

/** What joins the members. */
const and = alternatives((language) => language.and);
const comma = `(?:\\s?[,;]\\s?(?:${and})?|\\s(?:${and}))\\s?`;
const year = "(?:19|20)\\d\\d";
const amount =
  "\\p{Sc}?\\s?\\p{N}(?:[\\p{N}.,]{0,18}\\p{N})?(?:\\s?(?:%|percent|million|billion|thousand|mio|mrd))?";
const oneYear = new RegExp(year, "gu");
const oneAmount = new RegExp(amount, "giu");
const yearSeries = new RegExp(`${year}(?:${comma}${year}){1,6}(?!\\p{N})`, "giu");
const amountSeries = new RegExp(
  `(?<![\\p{N}.,])${amount}(?:${comma}${amount}){1,6}(?![\\p{N}]|[.,]\\p{N})`,
  "giu",
);

const runsOf = (text: string, series: RegExp, member: RegExp): Series[] =>
  Array.from(text.matchAll(series), ({ 0: run, index }) => ({
    at: index,
    length: run.length,
    members: run.match(member) ?? [],
  }));

/** Lists of years: `2015, 2016 and 2017`. */
export const yearSeriesIn = (text: string): readonly Series[] => runsOf(text, yearSeries, oneYear);

/** Lists of amounts: `$4.9, $6.4 and $8.8 billion`; lists of years match too. */
export const amountSeriesIn = (text: string): readonly Series[] => runsOf(text, amountSeries, oneAmount);
