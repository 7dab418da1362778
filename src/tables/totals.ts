import { mentionsAggregate } from "../language/asking/values.ts";
import { words } from "../language/terms.ts";

/** A column of amounts; null where a row has none. */
type Amounts = readonly (number | null)[];

/** Addends that a row without a label or an empty cell must have, so that it is no chance. */
const leastAddends = 3;
/** Share of rows with a value that make an empty cell of a column an exception. */
const usuallyFilled = 0.8;

/** Most a sum may differ from its total because of rounding, by the decimals that the total has. */
function slack(total: number, addends: number): number {
  const decimals = /\.(\d+)$/.exec(String(total))?.[1]?.length ?? 0;
  const unit = 10 ** -decimals;
  return Math.max(
    unit * (decimals === 0 ? 0.5 : 1.01),
    Math.min((addends * unit) / 2, Math.abs(total) / 1000),
  );
}

/** The sum of a stretch of rows, and how many of them are not zero. */
interface Sum {
  value: number;
  addends: number;
}

const add = (sum: Sum, value: number | null): void => {
  if (value === null || value === 0) return;
  sum.value += value;
  sum.addends += 1;
};

function isSum(total: number, { value, addends }: Sum): boolean {
  const apart = Math.abs(value - total);
  return addends >= 2 && apart <= Math.max(1.01, Math.abs(total) / 1000) && apart <= slack(total, addends);
}

/** What sets a row apart from others, other than its amounts. */
interface RowSigns {
  /** A short label that says total, sum or average. */
  readonly isLabelled: boolean;
  /** Whether a word of it ends in one that says so, as `Subtotal` does: a sign only where the amounts agree. */
  readonly isCompound: boolean;
  /** Whether the label says nothing else. */
  readonly isOnlyLabel: boolean;
  /** Whether a column is empty here that is filled nearly everywhere. */
  readonly hasGap: boolean;
}

/** Shortest end of a word that may say total. */
const shortestEnd = 5;

const endsInAggregate = (word: string): boolean =>
  Array.from({ length: Math.max(0, word.length - shortestEnd) }, (_, at) => word.slice(at + 1)).some(
    mentionsAggregate,
  );

/** Words of a label that may stand around the one that says total. */
const labelWords = 4;

function signsOf(rows: readonly (readonly string[])[]): readonly RowSigns[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const isUsual = Array.from({ length: width }, (_, column) => {
    const filled = rows.filter((row) => (row[column] ?? "").trim() !== "").length;
    return (
      filled < rows.length && filled >= rows.length * Math.min(usuallyFilled, (rows.length - 1) / rows.length)
    );
  });
  return rows.map((row) => {
    const label = row.find((cell) => /\p{L}/u.test(cell)) ?? "";
    const said = words(label);
    return {
      isLabelled: said.length <= labelWords && mentionsAggregate(label),
      isCompound: said.length <= labelWords && said.some(endsInAggregate),
      isOnlyLabel: said.length > 0 && said.every((word) => mentionsAggregate(word)),
      hasGap: isUsual.some((usual, column) => usual && (row[column] ?? "").trim() === ""),
    };
  });
}

/** The running sums of a column: of all rows that are no totals, and of those since the last total. */
interface Running {
  readonly all: Sum;
  since: Sum;
}

const nothing = (): Sum => ({ value: 0, addends: 0 });

/** Whether a row adds up rows before it, by its amounts and what else sets it apart. */
function addsUp(own: Amounts, running: readonly Running[], signs: RowSigns): boolean {
  const given = own.filter((value) => value !== null && value !== 0).length;
  const agreeing = running.filter(({ all, since }, column) => {
    const total = own[column] ?? null;
    return total !== null && total !== 0 && (isSum(total, all) || isSum(total, since));
  });
  if (agreeing.length === 0 || agreeing.length * 2 < given) return false;
  const addends = agreeing.reduce((most, { all }) => Math.max(most, all.addends), 0);
  return (
    signs.isLabelled ||
    signs.isCompound ||
    (agreeing.length === given && addends >= leastAddends && (agreeing.length > 1 || signs.hasGap))
  );
}

/** Counts a row in the running sums, or begins anew after a total. */
function advance(running: readonly Running[], own: Amounts, isTotal: boolean): void {
  for (const [column, sums] of running.entries()) {
    if (isTotal) sums.since = nothing();
    else for (const sum of [sums.all, sums.since]) add(sum, own[column] ?? null);
  }
}

/**
 * The rows of a table that add up others of it, by index: every one of which the amounts are the sums of the
 * rows before it, or of the rows since the last such row, and that is labelled so, has a gap, or agrees in
 * several columns; and a last row that only its label gives away.
 */
export function totalRows(
  rows: readonly (readonly string[])[],
  columns: readonly Amounts[],
): ReadonlySet<number> {
  const signs = signsOf(rows);
  const totals = new Set<number>();
  const running = columns.map((): Running => ({ all: nothing(), since: nothing() }));
  for (const [at, sign] of signs.entries()) {
    const own = columns.map((amounts) => amounts[at] ?? null);
    const isTotal = addsUp(own, running, sign);
    if (isTotal) totals.add(at);
    advance(running, own, isTotal);
  }
  for (const [at, { isLabelled, isOnlyLabel, hasGap }] of [...signs.entries()].slice(1).reverse()) {
    if (isLabelled && (isOnlyLabel || hasGap)) totals.add(at);
    else if (!totals.has(at)) break;
  }
  return totals;
}
