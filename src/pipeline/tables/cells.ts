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

/** A row that an answer is from. */
export interface CellLine {
  readonly row: string;
  readonly chunk: Chunk;
  /** The cells of it that the answer is from, where it is one of a spreadsheet. */
  readonly part?: SheetPart;
}

/** An answer from cells of a table. */
export interface CellAnswer {
  /** One line: what the cells are called, and what they say. */
  readonly text: string;
  /** Rows as they stand, with the header of their table before them, and their chunk. */
  readonly lines: readonly CellLine[];
  /** What is looked up. */
  readonly label: string;
  /** Whether the question names the document beside the cells. */
  readonly isNamed: boolean;
}

/** A cell that a question names by its row and its column, with what else it says. */
export interface Cell {
  readonly of: Named;
  readonly row: NamedRow;
  readonly column: Column;
  readonly text: string;
  readonly rest: Rest;
}

/** What a row has in a column. */
export const cellText = (row: NamedRow, { at }: Column): string => row.row.cells[at] ?? "";
/** Whether a cell has nothing. */
export const isEmpty = (text: string): boolean => /^[-–—\s]*$|^n\/a$/i.test(text);

/** Whether an amount is one of a hundred, by itself or by its column. */
export const isShare = (amount: Amount | undefined, { head }: Column): boolean =>
  amount?.unit === "%" || head.includes("%");
/** What a question may say of such an amount. */
export const unitTokens = (amount: Amount | undefined, column: Column): Tokens =>
  new Set(isShare(amount, column) ? ["%"] : []);

/** What is left of a question beside rows and columns of a table; null where a word of it stands nowhere. */
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

/** Whether a column has the percentage of a change, and a question asks for the change. */
const isOtherChange = ({ head, own }: Column, tokens: Tokens): boolean =>
  head.includes("%") && !tokens.has("%") && [...own].every((token) => changes.test(token));

/** Cells that are called by these words, all of them; several where it is not told which one is meant. */
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

/** Cells that are told at most where a question names several. */
const mostCells = 8;
const joining = new RegExp(`,|(?<![\\p{L}])(?:${alternatives(({ and }) => and)})(?![\\p{L}])`, "giu");

/**
 * The cells of one table where a question joins the names of several rows, or of several columns; none where
 * several tables have such, or one of the cells is not there.
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

/** A unit in brackets behind what it measures: `Pressure (bar)`, `Flow [m³/h]`. */
const unitBehind = /\s?[([]([^\s()[\]]{1,8})[)\]]$/u;
const isRate = (unit: string): boolean => /^[\p{L}°][\p{L}\p{N}²³]{0,3}\/[\p{L}\p{N}²³]{1,4}$/u.test(unit);

/** What a cell is called by its column, and what it says: an amount with the unit that stands in the head. */
export function told({ column, text, ...cell }: Cell): { readonly head: string; readonly text: string } {
  const { head } = column;
  const scale = scaleOf({ ...cell, column });
  const [bracket = "", unit = ""] = unitBehind.exec(head) ?? [];
  const isUnit = unitNamed(unit.toLowerCase()) !== "" || isRate(unit);
  return isUnit && scale === "" && amountOf(text)?.unit === ""
    ? { head: head.slice(0, -bracket.length), text: `${text}${unit === "%" ? "" : " "}${unit}` }
    : { head, text: `${text}${scale}` };
}

/** Thousands as accountants write them: `$'000`, `(000’s)`. */
const noughts = /(?:^|[($€£\s]|[^\d.,]['’])['’]?000(?!\d)/u;

/** The scale of a cell's amount by its header and the lines above its table, behind a blank; "" for none. */
export function scaleOf({ of: { table }, row, column }: Pick<Cell, "of" | "row" | "column">): string {
  const amount = amountOf(cellText(row, column));
  const isPlain = amount !== undefined && /^\p{Sc}?$/u.test(amount.unit) && !column.head.includes("%");
  if (isPlain && noughts.test(column.head)) return " thousand";
  if (!isPlain || saysCount(`${row.row.label} ${column.head}`)) return "";
  const scale = scaleIn(`${table.around}\n${table.header.join("\n")}`);
  return scale === "" ? "" : ` ${scale}`;
}

/** A row, and the one column that is looked at. */
export type RowCell = Pick<Cell, "of" | "row"> & { readonly column?: Column };

/** The cells of one row in its spreadsheet; undefined for another table. */
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

/** The header of a cell's table, its last line, and the rows of cells, each once. */
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

/** What a row is called; a mere number with what heads it. */
export function labelOf({ of, row: { row, more: own } }: Pick<Cell, "of" | "row">): string {
  const head = of.table.heads[0]?.join(" ") ?? "";
  return !isNumeral(own) || head === "" ? row.label : `${head} ${row.label}`;
}

/** Whether a question names the document of cells. */
export const isNamed = (cells: readonly Cell[]): boolean => cells.some(({ rest }) => rest.byName.length > 0);
