import type { Limit } from "../../language/limits.ts";
import { stem } from "../../language/terms.ts";
import { termsOfUnit, unitNamed, unitsNamed } from "../../language/units.ts";
import { type Amount, amountOf, scaleFactor, unitOf, writtenLike } from "./amounts.ts";
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
import { sums, tellingTokens } from "./words.ts";

type Tokens = ReadonlySet<string>;

/** A column with the rows that are compared in it. */
interface Compared {
  readonly of: Named;
  readonly column: Column;
  readonly rows: readonly { readonly row: NamedRow; readonly amount: Amount; readonly text: string }[];
  readonly rest: Rest;
}

/** Rows from which one may stand out, where the question names none. */
const leastRows = 3;

/** The rows that a question compares: those it names, the parts of the one it names, or all; null where it is not told. */
function rowsOf({ rows, parts }: Named, given: readonly NamedRow[]): readonly NamedRow[] | null {
  const [only] = given;
  if (given.length > 1) return given;
  if (only !== undefined) return parts.get(only) ?? null;
  // A row at the head of its parts leaves open which of them are meant.
  return parts.size > 0 ? null : rows.filter(({ isTotal }) => !isTotal);
}

/** The amounts of a column that can be held against each other; null where not all can. */
function amountsIn(of: Named, rows: readonly NamedRow[], column: Column): Compared["rows"] | null {
  const known = rows.flatMap((row) => {
    const amount = amountOf(cellText(row, column));
    const text = `${cellText(row, column)}${scaleOf({ of, row, column })}`;
    return amount === undefined ? [] : [{ row, amount, text }];
  });
  if (known.length < rows.length || new Set(known.map(({ amount }) => unitOf(amount))).size > 1) return null;
  return new Set(known.map(({ row }) => row.row.label)).size < known.length ? null : known;
}

/** What all columns of a table come to by row; null where they are not all amounts in one unit. */
function summed(of: Named, rows: readonly NamedRow[]): Compared["rows"] | null {
  const each = of.columns.map((column) => amountsIn(of, rows, column));
  const known = each.filter((column) => column !== null);
  const [first] = known;
  const units = new Set(known.map(([one]) => one && unitOf(one.amount)));
  if (first === undefined || known.length < Math.max(2, each.length) || units.size > 1) return null;
  return first.map(({ row, amount }, at) => {
    const amounts = known.flatMap((column) => column[at]?.amount ?? []);
    const digits = Math.max(...amounts.map((one) => one.digits));
    const value = amounts.reduce((sum, one) => sum + one.value, 0);
    return { row, amount: { ...amount, value, digits }, text: writtenLike(value, amount, digits) };
  });
}

/** The column that a question names, or all of them where it names none and asks for their total. */
function columnOf({ columns }: Named, found: readonly Column[], tokens: Tokens): Column | null {
  const [column, ...others] = found;
  const total = sums.intersection(tokens);
  if (column !== undefined) return others.length === 0 ? column : null;
  if (total.size === 0) return null;
  const more = new Set(columns.flatMap(({ more: words }) => [...words]));
  return { at: 0, head: columns.map(({ head }) => head).join(" + "), own: total, more, end: "" };
}

/** The rows of a table that a question compares: it names their column, and all else stands around the table. */
function comparedOf(of: Named, tokens: Tokens, free: Tokens, called: Tokens): Compared | null {
  const column = columnOf(of, columnsNamed(of, tokens, ""), tokens);
  if (column === null || !of.table.isWhole) return null;
  const left = minus(tokens, column.own);
  const given = rowsNamed(of, left, "");
  const kept = rowsOf(of, given);
  const rows = kept && (column.at === 0 ? summed(of, kept) : amountsIn(of, kept, column));
  if (rows === null || rows.length < (given.length > 1 ? 2 : leastRows)) return null;
  const share = unitTokens(rows[0]?.amount, column);
  const said = minus(left, free, share, ...given.map(({ own }) => own));
  const rest = restOf(of, said, [column.more], called);
  return rest === null ? null : { of, column, rows, rest };
}

/** `West, South. Berths: West 9, South 9, East 4`: what is chosen, and what it was chosen from. */
export const comparedText = (chosen: readonly string[], head: string, each: readonly string[]): string =>
  `${chosen.join(", ")}. ${head}: ${each.join(", ")}`;

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
    const each = told.map(({ row, text }) => `${labelOf({ of, row })} ${text}`);
    const names = chosen.map(({ row }) => labelOf({ of, row }));
    const line = comparedText(names, column.head, told.length < sorted.length ? [...each, "…"] : each);
    const lines = linesOf(told.map(({ row }) => (column.at === 0 ? { of, row } : { of, row, column })));
    return [{ text: line, lines, label: column.head, isNamed: rest.byName.length > 0 }];
  });
  return new Set(answers.map(({ text }) => text)).size === 1 ? (answers[0] ?? null) : null;
}

/** The rows that have the most or the least of a column. */
export function extremeAnswer(
  asked: CellRequest & { readonly form: "extreme" },
  all: readonly Named[],
  called: Tokens,
): CellAnswer | null {
  const columns = comparedIn(all, asked.tokens, orderWords(asked.question), called);
  const found = asked.isPair ? columns.filter(({ rows }) => rows.length === 2) : columns;
  const edge = ({ rows }: Compared): Compared["rows"] => {
    const values = rows.map(({ amount }) => amount.value);
    const end = asked.order === "most" ? Math.max(...values) : Math.min(...values);
    return rows.filter(({ amount }) => amount.value === end);
  };
  return comparedAnswer(found, edge, asked.order);
}

/** Whether a column has amounts of what a limit measures, as far as their units tell. */
function isInUnit({ rows, column }: Compared, { measure }: Limit): boolean {
  const amount = rows[0]?.amount;
  const unit = unitNamed((amount?.unit ?? "").toLowerCase());
  const said = unitsNamed(column.head);
  if (measure === "%" || isShare(amount, column)) return measure === "%" && isShare(amount, column);
  const terms = termsOfUnit(measure);
  const isHeaded = said.has(measure) || !terms.isDisjointFrom(tellingTokens(column.head));
  if (terms.size > 0) return unit === measure || (unit === "" && isHeaded);
  return amount?.unit === "" || stem(amount?.unit ?? "") === measure || /^\p{Sc}$/u.test(amount?.unit ?? "");
}

/** The rows whose amounts a limit admits. */
export function conditionAnswer(
  asked: CellRequest & { readonly form: "condition" },
  all: readonly Named[],
  called: Tokens,
): CellAnswer | null {
  const { limit } = asked;
  const found = comparedIn(all, asked.tokens, conditionWords(asked), called);
  const bound = Math.abs(limit.most === Infinity ? limit.least : limit.most);
  const met = ({ of, column, rows }: Compared): Compared["rows"] => {
    const scales = new Set(rows.map(({ row }) => scaleOf({ of, row, column }).trim()));
    const [scale = ""] = scales;
    const factor = scale === "" ? 1 : scaleFactor(scale, "thousand") * 1000;
    // Of a table in thousands `more than 60` may mean either.
    if (scales.size > 1 || (factor > 1 && bound < factor)) return [];
    return rows.filter(
      ({ amount: { value } }) => value * factor >= limit.least && value * factor <= limit.most,
    );
  };
  const order = limit.most === Infinity ? "most" : "least";
  return comparedAnswer(
    found.filter((compared) => isInUnit(compared, limit)),
    met,
    order,
  );
}
