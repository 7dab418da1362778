import { mentionsAggregate } from "../../language/asking/values.ts";
import { amountOf } from "./amounts.ts";
import type { TextTable } from "./read.ts";

/** Largest gap between a sum and a total due to rounding; share of the total. */
const totalSlack = 0.02;
/** Fewest rows of a total: a sum of two may be chance. */
const leastParts = 3;
/** Fewest rows of a subtotal. */
const leastGroup = 2;

const isNear = (sum: number, total: number): boolean =>
  total !== 0 && Math.abs(sum - total) <= Math.abs(total) * totalSlack;

const isSumOfAll = (values: readonly number[], at: number): boolean =>
  values.length > leastParts &&
  isNear(values.reduce((sum, value) => sum + value, 0) - (values[at] ?? 0), values[at] ?? 0);

/** How many of the values after it may sum to a value: each possible count. */
function partsOf(values: readonly number[], at: number): ReadonlySet<number> {
  let sum = 0;
  const counts = values.slice(at + 1).flatMap((value, next) => {
    sum += value;
    return next + 1 >= leastGroup && isNear(sum, values[at] ?? 0) ? [next + 1] : [];
  });
  return new Set(counts);
}

/** The rows of a table that sum others, by index. */
export interface Sums {
  /** Totals of all other rows: the last row, or rows labelled so. */
  readonly totals: ReadonlySet<number>;
  /** Subtotals of the rows after them, with their number; 0 if ambiguous. */
  readonly parents: ReadonlyMap<number, number>;
}

/** Finds the rows that sum others in every column of amounts. */
export function findSumRows({ heads, rows }: TextTable): Sums {
  const totals = new Set(rows.flatMap(({ label }, at) => (mentionsAggregate(label) ? [at] : [])));
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
