import type { Limit } from "../../language/limits.ts";
import { isYear, stem } from "../../language/terms.ts";
import { canonicalUnit, termsOfUnit, unitsInLabel } from "../../language/units.ts";
import type { CellOperation, Order } from "../../tables/query/cells-asked.ts";
import { contentTokens, yearWords } from "../../tables/query/words.ts";
import { amountOf, type CellAmount, scaleFactor, unitOf } from "./amounts.ts";
import {
  type Asked,
  cellOf,
  type FoundCell,
  isShare,
  labelOf,
  linesOf,
  remainingTerms,
  scaleOf,
  type TableAnswer,
} from "./cells.ts";
import { findColumns, findRows, type Named, type NamedRow, type Rest, subtract } from "./find.ts";
import { isWholeYear } from "./periods.ts";

type Comparison = Asked<CellOperation & { readonly kind: "extreme" | "condition" }>;

/** A compared amount, with the row or year it belongs to. */
interface Member {
  readonly name: string;
  readonly amount: CellAmount;
  readonly cell: FoundCell;
}

/** Amounts to compare: a column across rows, or a row across years. */
interface Compared {
  readonly head: string;
  readonly members: readonly Member[];
  readonly rest: Rest;
}

/** Fewest rows for an extreme, if the question names none. */
const leastRows = 3;

/**
 * The rows that a question compares: those it names, the parts of the single one it names, or all; none if
 * that is ambiguous.
 */
function rowsOf({ rows, parts }: Named, given: readonly NamedRow[]): readonly NamedRow[] {
  const [only] = given;
  if (given.length > 1) return given;
  if (only !== undefined) return parts.get(only) ?? [];
  // With subtotals, it is open whether they or their parts are compared.
  return parts.size > 0 ? [] : rows.filter(({ isTotal }) => !isTotal);
}

/** Cells as comparable amounts; none if one is not an amount, their units differ or two have one name. */
function membersOf(
  cells: readonly (readonly [name: string, cell: FoundCell])[],
  unit: (amount: CellAmount) => string,
): readonly Member[] {
  const known = cells.flatMap(([name, cell]): readonly Member[] => {
    const amount = amountOf(cell.text);
    return amount === undefined ? [] : [{ name, amount, cell }];
  });
  const isOne = new Set(known.map(({ amount }) => unit(amount))).size === 1;
  const areApart = new Set(known.map(({ name }) => name)).size === cells.length;
  return known.length === cells.length && isOne && areApart ? known : [];
}

/** The amounts of the column that a question names; none if the rest of it does not match the table. */
function inColumn(of: Named, { tokens, free, called }: Comparison): readonly Compared[] {
  const [column, ...others] = findColumns(of, tokens, "");
  if (column === undefined || others.length > 0 || !of.table.isWhole) return [];
  const given = findRows(of, subtract(tokens, column.own), "");
  const cells = rowsOf(of, given).map((row) => cellOf(of, row, column));
  const members = membersOf(
    cells.map((cell) => [labelOf(cell), cell]),
    unitOf,
  );
  const share = new Set(isShare(members[0]?.amount, column) ? ["%"] : []);
  const rest = remainingTerms(of, { tokens: subtract(tokens, free, share), called }, given, [column]);
  const isEnough = members.length >= (given.length > 1 ? 2 : leastRows);
  return isEnough && rest !== null ? [{ head: column.head, members, rest }] : [];
}

/** The years of a row that a question names, restricted to those it mentions. */
function inRow(of: Named, { tokens, free, called }: Comparison): readonly Compared[] {
  const wanted = subtract(tokens, free, yearWords);
  const asked = [...wanted].filter(isYear);
  const years = of.table.periods
    .filter(isWholeYear)
    .filter(({ year }) => asked.length === 0 || asked.includes(String(year)));
  return findRows(of, wanted, "").flatMap((row): readonly Compared[] => {
    const cells = years.flatMap(({ at, year }) => {
      const column = of.columns[at - 1];
      return column === undefined ? [] : [[String(year), cellOf(of, row, column)] as const];
    });
    // Tables often print the currency only in some years.
    const members = membersOf(cells, ({ unit }) => unit.replace(/\p{Sc}/u, ""));
    const names = new Set(years.map(({ year }) => String(year)));
    const rest = remainingTerms(of, { tokens: subtract(wanted, names, new Set(["%"])), called }, [row], []);
    const isWhole = members.length > 1 && members.length >= asked.length;
    // With negative amounts it is unclear which is the largest loss.
    if (!isWhole || rest === null || members.some(({ amount }) => amount.value < 0)) return [];
    return [{ head: labelOf({ of, row }), members, rest }];
  });
}

