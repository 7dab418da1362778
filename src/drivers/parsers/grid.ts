import type { Span, Table } from "../../core/documents/document.ts";

/** A cell as written, before it is laid out. */
export interface GridCell {
  readonly text: string;
  /** Rows and columns it covers, 1 or more. */
  readonly rows: number;
  readonly columns: number;
  readonly isHeader?: boolean;
}

/** Most places one cell may cover in each direction; a larger span is cut to it. */
const maxSpan = 1000;
/** Most cells laid out for one table: a table made only of spans must not fill the memory. */
const maxCells = 2_000_000;

const figure = /^[-+($€£¥]*[.,\s]*\d[\d.,\s]*[%)]*$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/;
const year = /^(19|20)\d\d$/;

/**
 * Whether a cell holds a number, an amount, a share or a date rather than words; a bare year may be a
 * heading.
 */
export function isFigure(cell: string): boolean {
  return figure.test(cell) && !year.test(cell);
}

/**
 * How many leading rows look like headers: a row without figures that is mostly filled; a row whose cells
 * cover several columns takes the next one with it while that has no figures either.
 */
export function guessHeaderRows(rows: readonly (readonly string[])[], spans: readonly Span[] = []): number {
  if (rows.length < 2) return 0;
  const [first = []] = rows;
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = first.filter((cell) => cell !== "").length;
  if (filled < Math.max(1, width * 0.5) || first.some(isFigure)) return 0;
  if (
    filled < width &&
    rows.slice(1).every((row) => row.every((cell) => !isFigure(cell))) &&
    filled * 2 < width + 1
  )
    return 0;
  const spansColumns = (row: number) =>
    spans.some((span) => span.row === row && span.columns > 1 && span.columns < width);
  let count = 1;
  while (count + 1 < rows.length && spansColumns(count - 1) && !rows[count]?.some(isFigure)) count++;
  return count;
}

/** Rows laid out so far, with the state needed to lay out the next one. */
interface Layout {
  readonly rows: string[][];
  readonly spans: Span[];
  /** By column: the text that a cell above still spans, and the number of rows left. */
  readonly carried: Map<number, { readonly text: string; left: number }>;
  cells: number;
  /** The last column in which a cell begins. */
  lastBegin: number;
}

/** Adds the next spans of cells above to a row. */
function fillFromAbove({ carried }: Layout, row: string[]): void {
  let above = carried.get(row.length);
  while (above !== undefined && above.left > 0) {
    above.left--;
    row.push(above.text);
    above = carried.get(row.length);
  }
}

/** Lays out one row; `rowsLeft` are it and those below. */
function layOutRow(layout: Layout, cells: readonly GridCell[], rowsLeft: number): void {
  const { rows, spans, carried } = layout;
  const row: string[] = [];
  for (const cell of cells) {
    fillFromAbove(layout, row);
    const down = Math.min(Math.max(1, cell.rows), maxSpan, rowsLeft);
    layout.lastBegin = Math.max(layout.lastBegin, row.length);
    const across = Math.min(Math.max(1, cell.columns), maxSpan);
    if (down > 1 || across > 1)
      spans.push({ row: rows.length, column: row.length, rows: down, columns: across });
    for (let place = 0; place < across && layout.cells < maxCells; place++) {
      if (down > 1) carried.set(row.length, { text: cell.text, left: down - 1 });
      row.push(cell.text);
      layout.cells++;
    }
  }
  fillFromAbove(layout, row);
  rows.push(row);
}

/** Whether a row has content other than spanning cells that continue next to the cells of the next row. */
function isOwnRow(cells: readonly GridCell[], next: readonly GridCell[]): boolean {
  const filled = cells.filter((cell) => cell.text !== "");
  const goesOn =
    filled.every((cell) => cell.rows > 1) && next.some((cell) => cell.text !== "" && cell.rows === 1);
  return filled.length > 0 && !goesOn;
}

/**
 * The spans over the rows that are kept: `places` holds the new number of each row, -1 for those left out.
 */
function keepSpans(spans: readonly Span[], places: readonly number[], width: number): Span[] {
  return spans.flatMap((span) => {
    const columns = Math.min(span.columns, width - span.column);
    const row = places[span.row] ?? -1;
    const rows = places.slice(span.row, span.row + span.rows).filter((place) => place >= 0).length;
    return row < 0 || (rows < 2 && columns < 2) ? [] : [{ ...span, row, rows, columns }];
  });
}

/**
 * Lays out cells; a cell that spans fills every place it covers. `headerRows` undefined: guessed. Rows
 * without text are left out.
 */
export function layOutGrid(written: readonly (readonly GridCell[])[], headerRows?: number): Table {
  const layout: Layout = { rows: [], spans: [], carried: new Map(), cells: 0, lastBegin: 0 };
  const places: number[] = [];
  const rows: string[][] = [];
  for (const [index, cells] of written.entries()) {
    layOutRow(layout, cells, written.length - index);
    const row = layout.rows.at(-1);
    const isKept = row !== undefined && isOwnRow(cells, written[index + 1] ?? []);
    places.push(isKept ? rows.length : -1);
    if (isKept) rows.push(row);
  }
  // Cells may claim to cover more columns than there are: a column is where a cell begins.
  const width = rows.length === 0 ? 0 : layout.lastBegin + 1;
  for (const row of rows) row.length = Math.min(row.length, width);
  const spans = keepSpans(layout.spans, places, width);
  const headers =
    headerRows === undefined
      ? guessHeaderRows(rows, spans)
      : places.slice(0, headerRows).filter((place) => place >= 0).length;
  return {
    rows,
    headerRows: Math.min(headers, Math.max(0, rows.length - 1)),
    ...(spans.length === 0 ? {} : { spans }),
  };
}
