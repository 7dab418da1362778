import { saysAggregate } from "../../language/asking/values.ts";
import { amountOf } from "./amounts.ts";
import type { Table } from "./read.ts";

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

/** By how many of the values that follow it one may be come to: each number of them that sums up to it. */
function partsOf(values: readonly number[], at: number): ReadonlySet<number> {
  let sum = 0;
  const counts = values.slice(at + 1).flatMap((value, next) => {
    sum += value;
    return next + 1 >= leastGroup && isNear(sum, values[at] ?? 0) ? [next + 1] : [];
  });
  return new Set(counts);
}

/** The rows of a table that add up others, by their places. */
export interface Sums {
  /** Of all of the rest: the last row, or those called so. */
  readonly totals: ReadonlySet<number>;
  /** Of rows that follow, with how many these are; 0 where that is not told. */
  readonly parents: ReadonlyMap<number, number>;
}

/** The rows of a table that add up others, in every column of amounts. */
export function sumsOf({ heads, rows }: Table): Sums {
  const totals = new Set(rows.flatMap(({ label }, at) => (saysAggregate(label) ? [at] : [])));
  const last = rows.length - 1;
  const columns = heads
    .slice(1)
    .map((_, at) => rows.map(({ cells }) => amountOf(cells[at + 1] ?? "")?.value));
  const whole = columns.filter((column): column is number[] => column.every((value) => value !== undefined));
  if (!totals.has(last) && whole.some((values) => isSumOfAll(values, last))) totals.add(last);
  const parents = rows.flatMap((_, at) => {
    if (whole.length === 0 || totals.has(at)) return [];
    const [first = new Set<number>(), ...others] = whole.map((values) => partsOf(values, at));
    const counts = others.reduce((some, other) => some.intersection(other), first);
    const [count = 0] = counts;
    return counts.size === 0 ? [] : [[at, counts.size === 1 ? count : 0] as const];
  });
  return { totals, parents: new Map(parents) };
}
