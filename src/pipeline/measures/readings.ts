import type { Chunk } from "../../core/documents/chunk.ts";
import { isWholeYear, type PeriodColumn } from "../tables/periods.ts";
import { readTables } from "../tables/read.ts";
import { calendarOf, type DateSpan, reportPeriod } from "./calendar.ts";
import type { Measure, MeasureBook } from "./entries.ts";
import { fiscalYearOffset } from "./fiscal-years.ts";
import type { MeasureRequest } from "./request.ts";
import { type ReadLine, readStatements } from "./statements.ts";

/** One way to read the periods of a request from a report's columns. */
export interface MeasureReading {
  /** By a year, or by the position of a part of a year in `names`. */
  readonly read: ReadLine;
  /** The parts of years in words, earliest first; absent for whole years. */
  readonly names?: readonly string[];
}

/** A report as it may be read for a request. */
export interface MeasureReport {
  /** Likeliest first; none if the report's name for a part of a year is unclear. */
  readonly readings: readonly MeasureReading[];
  /** The month that the report's quarter ends in, counted from year 0; undefined for none, or for whole years. */
  readonly end?: number | undefined;
}

/** The statements that a formula's lines belong to; substitutes for missing lines belong to the same ones. */
function statementsOf({ of }: Measure, { items }: MeasureBook): ReadonlySet<string> {
  const names = of.match(/[a-z_]{2,}/g) ?? [];
  return new Set(names.flatMap((name) => items.get(name)?.statement ?? []));
}

/** Formulas that only apply to whole years: with averages or changes over years, or days of a year. */
const ofYears = /\b(?:avg|change|prior)\(|\b365\b/;

/**
 * Column lengths to try, in months, likeliest first; 0, a single day, for a balance sheet. Cash flow
 * statements without a quarter column have one for the year to date.
 */
function lengthsOf(
  { measure, parts }: MeasureRequest,
  spans: readonly DateSpan[],
  book: MeasureBook,
): readonly number[] {
  const statements = statementsOf(measure, book);
  const [months = 0, ...others] = new Set(spans.map((span) => span.months));
  if (ofYears.test(measure.of)) return [];
  if (statements.has("balance")) return statements.size === 1 ? [0] : [];
  if (others.length > 0 || months === 0) return [];
  const isCash = statements.size === 1 && statements.has("cash");
  const isOpen = months === 3 && parts.every(({ kind }) => kind !== "ended");
  return isCash && isOpen ? [3, 6, 9] : [months];
}

const lengthNames: Readonly<Record<number, string>> = { 3: "three", 6: "six", 9: "nine", 12: "twelve" };

/** The period of a value in words: `three months ended July 1, 2023`. */
function spanText({ months, end }: DateSpan, columns: readonly PeriodColumn[]): string {
  const day = columns.find((column) => column.months === months && column.end === end)?.day ?? "";
  return months === 0 ? day : `${lengthNames[months]} months ended ${day}`;
}

/**
 * Reads a report from its chunks. Whole years go by its own names of fiscal years, otherwise by the years in
 * which they end. `names`: its file name and its title.
 */
export function readReport(
  asked: MeasureRequest,
  chunks: readonly Chunk[],
  book: MeasureBook,
  names: readonly string[],
): MeasureReport {
  const tables = readTables(chunks);
  if (asked.parts.length === 0) {
    const read = readStatements(chunks, tables, book, isWholeYear);
    const shifts = new Set([asked.isFiscal ? fiscalYearOffset(chunks) : 0, 0]);
    return {
      readings: [...shifts].map((shift) => ({
        read: (item, year) => read(item, (column) => column.year === year + shift),
      })),
    };
  }
  const read = readStatements(chunks, tables, book, ({ end }) => end !== undefined);
  const columns = tables.flatMap(({ periods, rows }) => (rows.length > 0 ? periods : []));
  const calendar = calendarOf(chunks, columns, names);
  const found =
    calendar === undefined ? [] : asked.parts.flatMap((part) => reportPeriod(part, calendar) ?? []);
  const spans = found.toSorted((left, right) => left.end - right.end);
  const lengths = found.length < asked.parts.length ? [] : lengthsOf(asked, spans, book);
  const readings = lengths.map(
    (months): MeasureReading => ({
      names: spans.map(({ end }) => spanText({ months, end }, columns)),
      read: (item, at) => read(item, (column) => column.months === months && column.end === spans[at]?.end),
    }),
  );
  return { readings, end: calendar?.end };
}
