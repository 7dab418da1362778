import type { Span, Table } from "../../../../core/documents/document.ts";
import type { Rectangle } from "../geometry.ts";
import { isNumeric, isYear } from "../line-text.ts";
import { appendPieceText, isRaised, type Piece } from "../pieces.ts";

/** A table found by its lines, and its place. */
export interface PlacedTable extends Rectangle {
  readonly table: Table;
  readonly size: number;
}

/**
 * Pieces as text lines from top to bottom, each from left to right (right to left where most of it is so
 * written).
 */
export function textRows(pieces: readonly Piece[]): Piece[][] {
  const rows: Piece[][] = [];
  for (const piece of pieces.toSorted((one, two) => one.y - two.y)) {
    const row = rows.at(-1);
    const anchor = row?.[0];
    if (
      row !== undefined &&
      anchor !== undefined &&
      Math.abs(anchor.y - piece.y) < 0.55 * Math.max(anchor.size, piece.size)
    )
      row.push(piece);
    else rows.push([piece]);
  }
  for (const row of rows) row.sort((one, two) => one.x0 - two.x0);
  return rows;
}

/** One text line's pieces as text, with spaces where gaps are. */
export function joinPieces(row: readonly Piece[]): string {
  const rtl = row.filter((piece) => piece.rtl).length * 2 > row.length;
  const ordered = rtl ? row.toReversed() : row;
  let text = "";
  let last: Piece | undefined;
  /** The last piece on the line. */
  let base: Piece | undefined;
  for (const piece of ordered) {
    const gap = last === undefined ? 0 : rtl ? last.x0 - piece.x1 : piece.x0 - last.x1;
    const space = last !== undefined && gap > 0.16 * Math.min(last.size, piece.size);
    const before = text + (space ? " " : "");
    text = before + (base === undefined ? piece.text : appendPieceText(before, base, piece));
    if (base === undefined || !isRaised(piece, base)) base = piece;
    last = piece;
  }
  return text.replace(/\s+/g, " ").trim();
}

/** Left and right edge of a column's content, points. */
export interface Extent {
  readonly x0: number;
  readonly x1: number;
}

/** How many rows cover each place from `left` on, over `width` points. */
export function coverageOf(rows: readonly (readonly Extent[])[], left: number, width: number): Uint16Array {
  const covered = new Uint16Array(width);
  // The last row that covered each place, from 1, so that a row counts once where its pieces overlap.
  const coveredBy = new Uint32Array(width);
  for (const [index, row] of rows.entries()) {
    for (const { x0, x1 } of row) {
      const end = Math.min(width, Math.ceil(x1 - left));
      for (let x = Math.max(0, Math.floor(x0 - left)); x < end; x++) {
        if (coveredBy[x] !== index + 1) covered[x] = (covered[x] ?? 0) + 1;
        coveredBy[x] = index + 1;
      }
    }
  }
  return covered;
}

/**
 * Columns, divided by gaps wider than `gap` that at most `few` rows cover. `covered`: the number of rows,
 * point by point from `left` on.
 */
export function extentsOf(
  covered: Uint16Array,
  { left, few, gap }: { readonly left: number; readonly few: number; readonly gap: number },
): Extent[] {
  const columns: { x0: number; x1: number }[] = [];
  let empty = gap + 1;
  for (const [x, count] of covered.entries()) {
    if (count <= few) {
      empty++;
      continue;
    }
    const last = columns.at(-1);
    if (last === undefined || empty > gap) columns.push({ x0: left + x, x1: left + x + 1 });
    else last.x1 = left + x + 1;
    empty = 0;
  }
  return columns;
}

/**
 * The column in which a text begins. A text that begins after all of this column's content and reaches into
 * the next belongs to the next: among figures set flush right, the longest begins before most of its column.
 * 0 before the first.
 */
export function columnOf({ x0, x1 }: Extent, columns: readonly Extent[]): number {
  const begun = columns.findLastIndex((column) => x0 >= column.x0 - 2);
  const at = Math.max(0, begun);
  const next = columns[at + 1];
  return next !== undefined && x0 > (columns[at]?.x1 ?? 0) && x1 > next.x0 ? at + 1 : at;
}