/** The members with the highest or lowest amount. */
function edgeOf(members: readonly Member[], order: Order): readonly Member[] {
  const values = members.map(({ amount }) => amount.value);
  const end = order === "most" ? Math.max(...values) : Math.min(...values);
  return members.filter(({ amount }) => amount.value === end);
}

/** Whether amounts have the unit of a limit, as far as units are known. */
function isInUnit({ members: [first], head }: Compared, { measure }: Limit): boolean {
  const isOfHundred = first !== undefined && isShare(first.amount, first.cell.column);
  if (measure === "%" || isOfHundred) return measure === "%" && isOfHundred;
  const written = first?.amount.unit ?? "";
  const unit = canonicalUnit(written.toLowerCase());
  const terms = termsOfUnit(measure);
  const isHeaded = unitsInLabel(head).has(measure) || !terms.isDisjointFrom(contentTokens(head));
  if (terms.size > 0) return unit === measure || (unit === "" && isHeaded);
  return written === "" || stem(written) === measure || /^\p{Sc}$/u.test(written);
}

/** The members within a limit. */
function admitted(compared: Compared, limit: Limit): readonly Member[] {
  const { least, most } = limit;
  const { members } = compared;
  const [scale = "", ...others] = new Set(members.map(({ cell }) => scaleOf(cell).trim()));
  const factor = scale === "" ? 1 : scaleFactor(scale, "thousand") * 1000;
  // In a table of thousands `more than 60` is ambiguous.
  const isUnclear = factor > 1 && Math.abs(most === Infinity ? least : most) < factor;
  if (others.length > 0 || isUnclear || !isInUnit(compared, limit)) return [];
  return members.filter(({ amount: { value } }) => value * factor >= least && value * factor <= most);
}

/** The members that a question asks for. */
function chosenOf(compared: Compared, { operation }: Comparison): readonly Member[] {
  if (operation.kind === "condition") return admitted(compared, operation.limit);
  const { order, isPair } = operation;
  return isPair && compared.members.length !== 2 ? [] : edgeOf(compared.members, order);
}

/** Most rows shown in addition to the selection. */
const longestTold = 6;

/** `West, South. Berths: West 9, South 9, East 4`: the selection, then the candidates. */
function comparedAnswer(compared: Compared, query: Comparison): TableAnswer | null {
  const { operation } = query;
  const isMost =
    operation.kind === "extreme" ? operation.order === "most" : operation.limit.most === Infinity;
  const sign = isMost ? -1 : 1;
  const members = compared.members.toSorted((one, other) => sign * (one.amount.value - other.amount.value));
  const chosen = chosenOf({ ...compared, members }, query);
  if (chosen.length === 0) return null;
  const listed = members
    .slice(0, Math.max(longestTold, chosen.length))
    .map(({ name, cell }) => ({ name, cell }));
  const each = listed.map(({ name, cell }) => `${name} ${cell.text}${scaleOf(cell)}`);
  const all = listed.length < members.length ? [...each, "…"] : each;
  const { head, rest } = compared;
  return {
    text: `${chosen.map(({ name }) => name).join(", ")}. ${head}: ${all.join(", ")}`,
    lines: linesOf(listed.map(({ cell }) => cell)),
    label: head,
    isNamed: rest.byName.length > 0,
  };
}

/** Answers which rows, or years of a row, have the highest or lowest amount, or one beyond a limit. */
export function comparisonAnswer(query: Comparison, all: readonly Named[]): TableAnswer | null {
  for (const read of query.isYear ? [inColumn, inRow] : [inColumn]) {
    const answers = all
      .flatMap((of) => read(of, query))
      .flatMap((compared) => comparedAnswer(compared, query) ?? []);
    const [answer] = answers;
    if (answer !== undefined && answers.every(({ text }) => text === answer.text)) return answer;
  }
  return null;
}
