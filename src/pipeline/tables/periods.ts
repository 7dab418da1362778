import { rowsAsText } from "../../core/documents/table-text.ts";
import { englishMonths, monthName, monthOf } from "../../language/time/dates.ts";
import { plainWords } from "../../language/words.ts";

/** The period of a table column: a year, several months ending on a day, or only that day. */
export interface PeriodColumn {
  /** Its index among the cells of a row. */
  readonly at: number;
  readonly year: number;
  /** 3, 6, 9 or 12; 0 if its header gives no length, as in a balance sheet. */
  readonly months: number;
  /**
   * Month it ends in, counted from year 0; an end in the first days of a month counts as the month before.
   */
  readonly end: number | undefined;
  /** End date as shown: `July 1, 2023`, or `July 2023` if the header has no day; "" for neither. */
  readonly day: string;
}

/** Cells of a line, including the label. */
type Cells = readonly string[];

const year = /(?<!\d)(?:19|20)\d\d(?!\d)/g;
/** A month and the day after it. */
export const monthPattern = `(${englishMonths})\\b\\.?(?:\\s+(\\d{1,2})\\b)?`;
const monthDay = new RegExp(`\\b${monthPattern}`, "gi");

/**
 * Last day of a month on which a period still belongs to the month before: years of 52 weeks end on a
 * weekday.
 */
const lastEarlyDay = 7;

/** Month a period ends in, counted from year 0; undefined if the name is no month. */
export function endMonth(name: string, day: number | undefined, ofYear: number): number | undefined {
  const month = monthOf(name);
  return month === 0
    ? undefined
    : ofYear * 12 + month - 1 - (day !== undefined && day <= lastEarlyDay ? 1 : 0);
}

/** Column lengths in months, with their names in headers. */
const lengths: readonly (readonly [number, RegExp])[] = [
  [3, /(?:three|3)[- ]months?|(?:thirteen|fourteen|1[34])[- ]weeks?/i],
  [6, /(?:six|6)[- ]months?|(?:twenty[- ](?:six|seven)|2[67])[- ]weeks?/i],
  [9, /(?:nine|9)[- ]months?|(?:thirty[- ]nine|forty|39|40)[- ]weeks?/i],
  [12, /(?:twelve|12)[- ]months?|(?:fifty[- ](?:two|three)|5[23])[- ]weeks?/i],
];
/** Names of lengths only before their end: `quarter ended`. */
const endedLengths: typeof lengths = [
  [3, /quarters?/i],
  [12, /years?/i],
];
/** Words for the length of a period. */
export const lengthWords = [
  ...lengths.map(([, { source }]) => source),
  ...endedLengths.map(([, { source }]) => `${source}(?= end(?:ed|ing)\\b)`),
].join("|");
const lengthNamed = new RegExp(`\\b(?:${lengthWords})\\b`, "gi");

/** The months of a length that `lengthWords` names. */
export const monthsOf = (length: string): number =>
  [...lengths, ...endedLengths].find(([, words]) => words.test(length))?.[0] ?? 0;

const monthsIn = (text: string): readonly number[] =>
  Array.from(text.matchAll(lengthNamed), ([length]) => monthsOf(length));

/**
 * What may accompany the periods of a header: days, currencies, and words for periods, scales and changes.
 */
const besidePeriods =
  /^(?:\d{1,2}|000s?|[kmt]?(?:aud|cad|chf|dkk|eur|gbp|jpy|nok|sek|usd|vnd)(?:000s?|[km])?|three|six|nine|twelve|thirteen|fourteen|years?|fiscal|fy|ended|ending|weeks?|months?|quarters?|as|of|the|at|for|in|millions?|thousands?|billions?|except|per|common|share|shares|stock|and|par|value|data|amounts?|dollars|euros?|pounds?|us|m|k|notes?|percentages?|restated|unaudited|audited|actual|change|%|to)$/;

/** Whether a text names a period and nothing else. */
export function isPeriodText(text: string): boolean {
  const rest = text.replace(lengthNamed, " ").replace(monthDay, " ").replace(year, " ");
  return rest !== text && plainWords(rest).every((word) => besidePeriods.test(word));
}

/** Largest gap between the years of adjacent columns, because amounts may look like years. */
const farthestYears = 5;
const areNear = (years: readonly number[]): boolean =>
  years.every((each, at) => Math.abs(each - (years[at - 1] ?? each)) <= farthestYears);

const yearsIn = (text: string): readonly number[] => [...new Set(text.match(year) ?? [])].map(Number);

/** Whether a text names a year. */
export const containsYear = (text: string): boolean => text.search(year) !== -1;

/** Whether each non-empty cell of a line, after the first, is a year that heads its column. */
export function isYearHeader([label = "", ...cells]: Cells): boolean {
  const heads = cells.filter((cell) => cell !== "");
  const years = heads.map(yearsIn);
  return (
    heads.length > (label === "" ? 0 : 1) &&
    years.every(({ length }) => length === 1) &&
    heads.every(isPeriodText) &&
    areNear(years.flat())
  );
}

