import type { Table } from "../../../../core/documents/document.ts";
import { isNumeric, isYear } from "../line-text.ts";
import type { Line, PageRegion } from "../lines.ts";
import type { PageSegment } from "../pieces.ts";
import type { Extent } from "./cells.ts";

/** Most lines of one cell between two rows. */
const maxSingleLines = 4;

/**
 * Cells with a currency sign joined to the number after it, and a closing bracket or per cent sign to the one
 * before.
 */
function joinSigns(cells: readonly PageSegment[]): PageSegment[] {
  const joined: PageSegment[] = [];
  for (const cell of cells) {
    const last = joined.at(-1);
    if (last !== undefined && (/^[$€£¥]\s*\(?$/.test(last.text) || /^[)%]+%?$/.test(cell.text))) {
      joined[joined.length - 1] = { ...last, text: `${last.text}${cell.text}`, x1: cell.x1 };
    } else joined.push(cell);
  }
  return joined;
}

function isRow(cells: readonly PageSegment[]): boolean {
  return cells.length >= 2 && cells.slice(1).some((cell) => isNumeric(cell.text));
}

/** Column extents: where the cells of the rows with figures overlap each other along x. */
function columnsOf(rows: readonly (readonly PageSegment[])[]): Extent[] {
  const spans = rows
    .filter(isRow)
    .flat()
    .map(({ x0, x1 }) => ({ x0, x1 }))
    .sort((left, right) => left.x0 - right.x0);
  const columns: { x0: number; x1: number }[] = [];
  for (const span of spans) {
    const last = columns.at(-1);
    if (last !== undefined && span.x0 < last.x1) last.x1 = Math.max(last.x1, span.x1);
    else columns.push({ ...span });
  }
  return columns;
}

function columnFor(cell: PageSegment, columns: readonly Extent[]): number {
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  columns.forEach((column, index) => {
    const overlap = Math.min(cell.x1, column.x1) - Math.max(cell.x0, column.x0);
    if (overlap > bestScore) {
      best = index;
      bestScore = overlap;
    }
  });
  return best;
}

/**
 * Whether a line with one cell is a heading set over the columns of rows below it, e.g. `Year ended December
 * 31,`.
 */
function isOverColumns(lines: PageRegion, index: number): boolean {
  const line = lines[index];
  const next = lines[index + 1];
  if (
    line === undefined ||
    next === undefined ||
    line.text.length > 80 ||
    next.cells.length < 2 ||
    next.y - line.y > 2.5 * line.size
  )
    return false;
  return line.x0 - Math.min(...lines.map(({ x0 }) => x0)) > 80;
}

/** Whether a line is below the previous one, if there is one, and close enough. */
function isNext(line: Line, previous: Line | undefined): boolean {
  if (previous === undefined) return true;
  return line.y >= previous.y && line.y - previous.y <= 4 * Math.max(line.size, previous.size);
}

/** Whether a line that a wide space divides is prose: no figures, and long cells. */
function isProse(cells: readonly PageSegment[]): boolean {
  return !isRow(cells) && cells.some((cell) => cell.text.length > 60);
}

/** The lines from `start` on that may be rows of a table, cut into cells: up to prose, or to a gap. */
function runOf(lines: PageRegion, start: number): PageSegment[][] {
  const run: PageSegment[][] = [];
  let length = 0;
  let hasRow = false;
  let single = 0;
  let previous: Line | undefined;
  for (let index = start; index < lines.length; index++) {
    const line = lines[index];
    if (line === undefined || line.table !== undefined || !isNext(line, previous)) break;
    previous = line;
    const cells = joinSigns(line.cells);
    if (cells.length < 2) {
      single++;
      if (single > maxSingleLines || line.text.length > 130) break;
      run.push(cells);
      continue;
    }
    if (hasRow && isProse(cells)) break;
    single = 0;
    hasRow ||= isRow(cells);
    run.push(cells);
    length = run.length;
  }
  // Single cells after the last row are not part of the table.
  return run.slice(0, length);
}

/**
 * The table that starts at `start` and the number of lines it takes, or undefined when the lines there are no
 * table.
 * 1. lines of two cells or more, with single-cell lines between them (group labels, wrapped labels), form a
 *   run;
 * 2. at least three of its lines must be rows with figures;
 * 3. columns are where those rows' cells overlap along x; every cell goes to the column it overlaps most.
 */
export function readTable(
  lines: PageRegion,
  start: number,
): { readonly table: Table; readonly length: number } | undefined {
  const first = lines[start];
  if (first === undefined || (first.cells.length < 2 && !isOverColumns(lines, start))) return undefined;
  const run = runOf(lines, start);
  const rows = run.filter(isRow).length;
  const multi = run.filter((cells) => cells.length >= 2).length;
  if (rows < 3 || rows < multi * 0.5) return undefined;
  const columns = columnsOf(run);
  if (columns.length < 2) return undefined;
  return { table: place(run, columns), length: run.length };
}

/** The texts of a line by column. */
function textsOf(row: readonly PageSegment[], columns: readonly Extent[]): string[] {
  const texts = columns.map(() => "");
  for (const cell of row) {
    const at = columnFor(cell, columns);
    const text = cell.text.replace(/([$€£¥])\s+(?=[\d(])/g, "$1");
    texts[at] = texts[at] === "" ? text : `${texts[at]} ${text}`;
  }
  return texts;
}

/** Whether a row may be one of headings: no figures but years, and more than a label. */
function isHeading(texts: readonly string[]): boolean {
  const figures = texts.slice(1).filter(isNumeric);
  return figures.every(isYear) && (texts[0] === "" || texts.filter((text) => text !== "").length > 1);
}

/** Whether a label without figures wraps: it continues in lower case in the row below. */
function wraps(above: readonly string[], texts: readonly string[]): boolean {
  return (
    /^\p{Ll}/u.test(texts[0] ?? "") && above.slice(1).every((text) => text === "") && !above[0]?.endsWith(":")
  );
}

function place(run: readonly (readonly PageSegment[])[], columns: readonly Extent[]): Table {
  const rows: string[][] = [];
  let headerRows = 0;
  let inHeader = true;
  for (const cells of run) {
    const texts = textsOf(cells, columns);
    inHeader &&= isHeading(texts);
    if (inHeader) headerRows++;
    const above = rows.at(-1);
    if (!inHeader && above !== undefined && wraps(above, texts)) {
      texts[0] = `${above[0]} ${texts[0]}`;
      rows.pop();
      headerRows = Math.min(headerRows, rows.length);
    }
    rows.push(texts);
  }
  return { rows, headerRows: Math.min(headerRows, Math.max(0, rows.length - 1), 4) };
}
