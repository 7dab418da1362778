import { alternatives } from "../languages.ts";

/** Members that stand in a row in a text, joined by commas and `and`. */
export interface Series {
  /** Place of the first member in the text, and length of the run. */
  readonly at: number;
  readonly length: number;
  /** As they stand there: years, or amounts with currency, digits and scale. */
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

/** Years in a row: `2015, 2016 and 2017`. */
export const yearSeriesIn = (text: string): readonly Series[] => runsOf(text, yearSeries, oneYear);

/** Amounts in a row: `$4.9, $6.4 and $8.8 billion`; years are some as well. */
export const amountSeriesIn = (text: string): readonly Series[] => runsOf(text, amountSeries, oneAmount);
