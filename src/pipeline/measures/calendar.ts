import type { Chunk } from "../../core/documents/chunk.ts";
import { withoutRows } from "../../core/documents/table-text.ts";
import { type Period, periodsIn } from "../../language/time/periods.ts";
import { endMonth, monthPattern, type PeriodColumn } from "../tables/periods.ts";
import { mentionsFiscalYear } from "./fiscal-years.ts";
import type { AskedPart } from "./request.ts";

/** A quarter's name. */
interface Called {
  readonly quarter: number;
  readonly year: number;
}

/** The quarter that a report covers, and its names. */
export interface Calendar {
  /** Month it ends in, counted from year 0 as in `PeriodColumn`. */
  readonly end: number;
  /** Its quarter and fiscal year, if the text gives them. */
  readonly own: Called | undefined;
  /** Whether the text calls its years fiscal. */
  readonly isFiscal: boolean;
  /** Its quarter and year from the file name or title. */
  readonly named: Called | undefined;
}

/** A column length in months, and the month it ends in. */
export interface DateSpan {
  /** 0 for the day that the part ends on. */
  readonly months: number;
  readonly end: number;
}

/** The quarter that a period names, if it names one of a year. */
export const calledBy = ({ part, years: [year] }: Period): readonly Called[] =>
  /^q[1-4]$/.test(part ?? "") && year !== undefined ? [{ quarter: Number(part?.slice(1)), year }] : [];

const cover = new RegExp(`\\bquarterly period ended ${monthPattern},? ((?:19|20)\\d\\d)\\b`, "i");
/** Chunks at the start of a report that may have its cover. */
const coverChunks = 3;

/** End month from the cover of a report, otherwise from its newest three-month column. */
function currentEnd(texts: readonly string[], columns: readonly PeriodColumn[]): number | undefined {
  const [, name, day, ofYear] = cover.exec(texts.slice(0, coverChunks).join(" ")) ?? [];
  const end = name === undefined ? undefined : endMonth(name, day ? Number(day) : undefined, Number(ofYear));
  const ends = columns.flatMap(({ months, end: own }) => (months === 3 && own !== undefined ? [own] : []));
  const newest = ends.length === 0 ? undefined : Math.max(...ends);
  return end ?? newest;
}

/** Possible quarters of a report, given its longest column up to that month. */
function quartersBy(columns: readonly PeriodColumn[], end: number): readonly number[] {
  const months = columns.filter((column) => column.end === end).map((column) => column.months);
  if (months.includes(9)) return [3];
  return months.includes(6) ? [2] : [1, 4];
}

/** Fewest mentions of a quarter's name. */
const fewestMentions = 2;

/**
 * The text's name for the quarter that ends in a month: a quarter possible by its columns, in the matching
 * fiscal year. Years that end in January or February may be named after the year of their end or the one
 * before.
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

/** The calendar of a report; undefined if it is unclear. `names`: its file name and its title. */
export function calendarOf(
  chunks: readonly Chunk[],
  columns: readonly PeriodColumn[],
  names: readonly string[],
): Calendar | undefined {
  const texts = chunks
    .toSorted((left, right) => left.ordinal - right.ordinal)
    .map(({ text }) => withoutRows(text));
  const end = currentEnd(texts, columns);
  if (end === undefined) return undefined;
  const periods = periodsIn(texts.join("\n"));
  const own = ownName(periods.flatMap(calledBy), quartersBy(columns, end), end);
  const saying = periods.filter((period) =>
    calledBy(period).some(({ quarter, year }) => quarter === own?.quarter && year === own.year),
  );
  const fiscal = saying.filter(({ text }) => mentionsFiscalYear(text)).length;
  const inNames = names.map((name) => periodsIn(name.replaceAll("_", " ")).flatMap(calledBy));
  return {
    end,
    own,
    isFiscal: fiscal * 2 > saying.length,
    named: inNames.find((all) => all.length === 1)?.[0],
  };
}

/**
 * Years from one quarter's name to another: 0 for the same one, 1 for the same quarter of the year before;
 * otherwise undefined.
 */
function yearsBefore(asked: Called, called: Called | undefined): number | undefined {
  const years = called === undefined ? -1 : called.year - asked.year;
  return asked.quarter === called?.quarter && (years === 0 || years === 1) ? years : undefined;
}

/**
 * Years between a report's quarter and the one a question names: for a fiscal quarter by the text's own name,
 * for others by the name of the report. Undefined if that is ambiguous.
 */
function quarterBefore(
  asked: Called & { readonly isFiscal: boolean },
  { own, named, isFiscal }: Calendar,
): number | undefined {
  const [byText, byName] = [yearsBefore(asked, own), yearsBefore(asked, named)];
  if (asked.isFiscal) return byText ?? (byName === 0 ? 0 : undefined);
  if (byName === 0) return 0;
  // If the name and the text disagree, fiscal years make the name ambiguous.
  if (named !== undefined) return byName === byText || !isFiscal ? byName : undefined;
  return byText;
}

/** End month of the last whole year before a quarter, if that is the year named. */
function lastYearEnd(year: number, { own, named, end }: Calendar): number | undefined {
  const called = own ?? named;
  return called !== undefined && called.quarter < 4 && called.year - 1 === year
    ? end - 3 * called.quarter
    : undefined;
}

/** The period of a report that a part of a year in a question refers to; undefined if ambiguous. */
export function reportPeriod(part: AskedPart, calendar: Calendar): DateSpan | undefined {
  if (part.kind === "latest") return { months: 3, end: calendar.end };
  if (part.kind === "ended") return { months: part.months, end: part.end };
  if (part.kind === "year") {
    const end = lastYearEnd(part.year, calendar);
    return end === undefined ? undefined : { months: 0, end };
  }
  const years = quarterBefore(part, calendar);
  return years === undefined ? undefined : { months: part.months, end: calendar.end - 12 * years };
}
