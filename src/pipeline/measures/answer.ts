import { cellsOfRow } from "../../core/documents/table-text.ts";
import { plainWords } from "../../language/words.ts";
import { scaleFactor, withPlaces } from "../tables/amounts.ts";
import { type ComputedMeasure, compute, type MeasureDrivers } from "./compute.ts";
import type { Measure } from "./entries.ts";
import type { MeasureReading } from "./readings.ts";
import type { MeasureRequest } from "./request.ts";
import type { StatementLine } from "./statements.ts";

/** An answer computed from financial statements. */
export interface MeasureAnswer {
  /** One line: the measure, its years and its value. */
  readonly text: string;
  /** How it was computed, one line per year. */
  readonly sums: readonly string[];
  /** Statement lines it was computed from, without duplicates. */
  readonly lines: readonly StatementLine[];
  /** The last value shown: its year, value and scale; the scale is "" if the page gives none. */
  readonly last: Pick<ComputedMeasure, "year" | "value" | "scale">;
}

/** Decimal places if the question gives none. */
const usualPlaces = { ratio: 2, percent: 1 } as const;

/** A ratio as asked for: in percent, or as a number if at least three digits are requested. */
function shareFigure(
  value: number,
  unit: "ratio" | "percent",
  { decimals, isPercent }: MeasureRequest,
): string {
  const asPercent = isPercent || (unit === "percent" && (decimals ?? 0) < 3);
  const shown = value * (asPercent === (unit === "percent") ? 1 : asPercent ? 100 : 0.01);
  return `${withPlaces(shown, decimals ?? usualPlaces[asPercent ? "percent" : "ratio"])}${asPercent ? "%" : ""}`;
}

/** How many years back to look for a document's last year. */
const yearsBack = 40;

/** A value of a measure as text: `59,268 million`, `1.73`, `5.4%`. */
function formatMeasureValue(
  { value, scale, lines }: ComputedMeasure,
  { unit }: Measure,
  asked: MeasureRequest,
): string {
  if (unit !== "amount") return shareFigure(value, unit, asked);
  const currency = lines[0]?.currency ?? "";
  const written = (amount: number, places: number, of: string): string =>
    `${amount < 0 ? "-" : ""}${currency}${withPlaces(Math.abs(amount), places)}${of === "" ? "" : ` ${of}`}`;
  const own = written(value, Number.isInteger(value) ? 0 : 2, scale);
  if (asked.scale === "" || scale === "" || asked.scale === scale) return own;
  const converted = value * scaleFactor(scale, asked.scale);
  const places = asked.decimals ?? (Math.abs(converted) < 100 ? 1 : 0);
  return `${written(converted, places, asked.scale)} (${own})`;
}

