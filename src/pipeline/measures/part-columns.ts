import type { Chunk } from "../../core/documents/chunk.ts";
import { withoutNoteMarks } from "../../language/quantities.ts";
import { plainWords } from "./entries.ts";
import { besideYears, type Row, rowOf, year } from "./statements.ts";

/** What a column of a table covers: months up to a day, or that day alone. */
export interface PartColumn {
  /** 0 for the day alone, as in a balance sheet; else 3, 6, 9 or 12. */
  readonly months: number;
  /** The month that it ends in, counted from year 0; the first days of a month count to the one before it. */
  readonly end: number;
  /** The day that it ends on: `July 1, 2023`, `July 2023` where the header has no day. */
  readonly day: string;
}

const monthNames =
  "January February March April May June July August September October November December".split(" ");

/** Which month of the year a name or its first three letters are; -1 for none. */
const monthAt = (name: string): number =>
  monthNames.findIndex((full) => full.toLowerCase().startsWith(name.toLowerCase().slice(0, 3)));

/** A month, and the day behind it. */
export const monthPattern =
  "(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b\\.?(?:\\s+(\\d{1,2})\\b)?";
const monthDay = new RegExp(`\\b${monthPattern}`, "gi");

/** Last day of a month on which what ends is called by the month before: years of 52 weeks end on a weekday. */
const lastEarlyDay = 7;

/** The month that a period ends in, counted from year 0; undefined where the name is that of no month. */
export function endMonth(name: string, day: number | undefined, ofYear: number): number | undefined {
  const at = monthAt(name);
  if (at === -1) return undefined;
  return ofYear * 12 + at - (day !== undefined && day <= lastEarlyDay ? 1 : 0);
}

/** Lengths of columns as headers name them, in months. */
const lengths: readonly (readonly [number, string])[] = [
  [3, "(?:three|3)[- ]months?|(?:thirteen|fourteen|1[34])[- ]weeks?|quarters?(?= end(?:ed|ing)\\b)"],
  [6, "(?:six|6)[- ]months?|(?:twenty[- ](?:six|seven)|2[67])[- ]weeks?"],
  [9, "(?:nine|9)[- ]months?|(?:thirty[- ]nine|forty|39|40)[- ]weeks?"],
  [12, "(?:twelve|12)[- ]months?|(?:fifty[- ](?:two|three)|5[23])[- ]weeks?|years?(?= end(?:ed|ing)\\b)"],
];
const lengthNamed = new RegExp(
  `\\b(?:${lengths.map(([months, words]) => `(?<m${months}>${words})`).join("|")})\\b`,
  "gi",
);
const parts = /(?:(?<![\p{L}\p{N}])(?:three|six|nine|twelve|thirteen|fourteen)(?![\p{L}\p{N}]))/giu;

/** The lengths that a text names, in months and in their order, with where they stand. */
export const lengthsIn = (
  text: string,
): readonly { readonly months: number; readonly at: number; readonly text: string }[] =>
  [...text.matchAll(lengthNamed)].map((match) => ({
    months: Number(
      Object.entries(match.groups ?? {})
        .find(([, words]) => words !== undefined)?.[0]
        .slice(1),
    ),
    at: match.index,
    text: match[0],
  }));

/** A cell that is a number: no day of a header, which has a comma behind it, and no year. */
const numberCell = /^[\s\p{Sc}(]*(?!(?:19|20)\d\d\s*$)\d[\d,.]*(?<!,)[\s)%]*$/u;

/** Whether a line heads columns: it names a length, a month or a year, and says nothing else. */
function isHeader(line: string): boolean {
  const named = [lengthNamed, monthDay, year].some((pattern) => line.search(pattern) !== -1);
  if (
    !named ||
    line
      .split("|")
      .slice(1)
      .some((cell) => numberCell.test(cell))
  )
    return false;
  return plainWords(line.replace(lengthNamed, " ").replace(parts, " ").replace(year, " ")).every((word) =>
    besideYears.test(word),
  );
}