/** Periods shorter than a year. */
const partOfYear = /\b(?:months?|quarters?|weeks?|half|interim)\b/i;

/**
 * Spreads a list over columns, where its members occur once, once per group or once per column; null if it
 * does not fit.
 */
function spread<Value>(values: readonly Value[], columns: number, groups: number): readonly Value[] | null {
  const size = [columns, groups, 1].find((count) => count === values.length);
  if (size === undefined || columns % size !== 0) return null;
  return Array.from({ length: columns }, (_, at) => values[Math.floor(at / (columns / size))] as Value);
}

/** A month, with its day if the header has one. */
interface Day {
  readonly name: string;
  readonly day: number | undefined;
}

/** The dates in a header; the days may be in a line below the months. */
function daysIn(text: string): readonly Day[] {
  const named = [...text.matchAll(monthDay)];
  const below = named.every(([, , day]) => day === undefined)
    ? Array.from(text.matchAll(/(?<![\d.,])(\d{1,2}),/g), ([, day]) => Number(day))
    : [];
  if (below.length > 0 && below.length !== named.length) return [];
  return named.map(([, name = "", day], at) => ({ name, day: day ? Number(day) : below[at] }));
}

/** Columns whose header names one year each, with their header lines joined; null if one names two. */
function placedColumns(
  lines: readonly Cells[],
  width: number,
): readonly (readonly [number, string])[] | null {
  const columns = Array.from({ length: Math.max(0, width - 1) }, (_, at) => {
    const cells = lines.map((line) => line[at + 1] ?? "");
    return { at: at + 1, cells, years: yearsIn(cells.join("\n")) };
  }).filter(({ years }) => years.length > 0);
  const isPlaced =
    columns.length > 0 &&
    lines.every(([label = ""]) => yearsIn(label).length === 0) &&
    columns.every(
      ({ cells, years }) =>
        years.length === 1 && cells.every((cell) => yearsIn(cell).length === 0 || isPeriodText(cell)),
    );
  return isPlaced ? columns.map(({ at, cells }) => [at, cells.join("\n")]) : null;
}

/** Whether all columns are distinct and each length has the same end months. */
function areApart(columns: readonly PeriodColumn[], groups: number): boolean {
  const keys = columns.map(({ months, end, year: own }) => `${months} ${end} ${own}`);
  const size = columns.length / Math.max(1, groups);
  const ends = Array.from({ length: groups }, (_, at) =>
    columns
      .slice(at * size, (at + 1) * size)
      .map(({ end }) => end)
      .join(),
  );
  return new Set(keys).size === keys.length && (size === 1 || new Set(ends).size <= 1);
}

/**
 * The periods of the columns under a header, whose lengths, days and years may be on separate lines; empty if
 * ambiguous. `lines`: its cells; `width`: cells of a row, or 0 for a header without cells, whose columns are
 * then consecutive; `above`: lines above it, which may restrict everything to part of a year.
 */
export function periodColumns(
  lines: readonly Cells[],
  width: number,
  above: readonly string[],
): readonly PeriodColumn[] {
  const text = rowsAsText(lines);
  const placed = placedColumns(lines, width);
  if (
    placed === null &&
    !lines.every((cells) => isPeriodText(cells.join(" ")) || yearsIn(cells.join(" ")).length === 0)
  )
    return [];
  const texts = placed?.map(([, own]) => own) ?? [];
  const years = placed === null ? (text.match(year) ?? []).map(Number) : texts.flatMap(yearsIn);
  /** One value per column, from its own header or else from the whole header. */
  const each = <Value>(read: (text: string) => readonly Value[], groups: number): readonly Value[] | null => {
    const own = texts.map(read);
    if (own.length > 0 && own.every(({ length }) => length === 1)) return own.flat();
    return spread(read(text), years.length, groups);
  };
  const groups = monthsIn(text);
  const said = groups.length > 0 ? text : [text, ...above].join("\n");
  const rest = said.replace(lengthNamed, (length) =>
    groups.length > 0 || monthsOf(length) === 12 ? " " : length,
  );
  const spans = groups.length === 0 ? years.map(() => 0) : each(monthsIn, groups.length);
  if (years.length === 0 || spans === null || partOfYear.test(rest) || !areNear(years)) return [];
  const days = each(daysIn, groups.length) ?? [];
  const columns = years.map((ofYear, at): PeriodColumn => {
    const { name = "", day } = days[at] ?? {};
    const shown =
      name === "" ? "" : `${monthName(monthOf(name))}${day === undefined ? "" : ` ${day},`} ${ofYear}`;
    const end = endMonth(name, day, ofYear);
    return { at: placed?.[at]?.[0] ?? at + 1, year: ofYear, months: spans[at] ?? 0, end, day: shown };
  });
  return areApart(columns, groups.length) ? columns : [];
}

/** Whether a column covers a full year, or the day it ends on. */
export const isWholeYear = ({ months }: Pick<PeriodColumn, "months">): boolean =>
  months === 0 || months === 12;