/** The years to show: those asked for; for a comparison of one year also the year before. */
function yearsShown({ years, form }: MeasureRequest, last: number): readonly number[] {
  const asked = years.length === 0 ? [last] : years;
  const [from = last] = asked;
  if (form === "growth") return [asked.at(-1) ?? last];
  return form === "comparison" && asked.length === 1 ? [from - 1, from] : asked;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether the values confirm the question's claim; compares the last with the first. */
function isTrue(claim: NonNullable<MeasureRequest["claim"]>, values: readonly number[]): boolean {
  const [first = 0, last = first] = [values[0], values.at(-1)];
  if (claim === "up") return last > first;
  if (claim === "down") return last < first;
  return claim === "positive" ? last > 0 : last < 0;
}

/**
 * The last year, searching backwards from this one, for which a formula can be computed; undefined for none.
 */
function lastYear(measure: Measure, drivers: MeasureDrivers, from: number): number | undefined {
  return Array.from({ length: yearsBack }, (_, back) => from - back).find(
    (year) => compute(measure.of, year, drivers) !== null,
  );
}

/** The formula in words, and with its numbers. */
function sumOf({ of }: Measure, { sum }: ComputedMeasure): string {
  const words = of
    .replaceAll("_", " ")
    .replace(/\bavg\(/g, "average(")
    .replace(/\bprior\(/g, "the year before(");
  return `${words} = ${sum.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString("en-US"))}`;
}

/** A period to report: a year, or the position of a part of a year among those asked. */
interface Reported {
  readonly at: number;
  readonly name: string;
}

/** The periods that a reading has for a request; undefined if it has no year at all. */
function periodsOf(
  asked: MeasureRequest,
  { names }: MeasureReading,
  drivers: MeasureDrivers,
  thisYear: number,
): readonly Reported[] | undefined {
  if (names !== undefined) return names.map((name, at) => ({ at, name }));
  const last = asked.years.at(-1) ?? lastYear(asked.measure, drivers, thisYear);
  return last === undefined ? undefined : yearsShown(asked, last).map((at) => ({ at, name: String(at) }));
}

/** A value of a part of a year; a percentage follows its amount if the statement has a line of the same name. */
function partFigure(computed: ComputedMeasure, measure: Measure, asked: MeasureRequest): string {
  const name = plainWords(measure.name).join(" ");
  const line = computed.lines.find(({ row }) => plainWords(cellsOfRow(row)[0] ?? "").join(" ") === name);
  const share = formatMeasureValue(computed, measure, asked);
  if (measure.unit !== "percent" || asked.isPercent || line === undefined) return share;
  const amount = { ...computed, value: line.value, scale: line.scale, lines: [line] };
  return `${formatMeasureValue(amount, { ...measure, unit: "amount" }, asked)} (${share})`;
}

/** The change between two values; of parts of years also in percent, if both are amounts and the first is positive. */
function changeOf([from, to]: readonly ComputedMeasure[], measure: Measure, asked: MeasureRequest): string[] {
  const isAsked = asked.parts.length > 0 || asked.form === "comparison";
  if (!isAsked || from === undefined || to === undefined) return [];
  const change = to.value - from.value;
  const isShare = asked.parts.length === 0 || measure.unit !== "amount" || from.value <= 0;
  const percent = isShare ? "" : ` (${((change / from.value) * 100).toFixed(1)}%)`;
  return [`change: ${formatMeasureValue({ ...to, value: change }, measure, asked)}${percent}`];
}

/** The values of a measure in its periods, with their change or mean if it is asked for. */
function told(
  each: readonly ComputedMeasure[],
  periods: readonly Reported[],
  measure: Measure,
  asked: MeasureRequest,
): string {
  const { form, parts } = asked;
  const listed = each.map((one, at) => {
    const name = periods[at]?.name ?? "";
    const value =
      parts.length > 0 ? partFigure(one, measure, asked) : formatMeasureValue(one, measure, asked);
    return `${form === "growth" ? `${one.year - 1} to ${name}` : name}: ${value}`;
  });
  const changes = each.length === 2 ? changeOf(each, measure, asked) : [];
  const all = [...listed, ...changes].join(", ");
  const mean = each[0] && { ...each[0], value: meanOf(each.map(({ value }) => value)) };
  return form === "mean" && mean
    ? `mean of ${each.length} years: ${formatMeasureValue(mean, measure, asked)} (${all})`
    : all;
}

/**
 * Answers a question about a measure from a document's statements, by the first of their readings that has
 * every input; null for none. `thisYear`: the latest year to try if the question names none.
 */
export function answerMeasure(
  asked: MeasureRequest,
  readings: readonly MeasureReading[],
  { book, calculate }: Omit<MeasureDrivers, "read">,
  thisYear: number,
): MeasureAnswer | null {
  const measure = asked.form === "growth" ? growthOf(asked) : asked.measure;
  for (const reading of readings) {
    const drivers = { book, calculate, read: reading.read };
    const periods = periodsOf(asked, reading, drivers, thisYear) ?? [];
    const each = periods.flatMap(({ at }) => compute(measure.of, at, drivers) ?? []);
    const last = each.at(-1);
    if (last === undefined || each.length < periods.length) continue;
    const values = each.map(({ value }) => value);
    const verdict = asked.claim === null ? "" : isTrue(asked.claim, values) ? "Yes. " : "No. ";
    const title = measure.name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
    // A value read from a single row needs no calculation.
    const sums = each.flatMap((one, at) =>
      /\d\)* [-+*/]/.test(one.sum) ? [`${periods[at]?.name}: ${sumOf(measure, one)}`] : [],
    );
    const lines = new Map(each.flatMap((one) => one.lines).map((line) => [line.row, line]));
    const text = `${verdict}${title}, ${told(each, periods, measure, asked)}`;
    return { text, sums, lines: [...lines.values()], last };
  }
  return null;
}

/** Growth of a measure over the previous year, in percent. */
const growthOf = ({ measure }: MeasureRequest): Measure => ({
  name: `growth of ${measure.name}`,
  of: `100 * change(${measure.of}) / prior(${measure.of})`,
  unit: "percent",
});