/** The text of one cell: its lines joined, words broken at a line's end mended. */
export function cellText(pieces: readonly Piece[]): string {
  let text = "";
  for (const row of textRows(pieces)) {
    const line = joinPieces(row);
    text =
      /\p{L}[-‐]$/u.test(text) && /^\p{Ll}/u.test(line)
        ? text.slice(0, -1) + line
        : text === ""
          ? line
          : `${text} ${line}`;
  }
  return text.replace(/([$€£¥])\s+(?=[\d(])/g, "$1").trim();
}

/** Whether a row names each column, none of them twice: no further row of headings is below it. */
const namesAll = (row: readonly string[]): boolean =>
  row.length > 1 && row.every((text) => text !== "") && new Set(row).size === row.length;

/**
 * How many leading rows are headers: up to the first row with a label and a figure, at most four and never
 * all; or those down to a row that names each column, if a row with a label follows.
 */
export function countHeaders(rows: readonly (readonly string[])[]): number {
  const first = rows.findIndex((row) =>
    row.slice(1).some((text) => text !== "" && isNumeric(text) && !isYear(text)),
  );
  const figures = rows.some((row) => row.slice(1).some((text) => isNumeric(text) && text !== ""));
  if (rows.length < 2) return 0;
  if (first === 0) return 0;
  const naming = rows.findIndex(namesAll);
  if (naming >= 0 && naming + 1 < first && rows[naming + 1]?.[0] !== "") return naming + 1;
  return figures && first > 0 && first <= 4 ? first : 1;
}

/** Fills a merged cell's text into every place it covers and lists it. */
export function expandMergedCells(rows: string[][], spans: readonly Span[]): readonly Span[] {
  for (const { row, column, rows: high, columns: wide } of spans) {
    const text = rows[row]?.[column] ?? "";
    for (let down = row; down < row + high; down++) {
      for (let right = column; right < column + wide; right++) {
        const target = rows[down];
        if (target !== undefined) target[right] = text;
      }
    }
  }
  return spans;
}

/** The table without rows and columns that hold nothing. */
export function trimTable(
  rows: readonly (readonly string[])[],
  spans: readonly Span[],
): { rows: string[][]; spans: Span[] } {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const keepRow = rows.map((row) => row.some((text) => text !== ""));
  const keepColumn = Array.from({ length: width }, (_, column) =>
    rows.some((row) => (row[column] ?? "") !== ""),
  );
  const before = (keep: readonly boolean[], from: number, to: number) =>
    keep.slice(from, to).filter(Boolean).length;
  const kept = rows
    .filter((_, index) => keepRow[index])
    .map((row) =>
      Array.from({ length: width }, (_, column) => row[column] ?? "").filter(
        (_, column) => keepColumn[column],
      ),
    );
  const moved = spans.map((span) => ({
    row: before(keepRow, 0, span.row),
    column: before(keepColumn, 0, span.column),
    rows: before(keepRow, span.row, span.row + span.rows),
    columns: before(keepColumn, span.column, span.column + span.columns),
  }));
  return {
    rows: kept,
    spans: moved.filter((span) => span.rows > 0 && span.columns > 0 && span.rows * span.columns > 1),
  };
}

/** Whether cells hold several figures each, i.e. columns were not separated. */
export function hasUnsplitColumns(rows: readonly (readonly string[])[]): boolean {
  const cells = rows.flatMap((row) => row.slice(1)).filter((text) => text !== "");
  const crowded = cells.filter((text) => {
    const figures = text
      .replace(/([$€£¥(])\s+/g, "$1")
      .replace(/(?<!\s)\s+([%)])/g, "$1")
      .split(" ");
    return figures.length >= 2 && figures.length <= 8 && figures.every((figure) => isNumeric(figure));
  });
  return crowded.length > cells.length * 0.2;
}
