import type { Block, ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { listed } from "../../../../core/plural.ts";
import { countLines, truncateToLine } from "../../beginning.ts";
import { contentOf } from "../../blocks.ts";
import { decode } from "../../decode.ts";
import { isFigure } from "../../grid.ts";
import { sheetBlocks, sheetLimits } from "./blocks.ts";
import { type DelimitedRows, delimiterOf, readRows } from "./delimited.ts";

/** Most rows that may precede the header of a table. */
const mostAbove = 30;

/**
 * How many rows precede the table, e.g. the title and the date of an export. Each is at most half filled, has
 * an empty line between it and the table, or, above a full row without figures, is a shorter row with a
 * figure and a text.
 */
function rowsAbove({ rows, numbers }: DelimitedRows): number {
  const width = usualWidth(rows);
  if (width < 2) return 0;
  const first = rows.slice(0, mostAbove);
  const filled = (row: readonly string[]) => row.filter((cell) => cell !== "").length;
  const isApart = (row: readonly string[], index: number, table: number) =>
    filled(row) <= width / 2 || (numbers[table] ?? 0) - (numbers[index] ?? 0) > table - index;
  const header = first.findIndex((row) => filled(row) >= width && !row.some(isFigure));
  // `Created;2026-03-01`: a fact about the export, not a row of figures.
  const isFact = (row: readonly string[]) =>
    filled(row) < width && row.some(isFigure) && row.some((cell) => cell !== "" && !isFigure(cell));
  const isAbove = (row: readonly string[], index: number) => isApart(row, index, header) || isFact(row);
  if (header > 0 && first.slice(0, header).every(isAbove)) return header;
  const wide = first.findIndex(({ length }) => length >= width);
  const start = Math.max(0, wide);
  return first.slice(0, start).every((row, index) => isApart(row, index, start)) ? start : 0;
}

/** Cells of most rows. */
function usualWidth(rows: DelimitedRows["rows"]): number {
  const widths = [...Map.groupBy(rows.slice(0, 1000), ({ length }) => length)];
  return widths.reduce((top, each) => (each[1].length > top[1].length ? each : top), widths[0] ?? [0, []])[0];
}

const unclosedQuotes = (lines: readonly number[]): string =>
  `unclosed quotation mark (line${lines.length === 1 ? "" : "s"} ${listed(lines, 5)}), read as part of its cell`;

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const warnings: string[] = [];
  const { maxRows, maxColumns } = sheetLimits;
  const beginning = truncateToLine(bytes);
  const decoded = await decode(beginning, file.name);
  warnings.push(...decoded.warnings);
  const text = decoded.text.replace(/^\ufeff/, "").replace(/^sep=(.)\n/i, "");
  const named = /^\ufeff?sep=(.)\n/i.exec(decoded.text)?.[1];
  const linesAbove = named === undefined ? 0 : 1;
  const delimited = readRows(text, named ?? delimiterOf(text), maxRows);
  const { rows, numbers, end, unclosed } = delimited;
  if (unclosed.length > 0) warnings.push(unclosedQuotes(unclosed.map((line) => line + linesAbove)));
  const unread =
    countLines(bytes, beginning.length) +
    (text.slice(end).replace(/\n$/, "").match(/^|\n/g)?.length ?? 0) * (end < text.length ? 1 : 0);
  if (unread > 0)
    warnings.push(`only the first ${rows.length} rows were read; about ${unread} more were skipped`);
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (widest > maxColumns)
    warnings.push(`only the first ${maxColumns} columns were read; ${widest - maxColumns} more were skipped`);
  const cells = new Map<number, Map<number, string>>();
  const above = rowsAbove(delimited);
  rows.forEach((row, index) => {
    if (index < above) return;
    const filled = [...row.slice(0, maxColumns).entries()].filter(([, cell]) => cell !== "");
    cells.set((numbers[index] ?? index) + linesAbove, new Map(filled));
  });
  const texts = rows.slice(0, above).map((row) => row.filter((cell) => cell !== "").join(" "));
  const paragraphs = texts.map((line): Block => ({ kind: "paragraph", text: line, pages: [] }));
  const blocks = [...paragraphs, ...sheetBlocks({ name: undefined, cells, merged: [] }, true)];
  return contentOf(file.name, blocks, { warnings });
}

/**
 * Delimited text: values unchanged, the delimiter detected, long files read up to the limit and the rest
 * counted.
 */
export default (): Parser => ({ id: "csv", parse });
