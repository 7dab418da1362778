import type { Table } from "../../../core/documents/document.ts";
import { isNumeric, isYear } from "./line-text.ts";
import type { Region, Segment } from "./lines.ts";

/** Cells with a currency sign joined to the number after it, and a closing bracket or per cent sign to the one before. */
function joinSigns(cells: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const cell of cells) {
    const last = joined.at(-1);
    if (last !== undefined && (/^[$€£¥]\s*\(?$/.test(last.text) || /^[)%]+%?$/.test(cell.text))) {
      joined[joined.length - 1] = { ...last, text: `${last.text}${cell.text}`, x1: cell.x1 };
    } else joined.push(cell);
  }
  return joined;
}

function isRow(cells: readonly Segment[]): boolean {
  return cells.length >= 2 && cells.slice(1).some((cell) => isNumeric(cell.text));
}

/** Column extents: where the cells of the rows with figures overlap each other along x. */
function columnsOf(rows: readonly (readonly Segment[])[]): { x0: number; x1: number }[] {
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

function columnFor(cell: Segment, columns: readonly { x0: number; x1: number }[]): number {
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

/** Whether a line with one cell is a heading set over the columns of rows below it, e.g. `Year ended December 31,`. */
function isOverColumns(lines: Region, index: number): boolean {
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

/**
 * The table that starts at `start` and the number of lines it takes, or undefined when the lines there are no table.
 * 1. lines of two cells or more, with single-cell lines between them (group labels, wrapped labels), form a run;
 * 2. at least three of its lines must be rows with figures;
 * 3. columns are where those rows' cells overlap along x; every cell goes to the column it overlaps most.
 */
export function readTable(
  lines: Region,
  start: number,
): { readonly table: Table; readonly length: number } | undefined {
  const first = lines[start];
  if (first === undefined || (first.cells.length < 2 && !isOverColumns(lines, start))) return undefined;
  const cells: Segment[][] = [];
  let rows = 0;
  let end = start;
  let single = 0;
  for (let index = start; index < lines.length; index++) {
    const line = lines[index];
    const previous = lines[index - 1];
    if (line === undefined || line.table !== undefined) break;
    if (
      index > start &&
      previous !== undefined &&
      (line.y < previous.y || line.y - previous.y > 4 * Math.max(line.size, previous.size))
    )
      break;
    const joined = joinSigns(line.cells);
    if (joined.length < 2) {
      single++;
      if (single > 4 || line.text.length > 130) break;
    } else {
      // Prose with a wide space in it: no figures, and long cells.
      if (!isRow(joined) && rows > 0 && joined.some((cell) => cell.text.length > 60)) break;
      single = 0;
      end = index + 1;
    }
    if (isRow(joined)) rows++;
    cells.push(joined);
  }
  cells.length = end - start;
  const multi = cells.filter((row) => row.length >= 2).length;
  if (rows < 3 || rows < multi * 0.5) return undefined;
  const columns = columnsOf(cells);
  if (columns.length < 2) return undefined;
  return { table: place(cells, columns), length: end - start };
}

function place(
  cells: readonly (readonly Segment[])[],
  columns: readonly { x0: number; x1: number }[],
): Table {
  const rows: string[][] = [];
  let headerRows = 0;
  let inHeader = true;
  for (const row of cells) {
    const texts = columns.map(() => "");
    for (const cell of row) {
      const at = columnFor(cell, columns);
      const text = cell.text.replace(/([$€£¥])\s+(?=[\d(])/g, "$1");
      texts[at] = texts[at] === "" ? text : `${texts[at]} ${text}`;
    }
    const figures = texts.slice(1).filter((text) => isNumeric(text));
    const isHeading =
      figures.every(isYear) && (texts[0] === "" || texts.filter((text) => text !== "").length > 1);
    if (inHeader && isHeading) headerRows++;
    else inHeader = false;
    // A label that wraps: its first part stands alone on the line above, its second begins in lower case.
    const above = rows.at(-1);
    const label = texts[0] ?? "";
    if (
      !inHeader &&
      above !== undefined &&
      /^\p{Ll}/u.test(label) &&
      above.slice(1).every((text) => text === "") &&
      !above[0]?.endsWith(":")
    ) {
      texts[0] = `${above[0]} ${label}`;
      rows.pop();
      if (rows.length < headerRows) headerRows = rows.length;
    }
    rows.push(texts);
  }
  return { rows, headerRows: Math.min(headerRows, Math.max(0, rows.length - 1), 4) };
}
