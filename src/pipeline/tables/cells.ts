import { findColumn } from "../../core/documents/cells.ts";
import type { Chunk, SheetPart } from "../../core/documents/chunk.ts";
import { canonicalUnit } from "../../language/units.ts";
import type { CellOperation, CellQuery } from "../../tables/query/cells-asked.ts";
import { contentTokens } from "../../tables/query/words.ts";
import { amountOf, type CellAmount, isCountLabel, scaleIn } from "./amounts.ts";
import {
  type FoundColumn,
  isNumeral,
  matchRemainder,
  type Named,
  type NamedRow,
  type Rest,
  subtract,
} from "./find.ts";

type Tokens = ReadonlySet<string>;

/** A query, with the words of the name of the document that is asked. */
export type Asked<Kind extends CellOperation = CellOperation> = CellQuery<Kind> & { readonly called: Tokens };

/** A table row that an answer is taken from. */
export interface CellLine {
  readonly row: string;
  readonly chunk: Chunk;
  /** Its cells used by the answer, if it is a spreadsheet row. */
  readonly part?: SheetPart;
}

/** An answer from cells of a table. */
export interface TableAnswer {
  /** One line: the names of the cells, and their content. */
  readonly text: string;
  /** Source rows verbatim, preceded by their table's header, each with its chunk. */
  readonly lines: readonly CellLine[];
  /** Label of the value looked up. */
  readonly label: string;
  /** Whether the question also names the document. */
  readonly isNamed: boolean;
}

/** A cell of a table. */
export interface FoundCell {
  readonly of: Named;
  readonly row: NamedRow;
  readonly column: FoundColumn;
  readonly text: string;
}

export const cellOf = (of: Named, row: NamedRow, column: FoundColumn): FoundCell => ({
  ...{ of, row, column },
  text: row.row.cells[column.at] ?? "",
});

/** Whether an amount is a percentage, by its own unit or its column's. */
export const isShare = (amount: CellAmount | undefined, { head }: FoundColumn): boolean =>
  amount?.unit === "%" || head.includes("%");

/**
 * What a question says in addition to rows and columns of a table; null if one of its words occurs nowhere.
 */
export function remainingTerms(
  of: Named,
  { tokens, called }: Pick<Asked, "tokens" | "called">,
  rows: readonly NamedRow[],
  columns: readonly FoundColumn[],
): Rest | null {
  const hasShare = rows.some((row) =>
    columns.some((column) => isShare(amountOf(cellOf(of, row, column).text), column)),
  );
  const named = [...rows, ...columns];
  const groups = rows.map(({ row: { group } }) => contentTokens(group));
  const left = subtract(tokens, ...named.map(({ own }) => own), new Set(hasShare ? ["%"] : []));
  return matchRemainder(of, left, [...named.map(({ more }) => more), ...groups], called);
}

/** A unit in brackets after what it measures: `Pressure (bar)`, `Flow [m³/h]`. */
const unitBehind = /\s?[([]([^\s()[\]]{1,8})[)\]]$/u;
const isRate = (unit: string): boolean => /^[\p{L}°][\p{L}\p{N}²³]{0,3}\/[\p{L}\p{N}²³]{1,4}$/u.test(unit);

/** A cell's header and content; a unit in the header is moved to the amount. */
export function renderCell(cell: FoundCell): { readonly head: string; readonly text: string } {
  const { head } = cell.column;
  const scale = scaleOf(cell);
  const [bracket = "", unit = ""] = unitBehind.exec(head) ?? [];
  const isUnit = canonicalUnit(unit.toLowerCase()) !== "" || isRate(unit);
  return isUnit && scale === "" && amountOf(cell.text)?.unit === ""
    ? { head: head.slice(0, -bracket.length), text: `${cell.text}${unit === "%" ? "" : " "}${unit}` }
    : { head, text: `${cell.text}${scale}` };
}

/** Thousands in accounting notation: `$'000`, `(000’s)`. */
const noughts = /(?:^|[($€£\s]|[^\d.,]['’])['’]?000(?!\d)/u;

/**
 * The scale of a cell's amount, from its header and the lines above its table, with a leading space; "" for
 * none.
 */
export function scaleOf({ of: { table }, row, column, text }: FoundCell): string {
  const amount = amountOf(text);
  const isPlain = amount !== undefined && /^\p{Sc}?$/u.test(amount.unit) && !column.head.includes("%");
  if (isPlain && noughts.test(column.head)) return " thousand";
  if (!isPlain || isCountLabel(`${row.row.label} ${column.head}`)) return "";
  const scale = scaleIn(`${table.around}\n${table.header.join("\n")}`);
  return scale === "" ? "" : ` ${scale}`;
}

/** The cells of one row as part of a spreadsheet; undefined for other tables. */
function partOf(cells: readonly FoundCell[]): Pick<CellLine, "part"> {
  const place = cells[0]?.row.row.place;
  if (place === undefined) return {};
  const columns = cells.flatMap(({ of, column }) => {
    const found = findColumn(place, of.table.heads[column.at]?.[0] ?? "", column.at);
    return found === undefined ? [] : [found];
  });
  return { part: columns.length === 0 ? place : { ...place, columns } };
}

/** The last header line of the cells' table, and their rows without duplicates. */
export function linesOf(cells: readonly FoundCell[]): TableAnswer["lines"] {
  const byRow = Map.groupBy(cells, ({ row }) => row.row);
  const all = [...byRow].flatMap(([row, own]): CellLine[] => [
    { row: own[0]?.of.table.header.at(-1) ?? "", chunk: row.chunk },
    { row: row.text, chunk: row.chunk, ...partOf(own) },
  ]);
  return all.filter(({ row }, at) => all.findIndex((other) => other.row === row) === at);
}

/** The label of a row; if it is only a number, together with the label's header. */
export function labelOf({ of, row: { row, more: own } }: Pick<FoundCell, "of" | "row">): string {
  const head = of.table.heads[0]?.join(" ") ?? "";
  return !isNumeral(own) || head === "" ? row.label : `${head} ${row.label}`;
}
