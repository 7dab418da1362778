import { columnIn } from "../../core/documents/cells.ts";
import type { Chunk, SheetPart } from "../../core/documents/chunk.ts";
import { alternatives } from "../../language/languages.ts";
import { unitNamed } from "../../language/units.ts";
import { type Amount, amountOf, saysCount, scaleIn } from "./amounts.ts";
import {
  type Column,
  columnsNamed,
  isNumeral,
  minus,
  type Named,
  type NamedRow,
  type Rest,
  restOf,
  rowsNamed,
} from "./find.ts";
import { isWithin, tellingTokens } from "./words.ts";

type Tokens = ReadonlySet<string>;

const changes = new RegExp(`^(?:${alternatives((language) => language.changes)})$`, "iu");

/** A table row that an answer is taken from. */
export interface CellLine {
  readonly row: string;
  readonly chunk: Chunk;
  /** Its cells used by the answer, if it is a spreadsheet row. */
  readonly part?: SheetPart;
}

/** An answer from cells of a table. */
export interface CellAnswer {
  /** One line: the names of the cells, and their content. */
  readonly text: string;
  /** Source rows verbatim, preceded by their table's header, each with its chunk. */
  readonly lines: readonly CellLine[];
  /** Label of the value looked up. */
  readonly label: string;
  /** Whether the question also names the document. */
  readonly isNamed: boolean;
}

/** A cell that a question names by row and column, with the rest of the question. */
export interface Cell {
  readonly of: Named;
  readonly row: NamedRow;
  readonly column: Column;
  readonly text: string;
  readonly rest: Rest;
}

/** Text of a row in a column. */
export const cellText = (row: NamedRow, { at }: Column): string => row.row.cells[at] ?? "";
/** Whether a cell has no content. */
export const isEmpty = (text: string): boolean => /^[-–—\s]*$|^n\/a$/i.test(text);

/** Whether an amount is a percentage, by its own unit or its column's. */
export const isShare = (amount: Amount | undefined, { head }: Column): boolean =>
  amount?.unit === "%" || head.includes("%");
/** Words by which a question may refer to such an amount. */
export const unitTokens = (amount: Amount | undefined, column: Column): Tokens =>
  new Set(isShare(amount, column) ? ["%"] : []);

/**
 * What a question says in addition to rows and columns of a table; null if one of its words occurs nowhere.
 */
export function restBeside(
  of: Named,
  tokens: Tokens,
  rows: readonly NamedRow[],
  columns: readonly Column[],
  called: Tokens,
): Rest | null {
  const units = rows.flatMap((row) =>
    columns.map((column) => unitTokens(amountOf(cellText(row, column)), column)),
  );
  const named = [...rows, ...columns];
  const groups = rows.map(({ row: { group } }) => tellingTokens(group));
  const left = minus(tokens, ...named.map(({ own }) => own), ...units);
  return restOf(of, left, [...named.map(({ more }) => more), ...groups], called);
}

/** Whether a column gives a change in percent while the question asks for the absolute change. */
const isOtherChange = ({ head, own }: Column, tokens: Tokens): boolean =>
  head.includes("%") && !tokens.has("%") && [...own].every((token) => changes.test(token));

/**
 * All cells named by these words; several if they are ambiguous. Exact matches take precedence over loose
 * ones.
 */
export function cellsNamed(
  all: readonly Named[],
  tokens: Tokens,
  question: string,
  called: Tokens,
): readonly Cell[] {
  const found = all.flatMap((of) =>
    rowsNamed(of, tokens, question).flatMap((row): Cell[] => {
      const [column, ...others] = columnsNamed(of, minus(tokens, row.own), question);
      if (column === undefined || others.length > 0 || isOtherChange(column, tokens)) return [];
      const text = cellText(row, column);
      const rest = restBeside(of, tokens, [row], [column], called);
      return rest === null || isEmpty(text) ? [] : [{ of, row, column, text, rest }];
    }),
  );
  const sure = found.filter(({ rest }) => !rest.isLoose);
  return sure.length > 0 ? sure : found;
}

/** Most cells in an answer to a question that names several. */
const mostCells = 8;
const joining = new RegExp(`,|(?<![\\p{L}])(?:${alternatives(({ and }) => and)})(?![\\p{L}])`, "giu");

/**
 * The cells of one table if a question enumerates several rows or columns; none if several tables match or a
 * cell is empty.
 */
