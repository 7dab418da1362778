import type { Table } from "./document.ts";

/** 0-based column → letters of a sheet: 0 → A, 26 → AA. */
export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnLetters(rest - 1) : "") + String.fromCharCode(65 + (index % 26));
}

/** Letters of a sheet's column → 0-based column. */
export const columnIndex = (letters: string): number =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

type Placed = Pick<Table, "rows" | "headerRows" | "range" | "rowNumbers" | "columnNumbers">;

/** The numbers of the rows below the header in their sheet or file, 1-based; from 1 where no range is known. */
export function rowNumbersOf({ rows, headerRows, range, rowNumbers }: Placed): readonly number[] {
  const count = Math.max(0, rows.length - headerRows);
  const bottom = Number(/:[A-Z]{1,3}(\d{1,7})$/.exec(range ?? "")?.[1] ?? rows.length);
  return rowNumbers ?? Array.from({ length: count }, (_, at) => bottom - count + 1 + at);
}

/** The letters of the columns in their sheet or file; from A where no range is known. */
export function columnLettersOf({ rows, range, columnNumbers }: Placed): readonly string[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const left = columnIndex(/^[A-Z]+/.exec(range ?? "")?.[0] ?? "A");
  return Array.from({ length: width }, (_, at) => columnLetters(columnNumbers?.[at] ?? left + at));
}
