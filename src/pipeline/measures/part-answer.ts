import type { Chunk } from "../../core/documents/chunk.ts";
import { plainWords } from "../../language/words.ts";
import type { PeriodColumn } from "../tables/periods.ts";
import { readTables } from "../tables/read.ts";
import { answerOf, figure, type MeasureAnswer } from "./answer.ts";
import { type Computed, compute, type MeasureDrivers } from "./compute.ts";
import type { Measure, MeasureBook } from "./entries.ts";
import type { AskedPart, PartRequest } from "./part-asked.ts";
import { type Calendar, calendarOf, type Span, spanOf } from "./part-calendar.ts";
import { type ReadCell, readStatements } from "./statements.ts";

/** A report's statements by parts of a year. */
export interface PartReport {
  readonly read: ReadCell;
  readonly columns: readonly PeriodColumn[];
  /** Undefined if its quarter is unknown. */
  readonly calendar: Calendar | undefined;
}

/** Reads a report from its chunks. `names`: its file name and its title. */
export function readParts(chunks: readonly Chunk[], book: MeasureBook, names: readonly string[]): PartReport {
  const read = readStatements(chunks, book, ({ end }) => end !== undefined);
  const columns = readTables(chunks).flatMap(({ periods, rows }) => (rows.length > 0 ? periods : []));
  return { read, columns, calendar: calendarOf(chunks, columns, names) };
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
  measure: Measure,
  parts: readonly AskedPart[],
  spans: readonly Span[],
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
function spanText({ months, end }: Span, columns: readonly PeriodColumn[]): string {
  const day = columns.find((column) => column.months === months && column.end === end)?.day ?? "";
  return months === 0 ? day : `${lengthNames[months]} months ended ${day}`;
}

/** A value as text; a percentage follows its amount if the statement has a line of the same name. */
function told(computed: Computed, { asked }: PartRequest): string {
  const { measure } = asked;
  const name = plainWords(measure.name).join(" ");
  const line = computed.lines.find(({ row }) => plainWords(row.split("|")[0] ?? "").join(" ") === name);
  const share = figure(computed, measure, asked);
  if (measure.unit !== "percent" || asked.isPercent || line === undefined) return share;
  const amount = { ...computed, value: line.value, scale: line.scale, lines: [line] };
  return `${figure(amount, { ...measure, unit: "amount" }, asked)} (${share})`;
}

/** The change between two values, and in percent if both are amounts and the first is positive. */
function changeOf([from, to]: readonly Computed[], request: PartRequest): readonly string[] {
  if (from === undefined || to === undefined) return [];
  const { asked } = request;
  const change = figure({ ...to, value: to.value - from.value }, asked.measure, asked);
  const isShare = asked.measure.unit !== "amount" || from.value <= 0;
  const percent = (((to.value - from.value) / from.value) * 100).toFixed(1);
  return [`change: ${change}${isShare ? "" : ` (${percent}%)`}`];
}

/**
 * Answers a question about a measure for parts of a year from the statements of a report; null if they lack
 * an input or the report's name for a part is unclear.
 */
export function answerParts(
  request: PartRequest,
  { read, columns, calendar }: PartReport,
  { book, calculate }: Pick<MeasureDrivers, "book" | "calculate">,
): MeasureAnswer | null {
  const { asked, parts } = request;
  const { measure } = asked;
  const found = calendar === undefined ? [] : parts.flatMap((part) => spanOf(part, calendar) ?? []);
  if (found.length < parts.length) return null;
  const spans = found.toSorted((left, right) => left.end - right.end);
  for (const months of lengthsOf(measure, parts, spans, book)) {
    const all = spans.map(({ end }) => ({ months, end }));
    const readAt = (item: string, at: number): ReturnType<typeof read> => {
      const span = all[at];
      return span && read(item, (column) => column.months === span.months && column.end === span.end);
    };
    const each = all.flatMap((_, at) => compute(measure.of, at, { book, calculate, read: readAt }) ?? []);
    if (each.length === 0 || each.length < all.length) continue;
    const names = all.map((span) => spanText(span, columns));
    const listed = each.map((one, at) => `${names[at]}: ${told(one, request)}`);
    return answerOf(measure, asked.claim, each, names, [...listed, ...changeOf(each, request)].join(", "));
  }
  return null;
}
