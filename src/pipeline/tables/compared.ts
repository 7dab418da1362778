import type { Limit } from "../../language/limits.ts";
import { isYear, stem } from "../../language/terms.ts";
import { termsOfUnit, unitNamed, unitsNamed } from "../../language/units.ts";
import { type Amount, amountOf, scaleFactor, unitOf, writtenLike } from "./amounts.ts";
import { type CellRequest, conditionWords, type Order, orderWords } from "./asked.ts";
import {
  type CellAnswer,
  cellText,
  isShare,
  labelOf,
  linesOf,
  type RowCell,
  restBeside,
  scaleOf,
  unitTokens,
} from "./cells.ts";
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
import { isWholeYear } from "./periods.ts";
import { sums, tellingTokens, yearWords } from "./words.ts";

type Tokens = ReadonlySet<string>;
type ComparingRequest = CellRequest & { readonly form: "extreme" | "condition" };

/** A compared amount, with the row or year it belongs to. */
interface Member {
  readonly name: string;
  readonly amount: Amount;
  /** As shown in the answer. */
  readonly text: string;
  readonly scale: string;
  readonly cell: RowCell;
}

/** Amounts to compare: a column across rows, or a row across years. */
interface Compared {
  readonly head: string;
  readonly members: readonly Member[];
  readonly rest: Rest;
  /** Whether their header makes them percentages. */
  readonly isShare: boolean;
}

/** Fewest rows for an extreme, if the question names none. */
const leastRows = 3;

/**
 * The rows that a question compares: those it names, the parts of the single one it names, or all; null if
 * that is ambiguous.
 */
function rowsOf({ rows, parts }: Named, given: readonly NamedRow[]): readonly NamedRow[] | null {
  const [only] = given;
  if (given.length > 1) return given;
  if (only !== undefined) return parts.get(only) ?? null;
  // With subtotals, it is open whether they or their parts are compared.
  return parts.size > 0 ? null : rows.filter(({ isTotal }) => !isTotal);
}

/** The contents of cells as comparable amounts; null if one is not an amount or their units differ. */
function membersOf(
  of: Named,
  cells: readonly { readonly row: NamedRow; readonly column: Column; readonly name: string }[],
  unit: (amount: Amount) => string = unitOf,
): readonly Member[] | null {
  const known = cells.flatMap(({ row, column, name }): Member[] => {
    const amount = amountOf(cellText(row, column));
    const scale = scaleOf({ of, row, column });
    const text = `${cellText(row, column)}${scale}`;
    return amount === undefined
      ? []
      : [{ name, amount, text, scale: scale.trim(), cell: { of, row, column } }];
  });
  const isOne = new Set(known.map(({ amount }) => unit(amount))).size === 1;
  const areApart = new Set(known.map(({ name }) => name)).size === cells.length;
  return known.length === cells.length && isOne && areApart ? known : null;
}

const inColumn = (of: Named, rows: readonly NamedRow[], column: Column): readonly Member[] | null =>
  membersOf(
    of,
    rows.map((row) => ({ row, column, name: labelOf({ of, row }) })),
  );

/** Sums of all columns by row; null unless all are amounts in one unit. */
function summed(of: Named, rows: readonly NamedRow[]): readonly Member[] | null {
  const known = of.columns.map((column) => inColumn(of, rows, column));
  const columns = known.filter((column) => column !== null);
  const [first] = columns;
  const units = new Set(columns.map(([one]) => one && unitOf(one.amount)));
  if (first === undefined || columns.length < Math.max(2, known.length) || units.size > 1) return null;
  return first.map(({ name, amount, cell: { row } }, at) => {
    const amounts = columns.flatMap((column) => column[at]?.amount ?? []);
    const digits = Math.max(...amounts.map((one) => one.digits));
    const value = amounts.reduce((sum, one) => sum + one.value, 0);
    const text = writtenLike(value, amount, digits);
    return { name, amount: { ...amount, value, digits }, text, scale: "", cell: { of, row } };
  });
}

/** The column that a question names, or all columns together if it names none and asks for their total. */
function columnOf({ columns }: Named, found: readonly Column[], tokens: Tokens): Column | null {
  const [column, ...others] = found;
  const total = sums.intersection(tokens);
  if (column !== undefined) return others.length === 0 ? column : null;
  if (total.size === 0) return null;
  const more = new Set(columns.flatMap(({ more: words }) => [...words]));
  return { at: 0, head: columns.map(({ head }) => head).join(" + "), own: total, more, end: "" };
}

/**
 * The amounts of a table's column that a question names; empty if the rest of the question does not match the
 * table.
 */
function columnsOf(of: Named, tokens: Tokens, free: Tokens, called: Tokens): readonly Compared[] {
  const column = columnOf(of, columnsNamed(of, tokens, ""), tokens);
  if (column === null || !of.table.isWhole) return [];
  const left = minus(tokens, column.own);
  const given = rowsNamed(of, left, "");
  const kept = rowsOf(of, given);
  const members = kept && (column.at === 0 ? summed(of, kept) : inColumn(of, kept, column));
  if (members === null || members.length < (given.length > 1 ? 2 : leastRows)) return [];
  const share = unitTokens(members[0]?.amount, column);
  const said = minus(left, free, share, ...given.map(({ own }) => own));
  const rest = restOf(of, said, [column.more], called);
  return rest === null
    ? []
    : [{ head: column.head, members, rest, isShare: isShare(members[0]?.amount, column) }];
}

