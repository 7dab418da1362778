import type { Chunk, SheetPart } from "./chunk.ts";
import type { PlaceUnit, Table } from "./document.ts";

/** 0-based column → letters of a sheet: 0 → A, 26 → AA. */
export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnLetters(rest - 1) : "") + String.fromCharCode(65 + (index % 26));
}

/** Letters of a sheet's column → 0-based column. */
export const columnIndex = (letters: string): number =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

type Placed = Pick<Table, "rows" | "headerRows" | "range" | "rowNumbers" | "columnNumbers">;

/**
 * The numbers of the rows below the header in their sheet or file, 1-based; from 1 where the range is
 * unknown.
 */
export function rowNumbersOf({ rows, headerRows, range, rowNumbers }: Placed): readonly number[] {
  const count = Math.max(0, rows.length - headerRows);
  const bottom = Number(/:[A-Z]{1,3}(\d{1,7})$/.exec(range ?? "")?.[1] ?? rows.length);
  return rowNumbers ?? Array.from({ length: count }, (_, at) => bottom - count + 1 + at);
}

/** The letters of the columns in their sheet or file; from A where the range is unknown. */
export function columnLettersOf({ rows, range, columnNumbers }: Placed): readonly string[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const left = columnIndex(/^[A-Z]+/.exec(range ?? "")?.[0] ?? "A");
  return Array.from({ length: width }, (_, at) => columnLetters(columnNumbers?.[at] ?? left + at));
}

/**
 * The rows of spreadsheets in a part of a text, by their places there; the row that it begins within is left
 * out.
 */
export function sheetRowsIn(
  { sheetParts = [] }: Pick<Chunk, "sheetParts">,
  from: number,
  to: number,
): Pick<Chunk, "sheetParts"> {
  const within = sheetParts
    .map((part) => ({
      ...part,
      rows: part.rows
        .filter(([start]) => start >= from && start < to)
        .map(([start, row]) => [start - from, row] as const),
    }))
    .filter(({ rows }) => rows.length > 0);
  return within.length === 0 ? {} : { sheetParts: within };
}

/** A reference as spreadsheets write it: `Pumps!C7`, `'Spare parts'!A2:D9`; without a sheet for a CSV. */
function reference(sheet: string, cells: string): string {
  if (sheet === "") return cells;
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet)
    ? `${sheet}!${cells}`
    : `'${sheet.replaceAll("'", "''")}'!${cells}`;
}

/** A time of a recording: `00:02:05`. */
const clock = (seconds: number): string =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");

const labelled = "labelled ";

/** Whether a place is the label of a page, which stands beside the page's number: `labelled ii`. */
export const isPageLabel = (place: string): boolean => place.startsWith(labelled);

/**
 * Lines, times or cells of a file: `lines 12–40`, `00:02:05–00:03:10`, `cell 3`; prefixed with the path for a
 * member of an archive.
 */
function placeIn(unit: PlaceUnit, member: string, numbers: readonly number[]): string {
  if (unit === "label") return `${labelled}${member}`;
  const [first = "", last = ""] = [Math.min(...numbers), Math.max(...numbers)].map((number) =>
    unit === "second" ? clock(number) : String(number),
  );
  const range = first === last ? first : `${first}–${last}`;
  const place = unit === "second" ? range : `${unit}${first === last ? "" : "s"} ${range}`;
  return member === "" ? place : `${member}, ${place}`;
}

/**
 * The cells of rows, one below the other: `A7:D9`; of one row and one column `C7`; of lines what `placeIn`
 * says.
 */
export function rangeOf(
  { sheet, of, columns, rows: all }: SheetPart,
  rows = all.map(([, row]) => row),
): string {
  if (of !== undefined) return placeIn(of, sheet, rows);
  const letters = columns.map(([, own]) => own).toSorted((one, two) => columnIndex(one) - columnIndex(two));
  const [first = "A", last = "A"] = [letters[0], letters.at(-1)];
  const [top, bottom] = [Math.min(...rows), Math.max(...rows)];
  const [from, to] = [`${first}${top}`, `${last}${bottom}`];
  return reference(sheet, from === to ? from : `${from}:${to}`);
}

/**
 * Cells of spreadsheets or lines of files that a chunk has: `Pumps!A2:I8`, `lines 12–40`, one range a table
 * or file.
 */
export const cellsOf = ({ sheetParts = [] }: Pick<Chunk, "sheetParts">): readonly string[] =>
  sheetParts.map((part) => rangeOf(part));

/** The column of a table by its name or, where columns have none, by its place. */
export const findColumn = (
  { columns }: SheetPart,
  name: string,
  at: number,
): SheetPart["columns"][number] | undefined =>
  columns.every(([own]) => own === "") ? columns[at] : columns.find(([own]) => own === name);
