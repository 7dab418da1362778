import { omission, trimEndOf } from "../text.ts";

/** A row of a table in one line of text: its cells with bars between them. */
export const rowText = (cells: readonly (string | number)[]): string => cells.join(" | ");

/** Rows as lines of text. */
export const rowsAsText = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map(rowText).join("\n");

/** The same for a document; empty cells at a row's end are left out, empty rows too. */
export function tableText(rows: readonly (readonly string[])[]): string {
  return rows
    .map(rowText)
    .map((line) => {
      const filled = trimEndOf(line, /[\s|]/);
      return line.includes("|", filled.length) ? filled : line;
    })
    .filter((line) => line.trim() !== "")
    .join("\n");
}

/** Whether a text has a row of a table; of a line, whether it is one. */
export const hasRow = (text: string): boolean => text.includes(" | ");

/** Whether a text has a row with an empty cell behind another. */
export const hasEmptyCell = (text: string): boolean => /\| {0,2}(?:\||$)/mu.test(text);

/** The cells of a row; a line that is none is one cell. */
export const cellsOfRow = (line: string): readonly string[] => line.split("|").map((cell) => cell.trim());

/** A text in one line, with spaces in place of the bars between cells. */
export const withoutRows = (text: string): string => text.replace(/[\s|]+/g, " ");

/** Table rows of a text, each mapped to the first row of its table; the first row itself is not a key. */
export function headersOf(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let header: string | undefined;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === omission) continue;
    if (!hasRow(line)) header = undefined;
    else if (header === undefined) header = line;
    else headers.set(line, header);
  }
  return headers;
}
