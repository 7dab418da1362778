import { scaleFactor } from "../tables/amounts.ts";
import { type Computed, compute, type MeasureDrivers } from "./compute.ts";
import type { Measure } from "./entries.ts";
import type { MeasureRequest } from "./request.ts";
import type { Line } from "./statements.ts";

/** An answer computed from financial statements. */
export interface MeasureAnswer {
  /** One line: the measure, its years and its value. */
  readonly text: string;
  /** How it was computed, one line per year. */
  readonly sums: readonly string[];
  /** Statement lines it was computed from, without duplicates. */
  readonly lines: readonly Line[];
  /** The last value shown: its year, value and scale; the scale is "" if the page gives none. */
  readonly last: Pick<Computed, "year" | "value" | "scale">;
}

const number = (value: number, places: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });

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
  return `${number(shown, decimals ?? usualPlaces[asPercent ? "percent" : "ratio"])}${asPercent ? "%" : ""}`;
}

/** How many years back to look for a document's last year. */
const yearsBack = 40;

/** A value of a measure as text: `59,268 million`, `1.73`, `5.4%`. */
export function figure({ value, scale, lines }: Computed, { unit }: Measure, asked: MeasureRequest): string {
  if (unit !== "amount") return shareFigure(value, unit, asked);
  const currency = lines[0]?.currency ?? "";
  const written = (amount: number, places: number, of: string): string =>
    `${amount < 0 ? "-" : ""}${currency}${number(Math.abs(amount), places)}${of === "" ? "" : ` ${of}`}`;
  const own = written(value, Number.isInteger(value) ? 0 : 2, scale);
  if (asked.scale === "" || scale === "" || asked.scale === scale) return own;
  const converted = value * scaleFactor(scale, asked.scale);
  const places = asked.decimals ?? (Math.abs(converted) < 100 ? 1 : 0);
  return `${written(converted, places, asked.scale)} (${own})`;
}

/** The years to show: those asked for; for a comparison of one year also the year before. */
function yearsOf({ years, form }: MeasureRequest, last: number): readonly number[] {
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
function sumOf({ of }: Measure, { sum }: Computed): string {
  const words = of
    .replaceAll("_", " ")
    .replace(/\bavg\(/g, "average(")
    .replace(/\bprior\(/g, "the year before(");
  return `${words} = ${sum.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString("en-US"))}`;
}

/**
 * Formats the values of a measure as an answer. `names`: the period of each; `told`: the text of the values.
 */
export function answerOf(
  measure: Measure,
  claim: MeasureRequest["claim"],
  each: readonly Computed[],
  names: readonly string[],
  told: string,
): MeasureAnswer | null {
  const last = each.at(-1);
  if (last === undefined) return null;
  const values = each.map(({ value }) => value);
  const verdict = claim === null ? "" : isTrue(claim, values) ? "Yes. " : "No. ";
  const title = measure.name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const lines = new Map(each.flatMap((one) => one.lines).map((line) => [line.row, line]));
  // A value read from a single row needs no calculation.
  const sums = each.flatMap((one, at) =>
    /\d\)* [-+*/]/.test(one.sum) ? [`${names[at]}: ${sumOf(measure, one)}`] : [],
  );
  return { text: `${verdict}${title}, ${told}`, sums, lines: [...lines.values()], last };
}

/**
 * Answers a question about a measure from a document's statements; null if they lack an input. `thisYear`:
 * the latest year to try if the question names none.
 */
export function answerMeasure(
  asked: MeasureRequest,
  drivers: MeasureDrivers,
  thisYear: number,
): MeasureAnswer | null {
  const { measure, form } = asked;
  const last = asked.years.at(-1) ?? lastYear(measure, drivers, thisYear);
  if (last === undefined) return null;
  const isGrowth = form === "growth";
  const reported = isGrowth ? growthOf(asked) : measure;
  const computed = yearsOf(asked, last).map((year) => compute(reported.of, year, drivers));
  const each = computed.filter((one) => one !== null);
  if (each.length < computed.length) return null;
  const period = (one: Computed): string => (isGrowth ? `${one.year - 1} to ${one.year}` : String(one.year));
  const listed = each.map((one) => `${period(one)}: ${figure(one, reported, asked)}`);
  const [from, to] = each;
  if (form === "comparison" && from !== undefined && to !== undefined && each.length === 2)
    listed.push(`change: ${figure({ ...to, value: to.value - from.value }, reported, asked)}`);
  const all = listed.join(", ");
  const mean = from && { ...from, value: meanOf(each.map(({ value }) => value)) };
  const text =
    form === "mean" && mean ? `mean of ${each.length} years: ${figure(mean, reported, asked)} (${all})` : all;
  return answerOf(
    reported,
    asked.claim,
    each,
    each.map(({ year }) => String(year)),
    text,
  );
}

/** Growth of a measure over the previous year, in percent. */
const growthOf = ({ measure }: MeasureRequest): Measure => ({
  name: `growth of ${measure.name}`,
  of: `100 * change(${measure.of}) / prior(${measure.of})`,
  unit: "percent",
});
