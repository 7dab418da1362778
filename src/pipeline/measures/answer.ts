import { scaleFactor } from "../tables/amounts.ts";
import { type Computed, compute, type MeasureDrivers } from "./compute.ts";
import type { Measure } from "./entries.ts";
import type { MeasureRequest } from "./request.ts";
import type { Line } from "./statements.ts";

/** What statements say to a question, computed. */
export interface MeasureAnswer {
  /** One line: the measure, its years and its value. */
  readonly text: string;
  /** How it was computed, a line for each year. */
  readonly sums: readonly string[];
  /** Lines that it was computed from, each once. */
  readonly lines: readonly Line[];
  /** What is told last: its year, its value, and what that is in; "" where the page says no scale. */
  readonly last: Pick<Computed, "year" | "value" | "scale">;
}

const number = (value: number, places: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });

/** Digits behind the point where the question does not say. */
const usualPlaces = { ratio: 2, percent: 1 } as const;

/** A share as it is asked for: in percent, or as a number where that is to have three digits or more. */
function shareFigure(
  value: number,
  unit: "ratio" | "percent",
  { decimals, isPercent }: MeasureRequest,
): string {
  const asPercent = isPercent || (unit === "percent" && (decimals ?? 0) < 3);
  const shown = value * (asPercent === (unit === "percent") ? 1 : asPercent ? 100 : 0.01);
  return `${number(shown, decimals ?? usualPlaces[asPercent ? "percent" : "ratio"])}${asPercent ? "%" : ""}`;
}

/** Years that a document's last one is looked for in, from now backwards. */
const yearsBack = 40;

/** A value of a measure in words: `59,268 million`, `1.73`, `5.4%`. */
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

/** The years that are told: those asked for, of a comparison or growth of one year the one before it too. */
function yearsOf({ years, form }: MeasureRequest, last: number): readonly number[] {
  const asked = years.length === 0 ? [last] : years;
  const [from = last] = asked;
  if (form === "growth") return [asked.at(-1) ?? last];
  return form === "comparison" && asked.length === 1 ? [from - 1, from] : asked;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether values bear out what a question asks of them, the last against the first. */
function isTrue(claim: NonNullable<MeasureRequest["claim"]>, values: readonly number[]): boolean {
  const [first = 0, last = first] = [values[0], values.at(-1)];
  if (claim === "up") return last > first;
  if (claim === "down") return last < first;
  return claim === "positive" ? last > 0 : last < 0;
}

/** The last year that a formula can be computed for, from this year on backwards; undefined for none. */
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

/** The values of a measure as an answer. `names`: what each is of; `told`: what is said of them. */
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
  // What stands in one row needs no sum.
  const sums = each.flatMap((one, at) =>
    /\d\)* [-+*/]/.test(one.sum) ? [`${names[at]}: ${sumOf(measure, one)}`] : [],
  );
  return { text: `${verdict}${title}, ${told}`, sums, lines: [...lines.values()], last };
}

/**
 * Answers a question about a measure from the statements of a document; null where they do not have what it is
 * computed from. `thisYear`: none later is looked for where the question names no year.
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
  const told = isGrowth ? growthOf(asked) : measure;
  const computed = yearsOf(asked, last).map((year) => compute(told.of, year, drivers));
  const each = computed.filter((one) => one !== null);
  if (each.length < computed.length) return null;
  const period = (one: Computed): string => (isGrowth ? `${one.year - 1} to ${one.year}` : String(one.year));
  const listed = each.map((one) => `${period(one)}: ${figure(one, told, asked)}`);
  const [from, to] = each;
  if (form === "comparison" && from !== undefined && to !== undefined && each.length === 2)
    listed.push(`change: ${figure({ ...to, value: to.value - from.value }, told, asked)}`);
  const all = listed.join(", ");
  const mean = from && { ...from, value: meanOf(each.map(({ value }) => value)) };
  const text =
    form === "mean" && mean ? `mean of ${each.length} years: ${figure(mean, told, asked)} (${all})` : all;
  return answerOf(
    told,
    asked.claim,
    each,
    each.map(({ year }) => String(year)),
    text,
  );
}

/** The growth of a measure over the year before, in percent. */
const growthOf = ({ measure }: MeasureRequest): Measure => ({
  name: `growth of ${measure.name}`,
  of: `100 * change(${measure.of}) / prior(${measure.of})`,
  unit: "percent",
});