/** The members of a list that each of so many columns has, where they stand once, once a group or once a column. */
function spread<Value>(values: readonly Value[], columns: number, groups: number): readonly Value[] | null {
  const size = [columns, groups, 1].find((count) => count === values.length);
  if (size === undefined || columns % size !== 0) return null;
  return Array.from({ length: columns }, (_, at) => values[Math.floor(at / (columns / size))] as Value);
}

/** Whether columns can be told apart, and each length has the same years. */
function areApart(columns: readonly PartColumn[], groups: number): boolean {
  const keys = columns.map(({ months, end }) => `${months} ${end}`);
  const size = columns.length / Math.max(1, groups);
  const ends = Array.from({ length: groups }, (_, at) =>
    columns
      .slice(at * size, (at + 1) * size)
      .map(({ end }) => end)
      .join(),
  );
  return new Set(keys).size === keys.length && (size === 1 || new Set(ends).size <= 1);
}

/** What the columns under a header cover, which may have lengths, days and years in lines of their own; null where that cannot be told. */
export function partColumns(header: readonly string[]): readonly PartColumn[] | null {
  const text = header.map(withoutNoteMarks).join("\n");
  const years = (text.match(year) ?? []).map(Number);
  const spans = lengthsIn(text).map(({ months }) => months);
  const named = [...text.matchAll(monthDay)];
  // Days may stand in a line below the months.
  const below = named.every(([, , day]) => day === undefined)
    ? Array.from(text.matchAll(/(?<![\d.,])(\d{1,2}),/g), ([, day]) => Number(day))
    : [];
  const days = named.map(([, name = "", day], at) => ({ name, day: day ? Number(day) : below[at] }));
  const count = years.length;
  const ofDays = count === 0 ? null : spread(days, count, spans.length);
  const ofSpans = spans.length === 0 ? years.map(() => 0) : spread(spans, count, spans.length);
  if (ofDays === null || ofSpans === null || (below.length > 0 && below.length !== days.length)) return null;
  const columns = years.flatMap((ofYear, at): readonly PartColumn[] => {
    const { name = "", day } = ofDays[at] ?? {};
    const end = endMonth(name, day, ofYear);
    const text = `${monthNames[monthAt(name)]}${day === undefined ? "" : ` ${day},`} ${ofYear}`;
    return end === undefined ? [] : [{ months: ofSpans[at] ?? 0, end, day: text }];
  });
  return columns.length === count && areApart(columns, spans.length) ? columns : null;
}

/** A key of what a column covers. */
export const keyOf = ({ months, end }: Pick<PartColumn, "months" | "end">): string => `${months} ${end}`;

/** Whether a line is no part of a header: it is no empty one, none in brackets and none of cells without numbers. */
function endsHeader(line: string): boolean {
  const cells = line.slice(line.indexOf("|") + 1);
  return line.includes("|") ? /\d/.test(cells) : !/^\s*(?:$|\()|unaudited/i.test(line);
}

/** Whether cells of a line are words, which head other columns. */
const headsOthers = (line: string): boolean =>
  line
    .split("|")
    .slice(1)
    .filter((cell) => /\p{L}{3}/u.test(cell) && !/unaudited/i.test(cell)).length > 1;

/** Rows of a page's tables whose columns cover parts of a year or are days, by `keyOf`, and these columns. */
export function partRows(page: readonly Chunk[]): {
  readonly rows: readonly Row<string>[];
  readonly columns: readonly PartColumn[];
} {
  const rows: Row<string>[] = [];
  const read = new Set<readonly PartColumn[]>();
  let header: string[] = [];
  let columns: readonly PartColumn[] | null = null;
  let isRead = false;
  const lines = page.flatMap((chunk) => chunk.text.split("\n").map((line) => ({ chunk, line })));
  for (const { chunk, line } of lines) {
    if (isHeader(line)) {
      header = isRead ? [line] : [...header, line];
      isRead = false;
      columns = partColumns(header);
      continue;
    }
    const row = columns === null ? undefined : rowOf({ line, read: line, chunk }, columns.map(keyOf));
    if (row !== undefined && columns !== null) {
      rows.push(row);
      read.add(columns);
    }
    isRead ||= row !== undefined || endsHeader(line);
    if (headsOthers(line)) columns = null;
  }
  return { rows, columns: [...read].flat() };
}