export function cellsListed(
  all: readonly Named[],
  tokens: Tokens,
  question: string,
  called: Tokens,
): readonly Cell[] {
  const joined = question.match(joining)?.length ?? 0;
  const found = all.flatMap((of): (readonly Cell[])[] => {
    const rows = rowsNamed(of, tokens, question);
    const columns = columnsNamed(of, minus(tokens, ...rows.map(({ own }) => own)), question);
    const count = rows.length * columns.length;
    const isJoined = joined >= rows.length + columns.length - 2;
    const areApart = [rows, columns].every((parts) =>
      parts.every((one) => !parts.some((other) => other !== one && isWithin(one.own, other.own))),
    );
    if (count < 2 || count > mostCells || !isJoined || !areApart) return [];
    const rest = restBeside(of, tokens, rows, columns, called);
    if (rest === null || rest.isLoose) return [];
    const cells = rows.flatMap((row) =>
      columns.map((column) => ({ of, row, column, text: cellText(row, column), rest })),
    );
    return cells.some(({ text, column }) => isEmpty(text) || isOtherChange(column, tokens)) ? [] : [cells];
  });
  return found.length === 1 ? (found[0] ?? []) : [];
}

/** A unit in brackets after what it measures: `Pressure (bar)`, `Flow [m³/h]`. */
const unitBehind = /\s?[([]([^\s()[\]]{1,8})[)\]]$/u;
const isRate = (unit: string): boolean => /^[\p{L}°][\p{L}\p{N}²³]{0,3}\/[\p{L}\p{N}²³]{1,4}$/u.test(unit);

/** A cell's header and content; a unit in the header is moved to the amount. */
export function told({ column, text, ...cell }: Cell): { readonly head: string; readonly text: string } {
  const { head } = column;
  const scale = scaleOf({ ...cell, column });
  const [bracket = "", unit = ""] = unitBehind.exec(head) ?? [];
  const isUnit = unitNamed(unit.toLowerCase()) !== "" || isRate(unit);
  return isUnit && scale === "" && amountOf(text)?.unit === ""
    ? { head: head.slice(0, -bracket.length), text: `${text}${unit === "%" ? "" : " "}${unit}` }
    : { head, text: `${text}${scale}` };
}

/** Thousands in accounting notation: `$'000`, `(000’s)`. */
const noughts = /(?:^|[($€£\s]|[^\d.,]['’])['’]?000(?!\d)/u;

/**
 * The scale of a cell's amount, from its header and the lines above its table, with a leading space; "" for
 * none.
 */
export function scaleOf({ of: { table }, row, column }: Pick<Cell, "of" | "row" | "column">): string {
  const amount = amountOf(cellText(row, column));
  const isPlain = amount !== undefined && /^\p{Sc}?$/u.test(amount.unit) && !column.head.includes("%");
  if (isPlain && noughts.test(column.head)) return " thousand";
  if (!isPlain || saysCount(`${row.row.label} ${column.head}`)) return "";
  const scale = scaleIn(`${table.around}\n${table.header.join("\n")}`);
  return scale === "" ? "" : ` ${scale}`;
}

/** A row and, if relevant, one of its columns. */
export type RowCell = Pick<Cell, "of" | "row"> & { readonly column?: Column };

/** The cells of one row as part of a spreadsheet; undefined for other tables. */
function partOf(cells: readonly RowCell[]): SheetPart | undefined {
  const place = cells[0]?.row.row.place;
  if (place === undefined) return undefined;
  const columns = cells.flatMap(({ of, column }) => {
    const found = column && columnIn(place.part, of.table.heads[column.at]?.[0] ?? "", column.at);
    return found === undefined ? [] : [found];
  });
  const own = columns.length === 0 ? place.part.columns : columns;
  return { sheet: place.part.sheet, columns: own, rows: [[0, place.row]] };
}

/** The last header line of the cells' table, and their rows without duplicates. */
export function linesOf(cells: readonly RowCell[]): CellAnswer["lines"] {
  const byRow = Map.groupBy(cells, ({ row }) => row.row);
  const all = [...byRow].flatMap(([row, own]): CellLine[] => {
    const part = partOf(own);
    return [
      { row: own[0]?.of.table.header.at(-1) ?? "", chunk: row.chunk },
      { row: row.text, chunk: row.chunk, ...(part === undefined ? {} : { part }) },
    ];
  });
  return all.filter(({ row }, at) => all.findIndex((other) => other.row === row) === at);
}

/** The label of a row; if it is only a number, together with the label's header. */
export function labelOf({ of, row: { row, more: own } }: Pick<Cell, "of" | "row">): string {
  const head = of.table.heads[0]?.join(" ") ?? "";
  return !isNumeral(own) || head === "" ? row.label : `${head} ${row.label}`;
}

/** Whether a question names the document of the cells. */
export const isNamed = (cells: readonly Cell[]): boolean => cells.some(({ rest }) => rest.byName.length > 0);
