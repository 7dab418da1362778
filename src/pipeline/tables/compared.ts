import { type Amount, amountOf } from "./amounts.ts";
import { type CellRequest, conditionWords, type Order, orderWords } from "./asked.ts";
import { type CellAnswer, cellText, isShare, labelOf, linesOf, scaleOf, unitTokens } from "./cells.ts";
import {
  type Column,
  columnsNamed,
  minus,
  type Named,
  type NamedRow,
  type Rest,
  restOf,
  rowsNamed,
} from "./find.ts";

type Tokens = ReadonlySet<string>;

/** A column with the rows that are compared in it. */
interface Compared {
  readonly of: Named;
  readonly column: Column;
  readonly rows: readonly { readonly row: NamedRow; readonly amount: Amount }[];
  readonly rest: Rest;
}

/** Rows from which one may stand out, where the question names none. */
const leastRows = 3;

/** The amounts of a column that can be held against each other; null where not all can, or rows add up others. */
function amountsOf(
  { rows, parents }: Named,
  given: readonly NamedRow[],
  column: Column,
): Compared["rows"] | null {
  const isGiven = given.length > 0;
  const kept = isGiven ? given : rows.filter(({ isTotal }) => !isTotal);
  const read = kept.map((row) => ({ row, amount: amountOf(cellText(row, column)) }));
  const known = read.flatMap(({ row, amount }) => (amount === undefined ? [] : [{ row, amount }]));
  if (known.length < kept.length || new Set(known.map(({ amount }) => amount.unit)).size > 1) return null;
  if (new Set(known.map(({ row }) => row.row.label)).size < known.length) return null;
  // A row at the head of its parts leaves open which of them are meant.
  if (!isGiven && (parents.length > 0 || known.length < leastRows)) return null;
  return known;
}

/** The rows of a table that a question compares: it names their column, and all else stands around the table. */
function comparedOf(of: Named, tokens: Tokens, free: Tokens, called: Tokens): Compared | null {
  const columns = columnsNamed(of, tokens, "");
  const [column] = columns;
  if (column === undefined || columns.length > 1 || !of.table.isWhole) return null;
  const left = minus(tokens, column.own);
  const given = rowsNamed(of, left);
  if (given.length === 1) return null;
  const rows = amountsOf(of, given, column);
  if (rows === null) return null;
  const share = unitTokens(rows[0]?.amount, column);
  const said = minus(left, free, share, ...given.map(({ own }) => own));
  const rest = restOf(of, said, [column.more], called);
  return rest === null || rest.isLoose ? null : { of, column, rows, rest };
}

const comparedIn = (
  all: readonly Named[],
  ...asked: readonly [tokens: Tokens, free: Tokens, called: Tokens]
): readonly Compared[] => all.flatMap((of) => comparedOf(of, ...asked) ?? []);

/** Rows told at most beside those that are asked for. */
const longestTold = 6;

function comparedAnswer(
  found: readonly Compared[],
  chosenOf: (compared: Compared) => Compared["rows"],
  order: Order,
): CellAnswer | null {
  const answers = found.flatMap((compared): CellAnswer[] => {
    const { of, column, rest } = compared;
    const sign = order === "most" ? -1 : 1;
    const sorted = compared.rows.toSorted((left, right) => sign * (left.amount.value - right.amount.value));
    const chosen = chosenOf({ ...compared, rows: sorted });
    if (chosen.length === 0) return [];
    const told = sorted.slice(0, Math.max(longestTold, chosen.length));
    const each = told.map(
      ({ row }) => `${labelOf({ of, row })} ${cellText(row, column)}${scaleOf({ of, row, column })}`,
    );
    const names = chosen.map(({ row }) => labelOf({ of, row })).join(", ");
    const text = `${names}. ${column.head}: ${each.join(", ")}${told.length < sorted.length ? ", …" : ""}`;
    const lines = linesOf(told.map(({ row }) => ({ of, row })));
    return [{ text, lines, label: column.head, isNamed: rest.byName.length > 0 }];
  });
  return new Set(answers.map(({ text }) => text)).size === 1 ? (answers[0] ?? null) : null;
}

export function extremeAnswer(
  asked: CellRequest & { readonly form: "extreme" },
  all: readonly Named[],
  called: Tokens,
): CellAnswer | null {
  const found = comparedIn(all, asked.tokens, orderWords(asked.question), called);
  const edge = ({ rows }: Compared): Compared["rows"] => {
    const values = rows.map(({ amount }) => amount.value);
    const end = asked.order === "most" ? Math.max(...values) : Math.min(...values);
    return rows.filter(({ amount }) => amount.value === end);
  };
  return comparedAnswer(found, edge, asked.order);
}

export function conditionAnswer(
  asked: CellRequest & { readonly form: "condition" },
  all: readonly Named[],
  called: Tokens,
): CellAnswer | null {
  const { least, most, measure } = asked.limit;
  const found = comparedIn(all, asked.tokens, conditionWords(asked), called);
  const isInUnit = ({ rows, column }: Compared): boolean => {
    return isShare(rows[0]?.amount, column) === (measure === "%");
  };
  const met = ({ rows }: Compared): Compared["rows"] =>
    rows.filter(({ amount: { value } }) => value >= least && value <= most);
  return comparedAnswer(found.filter(isInUnit), met, most === Infinity ? "most" : "least");
}
