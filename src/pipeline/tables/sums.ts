import { saysAggregate } from "../answer/judge/figures/figures.ts";
import { amountOf } from "./amounts.ts";
import type { PageTable } from "./read.ts";

/** How far a sum may lie from a total, as figures are rounded; share of the total. */
const totalSlack = 0.02;
/** Rows that a total adds up, at least: of two any sum may be chance. */
const leastParts = 3;
/** Rows that the head of a group adds up, at least. */
const leastGroup = 2;

const isNear = (sum: number, total: number): boolean =>
  total !== 0 && Math.abs(sum - total) <= Math.abs(total) * totalSlack;

/** Whether a value is what all others come to. */
const isSumOfAll = (values: readonly number[], at: number): boolean =>
  values.length > leastParts &&
  isNear(values.reduce((sum, value) => sum + value, 0) - (values[at] ?? 0), values[at] ?? 0);

/** Whether a value is what some of those that follow it come to. */
function headsParts(values: readonly number[], at: number): boolean {
  let sum = 0;
  return values.slice(at + 1).some((value, next) => {
    sum += value;
    return next + 1 >= leastGroup && isNear(sum, values[at] ?? 0);
  });
}

/** Places of the rows that add up others: all of the rest (the last one, or one called so), or those that follow. */
export function sumsOf({ heads, rows }: PageTable): {
  readonly totals: ReadonlySet<number>;
  readonly parents: ReadonlySet<number>;
} {
  const totals = new Set(rows.flatMap(({ label }, at) => (saysAggregate(label) ? [at] : [])));
  const last = rows.length - 1;
  const columns = heads
    .slice(1)
    .map((_, at) => rows.map(({ cells }) => amountOf(cells[at + 1] ?? "")?.value));
  const whole = columns.filter((column): column is number[] => column.every((value) => value !== undefined));
  if (!totals.has(last) && whole.some((values) => isSumOfAll(values, last))) totals.add(last);
  const parents = rows.flatMap((_, at) => {
    const isHead = whole.length > 0 && !totals.has(at) && whole.every((values) => headsParts(values, at));
    return isHead ? [at] : [];
  });
  return { totals, parents: new Set(parents) };
}
