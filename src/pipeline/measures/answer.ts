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
  /** The last year that is told, its value, and what that is in: a scale or "" where the page says none. */
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

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether values bear out what a question asks of them, the last against the first. */
export function isTrue(claim: NonNullable<MeasureRequest["claim"]>, values: readonly number[]): boolean {
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

/** What a measure is called at the start of an answer. */
export const titleOf = ({ name }: Measure): string =>
  name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Whether a value is more than what stands in one row. */
export const isSum = ({ sum }: Computed): boolean => /\d\)* [-+*/]/.test(sum);

/** The lines that values were computed from, each once. */
export const linesOf = (each: readonly Computed[]): readonly Line[] => [
  ...new Map(each.flatMap(({ lines }) => lines).map((line) => [line.row, line])).values(),
];

/** The formula in words, and with its numbers. */
export function sumOf({ of }: Measure, { sum }: Computed): string {
  const words = of
    .replaceAll("_", " ")
    .replace(/\bavg\(/g, "average(")
    .replace(/\bprior\(/g, "the year before(");
  return `${words} = ${sum.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString("en-US"))}`;
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
  const lastOf = each.at(-1);
  if (lastOf === undefined || each.length < computed.length) return null;
  const values = each.map(({ value }) => value);
  const period = (one: Computed): string => (isGrowth ? `${one.year - 1} to ${one.year}` : String(one.year));
  const listed = each.map((one) => `${period(one)}: ${figure(one, told, asked)}`);
  const [from, to] = each;
  if (form === "comparison" && from !== undefined && to !== undefined && each.length === 2)
    listed.push(`change: ${figure({ ...to, value: to.value - from.value }, told, asked)}`);
  const [one] = each;
  const text =
    form === "mean" && one !== undefined
      ? `mean of ${each.length} years: ${figure({ ...one, value: mean(values) }, told, asked)} (${listed.join(", ")})`
      : listed.join(", ");
  const verdict = asked.claim === null ? "" : isTrue(asked.claim, values) ? "Yes. " : "No. ";
  return {
    text: `${verdict}${titleOf(told)}, ${text}`,
    sums: each.filter(isSum).map((entry) => `${entry.year}: ${sumOf(told, entry)}`),
    lines: linesOf(each),
    last: lastOf,
  };
}

/** The growth of a measure over the year before, in percent. */
const growthOf = ({ measure }: MeasureRequest): Measure => ({
  name: `growth of ${measure.name}`,
  of: `100 * change(${measure.of}) / prior(${measure.of})`,
  unit: "percent",
});
