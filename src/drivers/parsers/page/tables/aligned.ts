import type { Table } from "../../../../core/documents/document.ts";
import { bullet, sentenceEnd } from "../line-text.ts";
import type { Line, PageRegion } from "../lines.ts";
import type { PageSegment } from "../pieces.ts";
import { columnOf, countHeaders, coverageOf, type Extent, extentsOf } from "./cells.ts";

interface Row {
  readonly y: number;
  readonly fonts: ReadonlySet<string>;
  readonly cells: string[];
}

function median(values: readonly number[]): number {
  return values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? 0;
}

/** Whether a line of one cell wraps a cell of the row above: below it, no wider, and before another row. */
function isWrap(line: Line, above: Line, next: Line | undefined): boolean {
  const over = above.cells.find(({ x0, x1 }) => x0 < line.x1 && x1 > line.x0);
  return over !== undefined && line.x1 < over.x1 + line.size && (next?.cells.length ?? 0) > 1;
}

/** Whether a line follows the one above closely and is set in a similar size. */
function isNext(line: Line, above: Line): boolean {
  const step = line.y - above.y;
  return (
    step > 0 &&
    step <= 2.6 * Math.max(line.size, above.size) &&
    Math.abs(line.size - above.size) <= 0.25 * above.size
  );
}

/**
 * Whether a line with one cell belongs to the run: close below its line, and right of the first column or
 * below what it wraps.
 */
function continuesCell(line: Line, above: Line, next: Line | undefined, second: number): boolean {
  if (line.y - above.y > 1.6 * line.size) return false;
  return line.x0 >= second - 2 || isWrap(line, above, next);
}

/**
 * Lines from `start` on that have several cells, and single cells right of their first column: texts that
 * wrap.
 */
function runOf(lines: PageRegion, start: number): Line[] {
  const run: Line[] = [];
  let second = Number.POSITIVE_INFINITY;
  for (let index = start; index < lines.length; index++) {
    const line = lines[index];
    const above = run.at(-1);
    if (line === undefined || line.table !== undefined || line.mono) break;
    if (above !== undefined) {
      if (!isNext(line, above)) break;
      if (line.cells.length < 2 && !continuesCell(line, above, lines[index + 1], second)) break;
    }
    second = Math.min(second, line.cells[1]?.x0 ?? second);
    run.push(line);
  }
  return run;
}

/** Columns, divided by gaps wider than `gap` that the cells of no line cover, or of at most one in twelve. */
function columnsOf(lines: readonly Line[], gap: number): Extent[] {
  const rows = lines.map(({ cells }) => cells);
  const left = Math.min(...rows.flat().map(({ x0 }) => x0));
  const width = Math.ceil(Math.max(...rows.flat().map(({ x1 }) => x1)) - left) + 2;
  const covered = coverageOf(rows, left, Math.min(width, 20_000));
  return extentsOf(covered, { left, few: Math.floor(lines.length / 12), gap });
}

/** Whether most of the places agree. */
function agree(places: readonly number[], within: number): boolean {
  const middle = median(places);
  return places.filter((place) => Math.abs(place - middle) <= within).length >= places.length * 0.75;
}

/** Whether a column's cells are aligned: by their left or right edges, short ones also by their middles. */
function isAligned(cells: readonly PageSegment[], size: number): boolean {
  const within = size * 0.35;
  const agreesAt = (place: (cell: PageSegment) => number) => agree(cells.map(place), within);
  if (agreesAt(({ x0 }) => x0) || agreesAt(({ x1 }) => x1)) return true;
  return median(cells.map(({ text }) => text.length)) <= 12 && agreesAt(({ x0, x1 }) => (x0 + x1) / 2);
}

/** Whether a column is filled from edge to edge by long lines, as prose is. */
function isFull(cells: readonly PageSegment[]): boolean {
  if (median(cells.map(({ text }) => text.length)) <= 36) return false;
  const left = Math.min(...cells.map(({ x0 }) => x0));
  const widest = Math.max(...cells.map(({ x1 }) => x1)) - left;
  return cells.filter(({ x1 }) => x1 - left > widest * 0.88).length > cells.length * 0.6;
}

/**
 * Groups lines into rows; a line without a label that follows closely, or continues in lower case, belongs to
 * the row above.
 */
