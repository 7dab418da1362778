import type { Chunk } from "../../core/documents/chunk.ts";
import { type Period, periodsIn } from "../../language/time/periods.ts";
import { endMonth, monthPattern, type PeriodColumn } from "../tables/periods.ts";
import type { AskedPart } from "./part-asked.ts";

/** A quarter as somebody calls it. */
interface Called {
  readonly quarter: number;
  readonly year: number;
}

/** The quarter that a report is of, and what it is called. */
export interface Calendar {
  /** The month that it ends in, counted from year 0 as in `PeriodColumn`. */
  readonly end: number;
  /** Which quarter of the company's year it is, and of which year, where the text says so. */
  readonly own: Called | undefined;
  /** Whether the text calls its years fiscal. */
  readonly isFiscal: boolean;
  /** By its name or title. */
  readonly named: Called | undefined;
}

/** Months of a part that are read, and the month that they end in. */
export interface Span {
  /** 0 for the day that the part ends on. */
  readonly months: number;
  readonly end: number;
}

const calledBy = ({ part, years: [year] }: Period): readonly Called[] =>
  /^q[1-4]$/.test(part ?? "") && year !== undefined ? [{ quarter: Number(part?.slice(1)), year }] : [];

const cover = new RegExp(`\\bquarterly period ended ${monthPattern},? ((?:19|20)\\d\\d)\\b`, "i");
/** Chunks at the start of a report that have its cover. */
const coverChunks = 3;

/** The month that the cover of a report, or else its newest column of three months, ends in. */
function currentEnd(texts: readonly string[], columns: readonly PeriodColumn[]): number | undefined {
  const [, name, day, ofYear] = cover.exec(texts.slice(0, coverChunks).join(" ")) ?? [];
  const end = name === undefined ? undefined : endMonth(name, day ? Number(day) : undefined, Number(ofYear));
  const ends = columns.flatMap(({ months, end: own }) => (months === 3 && own !== undefined ? [own] : []));
  const newest = ends.length === 0 ? undefined : Math.max(...ends);
  return end ?? newest;
}

/** The quarters that a report can be of, by the longest part of the year that it has a column of. */
function quartersBy(columns: readonly PeriodColumn[], end: number): readonly number[] {
  const months = columns.filter((column) => column.end === end).map((column) => column.months);
  if (months.includes(9)) return [3];
  return months.includes(6) ? [2] : [1, 4];
}

/** Times that a text must call a quarter so. */
const fewestMentions = 2;

/**
 * What a text calls the quarter that ends in a month: of those that it can be by its columns, in the year that it
 * is a quarter of. Years that end in January or February are called by the year of their end or by the one before.
 */
function ownName(mentions: readonly Called[], quarters: readonly number[], end: number): Called | undefined {
  const count = (quarter: number, year: number): number =>
    mentions.filter((each) => each.quarter === quarter && each.year === year).length;
  const candidates = quarters.flatMap((quarter) => {
    const last = end + 3 * (4 - quarter);
    const year = Math.floor(last / 12);
    const isWinter = last % 12 < 2;
    const years = isWinter && count(quarter, year) < fewestMentions ? [year - 1] : [year];
    return years.map((each) => ({ quarter, year: each, count: count(quarter, each) }));
  });
  const [best, next] = candidates.toSorted((left, right) => right.count - left.count);
  if (best === undefined || best.count < fewestMentions || best.count === next?.count) return undefined;
  return { quarter: best.quarter, year: best.year };
}

/** The quarter that a report is of; undefined where it cannot be told. `names`: its file name and its title. */
export function calendarOf(
  chunks: readonly Chunk[],
  columns: readonly PeriodColumn[],
  names: readonly string[],
): Calendar | undefined {
  const texts = chunks
    .toSorted((left, right) => left.ordinal - right.ordinal)
    .map(({ text }) => text.replace(/[\s|]+/g, " "));
  const end = currentEnd(texts, columns);
  if (end === undefined) return undefined;
  const periods = periodsIn(texts.join("\n"));
  const own = ownName(periods.flatMap(calledBy), quartersBy(columns, end), end);
  const saying = periods.filter((period) => {
    const [called] = calledBy(period);
    return called !== undefined && called.quarter === own?.quarter && called.year === own.year;
  });
  const fiscal = saying.filter(({ text }) => /fiscal|fy/.test(text)).length;
  const inNames = names.map((name) => periodsIn(name.replaceAll("_", " ")).flatMap(calledBy));
  return {
    end,
    own,
    isFiscal: fiscal * 2 > saying.length,
    named: inNames.find((all) => all.length === 1)?.[0],
  };
}

/** How many years a quarter lies before one that is called so: this one, or the same one of the year before. */
function yearsBefore(asked: Called, called: Called | undefined): number | undefined {
  const years = called === undefined ? -1 : called.year - asked.year;
  return asked.quarter === called?.quarter && (years === 0 || years === 1) ? years : undefined;
}

/**
 * How many years before that of a report a quarter is that a question names: of a fiscal one by what the text
 * calls its quarters, of another one by the name of the report. Undefined where these leave it open.
 */
function quarterBefore(
  asked: Called & { readonly isFiscal: boolean },
  { own, named, isFiscal }: Calendar,
): number | undefined {
  const [byText, byName] = [yearsBefore(asked, own), yearsBefore(asked, named)];
  if (asked.isFiscal) return byText ?? (byName === 0 ? 0 : undefined);
  if (byName === 0) return 0;
  // A name that calls its quarter otherwise than the text says of which year it is alone.
  if (named !== undefined) return byName === byText || !isFiscal ? byName : undefined;
  return byText;
}

/** The month that the last whole year before a quarter ended in, where it is the one that is named. */
function lastYearEnd(year: number, { own, named, end }: Calendar): number | undefined {
  const called = own ?? named;
  return called !== undefined && called.quarter < 4 && called.year - 1 === year
    ? end - 3 * called.quarter
    : undefined;
}

/** What a part of a year that a question names covers in a report; undefined where that cannot be told. */
export function spanOf(part: AskedPart, calendar: Calendar): Span | undefined {
  if (part.kind === "latest") return { months: 3, end: calendar.end };
  if (part.kind === "ended") return { months: part.months, end: part.end };
  if (part.kind === "year") {
    const end = lastYearEnd(part.year, calendar);
    return end === undefined ? undefined : { months: 0, end };
  }
  const years = quarterBefore(part, calendar);
  return years === undefined ? undefined : { months: part.months, end: calendar.end - 12 * years };
}
