import type { Table } from "../core/documents/document.ts";

/** A table with one line of headings, and its rows by index in the table as read. */
export interface Headed {
  /** Texts above the columns that name the table as a whole. */
  readonly title: string;
  readonly headings: readonly string[];
  readonly body: readonly { readonly cells: readonly string[]; readonly at: number }[];
}

const filledOf = (cells: readonly string[]): readonly string[] =>
  cells.map((cell) => cell.trim()).filter((cell) => cell !== "");

/** Whether a row has one text only, over all its columns or in the first of several. */
function isTitle(cells: readonly string[], width: number): boolean {
  const filled = filledOf(cells);
  return (
    width > 1 &&
    new Set(filled).size === 1 &&
    (filled.length === width || (width > 2 && cells[0] === filled[0] && filled.length === 1))
  );
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((cell, at) => cell.trim() === (other[at] ?? "").trim());

/** Whether a row may be the headings under a title: texts of which none is a number, all filled and unlike. */
const mayHead = (cells: readonly string[]): boolean =>
  cells.every((cell) => /\p{L}/u.test(cell) && !/^[-+(]?\p{Sc}?\d/u.test(cell)) &&
  new Set(cells).size === cells.length;

/**
 * The headings of a table, of several rows joined; a title above them is taken off, and rows that repeat the
 * headings are left out.
 */
export function splitHeaderRows({ rows, headerRows }: Pick<Table, "rows" | "headerRows">): Headed {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const heads = rows.slice(0, Math.min(headerRows, rows.length));
  const titles = heads.findIndex((row) => !isTitle(row, width));
  const above = titles < 0 ? heads.length : titles;
  const next = rows[heads.length];
  const isUntitled = above > 0 && above === heads.length && next !== undefined && mayHead(next);
  const named = [...heads.slice(above), ...(isUntitled ? [next] : [])];
  const start = heads.length + (isUntitled ? 1 : 0);
  const body = rows.slice(start).flatMap((cells, index) => {
    const isRepeated = named.some((head) => filledOf(head).length > 1 && isSame(head, cells));
    return isRepeated ? [] : [{ cells, at: start + index }];
  });
  const headings = Array.from({ length: width }, (_, column) =>
    [...new Set(filledOf(named.map((row) => row[column] ?? "")))].join(" "),
  );
  return { title: [...new Set(heads.slice(0, above).flatMap(filledOf))].join(" "), headings, body };
}
