import type { ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { requireText, squeeze, titleFromName } from "../../blocks.ts";
import { decode } from "../../decode.ts";
import { sheetBlocks, sheetLimits } from "./blocks.ts";

/** Bytes read as text at a time; a file is decoded only as far as rows are kept. */
const pieceBytes = 8 * 1024 ** 2;

/** The mark that divides the first lines most evenly; a comma where none does. */
function delimiterOf(text: string): string {
  const lines = text
    // Quoted fields may hold anything, line breaks too; one that is still open at the end was cut with the
    // text.
    .replace(/"(?:[^"]|"")*(?:"|$)/g, "")
    .split("\n", 30)
    .filter((line) => line.trim() !== "");
  const counts = [",", ";", "\t", "|"].map((mark) => {
    const each = lines.map((line) => line.split(mark).length - 1);
    return {
      mark,
      least: Math.min(...each),
      same: each.filter((count) => count === each[0]).length,
      some: each.some((count) => count > 0),
    };
  });
  const best = counts.reduce((top, count) =>
    count.least > top.least || (count.least === top.least && count.some && count.same > top.same)
      ? count
      : top,
  );
  return best.least > 0 || best.some ? best.mark : ",";
}

interface Rows {
  /** Those that are not empty. */
  readonly rows: readonly (readonly string[])[];
  /** The place of each among all rows, 0-based. */
  readonly numbers: readonly number[];
  /** Characters of the text that the rows came from. */
  readonly end: number;
}

/**
 * A quoted field that begins at `start`, and the place after its closing quote; one that is not closed goes
 * on to the end.
 */
function readQuoted(text: string, start: number): { readonly field: string; readonly end: number } {
  let field = "";
  for (let place = start + 1; ; ) {
    const quote = text.indexOf('"', place);
    if (quote < 0) return { field: field + text.slice(place), end: text.length };
    field += text.slice(place, quote);
    place = quote + 1;
    if (text[place] !== '"') return { field, end: place };
    field += '"';
    place++;
  }
}

/**
 * Rows of delimited text (RFC 4180: quoted fields may hold delimiters, line breaks and doubled quotes), as
 * far as the limits go.
 */
function readRows(text: string, delimiter: string, maxRows: number): Rows {
  const rows: string[][] = [];
  const numbers: number[] = [];
  const keep = (row: string[], number: number): void => {
    if (row.every((cell) => cell === "")) return;
    rows.push(row);
    numbers.push(number);
  };
  let row: string[] = [];
  let count = 0;
  let place = 0;
  let end = 0;
  while (place < text.length && rows.length < maxRows) {
    const quoted = text[place] === '"' ? readQuoted(text, place) : { field: "", end: place };
    const line = text.indexOf("\n", quoted.end);
    const mark = text.indexOf(delimiter, quoted.end);
    const lineEnd = line < 0 ? text.length : line;
    const isLast = mark < 0 || mark > lineEnd;
    const fieldEnd = isLast ? lineEnd : mark;
    row.push(squeeze(quoted.field + text.slice(quoted.end, fieldEnd)));
    place = fieldEnd + 1;
    if (!isLast) continue;
    keep(row, count++);
    row = [];
    end = place;
  }
  if (rows.length < maxRows) keep(row, count);
  return { rows, numbers, end: Math.min(end, text.length) };
}

function countLines(bytes: Uint8Array, from: number): number {
  let lines = 0;
  for (let place = from; place < bytes.length; place++) if (bytes[place] === 10) lines++;
  return lines + (from < bytes.length && bytes[bytes.length - 1] !== 10 ? 1 : 0);
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const warnings: string[] = [];
  const { maxRows, maxColumns } = sheetLimits;
  // A piece ends at a line's end so that no character and no field of an ordinary file is cut.
  let length = bytes.length;
  if (length > pieceBytes * 4) {
    const cut = bytes.lastIndexOf(10, pieceBytes * 4);
    length = cut > 0 ? cut + 1 : pieceBytes * 4;
  }
  const decoded = await decode(bytes.subarray(0, length), file.name);
  warnings.push(...decoded.warnings);
  const text = decoded.text.replace(/^\ufeff/, "").replace(/^sep=(.)\n/i, "");
  const named = /^\ufeff?sep=(.)\n/i.exec(decoded.text)?.[1];
  const linesAbove = named === undefined ? 0 : 1;
  const { rows, numbers, end } = readRows(text, named ?? delimiterOf(text.slice(0, 65_536)), maxRows);
  const unread =
    countLines(bytes, length) +
    (text.slice(end).replace(/\n$/, "").match(/^|\n/g)?.length ?? 0) * (end < text.length ? 1 : 0);
  if (unread > 0)
    warnings.push(`only the first ${rows.length} rows were read; about ${unread} more were left out`);
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (widest > maxColumns)
    warnings.push(
      `only the first ${maxColumns} columns were read; ${widest - maxColumns} more were left out`,
    );
  const cells = new Map<number, Map<number, string>>();
  rows.forEach((row, index) => {
    const filled = new Map<number, string>();
    for (const [column, cell] of row.slice(0, maxColumns).entries())
      if (cell !== "") filled.set(column, cell);
    cells.set((numbers[index] ?? index) + linesAbove, filled);
  });
  const blocks = requireText(sheetBlocks({ name: undefined, cells, merged: [] }, true), file.name);
  return { title: titleFromName(file.name), blocks, pageCount: 0, pagesWithoutText: [], warnings };
}

/**
 * Delimited text: values untouched, the delimiter found, long files read as far as the limit and the rest
 * counted.
 */
export default (): Parser => ({ id: "csv", parse });