/** The years of a row that a question names, restricted to those it mentions. */
function yearsOf(of: Named, tokens: Tokens, free: Tokens, called: Tokens): readonly Compared[] {
  const wanted = minus(tokens, free, yearWords);
  const asked = [...wanted].filter(isYear);
  const years = of.table.periods
    .filter(isWholeYear)
    .map(({ at, year }) => ({ name: String(year), column: of.columns[at - 1] }))
    .filter(({ name }) => asked.length === 0 || asked.includes(name));
  return rowsNamed(of, wanted, "").flatMap((row): Compared[] => {
    const cells = years.flatMap(({ name, column }) => (column === undefined ? [] : [{ row, column, name }]));
    // Tables often print the currency only in some years.
    const members = membersOf(of, cells, ({ unit }) => unit.replace(/\p{Sc}/u, ""));
    const names = new Set(years.map(({ name }) => name));
    const rest = restBeside(of, minus(wanted, names, new Set(["%"])), [row], [], called);
    const isWhole = members !== null && members.length > 1 && members.length >= asked.length;
    // With negative amounts it is unclear which is the largest loss.
    if (!isWhole || rest === null || members.some(({ amount }) => amount.value < 0)) return [];
    return [{ head: labelOf({ of, row }), members, rest, isShare: members[0]?.amount.unit === "%" }];
  });
}

/** `West, South. Berths: West 9, South 9, East 4`: the selection, then the candidates. */
const comparedText = (chosen: readonly string[], head: string, each: readonly string[]): string =>
  `${chosen.join(", ")}. ${head}: ${each.join(", ")}`;

/** Most rows shown in addition to the selection. */
const longestTold = 6;

function comparedAnswer(
  found: readonly Compared[],
  chosenOf: (compared: Compared) => readonly Member[],
  order: Order,
): CellAnswer | null {
  const answers = found.flatMap((compared): CellAnswer[] => {
    const { head, rest } = compared;
    const sign = order === "most" ? -1 : 1;
    const sorted = compared.members.toSorted(
      (left, right) => sign * (left.amount.value - right.amount.value),
    );
    const chosen = chosenOf({ ...compared, members: sorted });
    if (chosen.length === 0) return [];
    const listed = sorted.slice(0, Math.max(longestTold, chosen.length));
    const each = listed.map(({ name, text }) => `${name} ${text}`);
    const line = comparedText(
      chosen.map(({ name }) => name),
      head,
      listed.length < sorted.length ? [...each, "…"] : each,
    );
    const lines = linesOf(listed.map(({ cell }) => cell));
    return [{ text: line, lines, label: head, isNamed: rest.byName.length > 0 }];
  });
  return new Set(answers.map(({ text }) => text)).size === 1 ? (answers[0] ?? null) : null;
}

/** The members with the highest or lowest amount. */
function edgeOf({ members }: Compared, order: Order): readonly Member[] {
  const values = members.map(({ amount }) => amount.value);
  const end = order === "most" ? Math.max(...values) : Math.min(...values);
  return members.filter(({ amount }) => amount.value === end);
}

/** Whether amounts have the unit of a limit, as far as units are known. */
function isInUnit({ members, head, isShare: isOfHundred }: Compared, { measure }: Limit): boolean {
  const written = members[0]?.amount.unit ?? "";
  const unit = unitNamed(written.toLowerCase());
  if (measure === "%" || isOfHundred) return measure === "%" && isOfHundred;
  const terms = termsOfUnit(measure);
  const isHeaded = unitsNamed(head).has(measure) || !terms.isDisjointFrom(tellingTokens(head));
  if (terms.size > 0) return unit === measure || (unit === "" && isHeaded);
  return written === "" || stem(written) === measure || /^\p{Sc}$/u.test(written);
}

/** The members within a limit. */
function admitted({ members }: Compared, { least, most }: Limit): readonly Member[] {
  const bound = Math.abs(most === Infinity ? least : most);
  const [scale = "", ...others] = new Set(members.map((member) => member.scale));
  const factor = scale === "" ? 1 : scaleFactor(scale, "thousand") * 1000;
  // In a table of thousands `more than 60` is ambiguous.
  if (others.length > 0 || (factor > 1 && bound < factor)) return [];
  return members.filter(({ amount: { value } }) => value * factor >= least && value * factor <= most);
}

/** Answers which rows, or years of a row, have the highest or lowest amount, or one beyond a limit. */
export function comparisonAnswer(
  asked: ComparingRequest,
  all: readonly Named[],
  called: Tokens,
): CellAnswer | null {
  const free = asked.form === "extreme" ? orderWords(asked.question) : conditionWords(asked);
  const answerFrom = (found: readonly Compared[]): CellAnswer | null => {
    if (asked.form === "extreme") {
      const kept = found.filter(({ members }) => !asked.isPair || members.length === 2);
      return comparedAnswer(kept, (compared) => edgeOf(compared, asked.order), asked.order);
    }
    const { limit } = asked;
    const kept = found.filter((compared) => isInUnit(compared, limit));
    const order = limit.most === Infinity ? "most" : "least";
    return comparedAnswer(kept, (compared) => admitted(compared, limit), order);
  };
  const byRows = answerFrom(all.flatMap((of) => columnsOf(of, asked.tokens, free, called)));
  if (byRows !== null || !asked.isYear) return byRows;
  return answerFrom(all.flatMap((of) => yearsOf(of, asked.tokens, free, called)));
}