function rowsOf(run: readonly Line[], placeOf: (cell: PageSegment) => number, width: number): Row[] {
  const steps = run.slice(1).map((line, index) => line.y - (run[index]?.y ?? 0));
  const usual = median(steps.slice(Math.floor(steps.length / 3)));
  const rows: Row[] = [];
  let y = 0;
  for (const line of run) {
    const cells = new Array<string>(width).fill("");
    for (const cell of line.cells) {
      const column = placeOf(cell);
      cells[column] = `${cells[column]} ${cell.text}`.trim();
    }
    const above = rows.at(-1);
    const filled = cells.filter((text) => text !== "");
    const isLow = filled.every((text) => /^[\p{Ll}(]/u.test(text));
    const isClose = line.y - y < usual * 0.85;
    const goesOn =
      cells[0] === "" ? filled.length < width && (isClose || isLow) : filled.length === 1 && isClose && isLow;
    if (above !== undefined && goesOn)
      for (const [column, text] of cells.entries())
        above.cells[column] = `${above.cells[column]} ${text}`.trim();
    else rows.push({ y: line.y, fonts: new Set(line.cells.map(({ font }) => font)), cells });
    y = line.y;
  }
  return rows;
}

/** Whether a column holds running text: lines too long for cells, many of which continue a sentence. */
function isProse(texts: readonly string[]): boolean {
  if (median(texts.map((text) => text.length)) <= 24) return false;
  const broken = texts.filter(
    (text, index) => index > 0 && /^[\p{Ll}(]/u.test(text) && !sentenceEnd.test(texts[index - 1] ?? ""),
  );
  return broken.length > texts.length * 0.3;
}

/**
 * Whether two columns are not a table: marks of items before their text, or a few long lines side by side.
 */
function isNoPair(rows: readonly Row[]): boolean {
  const labels = rows.map(({ cells }) => cells[0] ?? "").filter((text) => text !== "");
  const values = rows.map(({ cells }) => cells[1] ?? "").filter((text) => text !== "");
  const marks = labels.filter(
    (text) => bullet.test(`${text} `) || /^[^\p{L}]{1,5}$/u.test(text) || text.length < 2,
  ).length;
  if (marks > labels.length * 0.5 && median(values.map((text) => text.length)) > 12) return true;
  if (median(labels.map((text) => text.length)) > 36) return true;
  return rows.length < 6 && median(values.map((text) => text.length)) > 40;
}

function headersOf(rows: readonly Row[], width: number): number {
  const body = rows.at(-1)?.fonts ?? new Set();
  const other = rows.findIndex(({ fonts }) => [...fonts].some((font) => body.has(font)));
  if (other > 0 && other <= 3) return other;
  // The first row of a continuation: its label counts or names something.
  if (/\d/.test(rows[0]?.cells[0] ?? "")) return 0;
  return width > 2 ? countHeaders(rows.map(({ cells }) => cells)) : 0;
}

/** Whether cells form a column of a table: aligned, and no prose that runs from edge to edge. */
function isColumn(cells: readonly PageSegment[], size: number): boolean {
  return cells.length >= 2 && isAligned(cells, size) && !isFull(cells);
}

/**
 * Whether the rows are those of a table: enough of them, mostly filled, and with texts as cells hold them.
 */
function areCells(rows: readonly Row[], width: number): boolean {
  const isFilled = (text: string) => text !== "";
  const texts = rows.flatMap(({ cells }) => cells).filter(isFilled);
  const leastCells = Math.max(2, width * 0.5);
  const whole = rows.filter(({ cells }) => cells.filter(isFilled).length >= leastCells).length;
  if (rows.length < (width === 2 ? 4 : 3) || whole < rows.length * 0.8) return false;
  if (texts.length < rows.length * width * 0.6) return false;
  if (texts.filter((text) => text.length > 60).length > texts.length * 0.34) return false;
  if (width === 2 && isNoPair(rows)) return false;
  for (let column = 0; column < width; column++)
    if (isProse(rows.map(({ cells }) => cells[column] ?? "").filter(isFilled))) return false;
  return true;
}

/**
 * The table of words that starts at `start` and the number of lines it takes, found by alignment alone:
 * 1. lines of two cells or more that follow each other closely, with the lines that wrap below them;
 * 2. gaps that are empty in all of them divide the columns, and the cells of each column are aligned;
 * 3. at least three rows of three columns, or four rows of two.
 */
export function readAligned(
  lines: PageRegion,
  start: number,
): { readonly table: Table; readonly length: number } | undefined {
  const first = lines[start];
  if (first === undefined || first.cells.length < 2 || first.table !== undefined) return undefined;
  const run = runOf(lines, start);
  const several = run.filter(({ cells }) => cells.length >= 2);
  if (several.length < 3) return undefined;
  const extents = columnsOf(run, first.size * 0.9);
  const width = extents.length;
  if (width < 2 || width > 20) return undefined;
  const placeOf = (cell: PageSegment) => columnOf(cell, extents);
  // Headings over columns are often centred, so they need not be aligned with the rest.
  const below = run.slice(1).flatMap((line) => line.cells);
  const columns = extents.map((_, column) => below.filter((cell) => placeOf(cell) === column));
  if (!columns.every((column) => isColumn(column, first.size))) return undefined;
  const rows = rowsOf(run, placeOf, width);
  if (!areCells(rows, width)) return undefined;
  const headerRows = Math.min(headersOf(rows, width), rows.length - 1);
  return { table: { rows: rows.map((row) => row.cells), headerRows }, length: run.length };
}
