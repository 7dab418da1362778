import type { Span, Table } from "../../core/documents/document.ts";

/** A cell as written, before it is laid out. */
export interface Cell {
  readonly text: string;
  /** Rows and columns it covers, 1 or more. */
  readonly rows: number;
  readonly columns: number;
  readonly isHeader?: boolean;
}

/** Most places one cell may cover in each direction; a larger span is cut to it. */
const maxSpan = 1000;
/** Most cells laid out for one table: a table of nothing but spans must not fill the memory. */
const maxCells = 2_000_000;

const figure = /^[-+($€£¥]*[.,\s]*\d[\d.,\s]*[%)]*$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/;
const year = /^(19|20)\d\d$/;

/** Whether a cell holds a number, an amount, a share or a date rather than words; a bare year may be a heading. */
export function isFigure(cell: string): boolean {
  return figure.test(cell) && !year.test(cell);
}

/**
 * How many leading rows look like headers: a row without figures that is mostly filled; a row whose cells cover several columns
 * takes the next one with it while that has no figures either.
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
  let count = 1;
  for (;;) {
    const row = count - 1;
    const wide = spans.some((span) => span.row === row && span.columns > 1 && span.columns < width);
    const tall = spans.some((span) => span.row === row && span.rows > 1);
    const next = rows[count];
    if ((!wide && !tall) || next === undefined || count + 1 >= rows.length || next.some(isFigure)) break;
    if (!wide && tall && !spans.some((span) => span.row < count && span.row + span.rows > count)) break;
    if (!wide) break;
    count++;
  }
  return count;
}

/** Lays cells out: a cell that spans stands in every place it covers. `headerRows` undefined: guessed. Rows without text are left out. */
export function layOut(written: readonly (readonly Cell[])[], headerRows?: number): Table {
  const rows: string[][] = [];
  const spans: Span[] = [];
  const carried = new Map<number, { text: string; left: number }>();
  let laid = 0;
  const kept: boolean[] = [];
  for (const [index, cells] of written.entries()) {
    const row: string[] = [];
    const fill = () => {
      for (
        let above = carried.get(row.length);
        above !== undefined && above.left > 0;
        above = carried.get(row.length)
      ) {
        above.left--;
        row.push(above.text);
      }
    };
    for (const cell of cells) {
      fill();
      const down = Math.min(Math.max(1, cell.rows), maxSpan, written.length - index);
      const across = Math.min(Math.max(1, cell.columns), maxSpan);
      if (down > 1 || across > 1) spans.push({ row: index, column: row.length, rows: down, columns: across });
      for (let place = 0; place < across && laid < maxCells; place++, laid++) {
        if (down > 1) carried.set(row.length, { text: cell.text, left: down - 1 });
        row.push(cell.text);
      }
    }
    fill();
    // A row that holds only what spans into it, or only what goes on beside the next row's cells, says nothing of its own.
    const said = cells.filter((cell) => cell.text !== "");
    const next = written[index + 1] ?? [];
    const goesOn =
      said.length > 0 &&
      said.every((cell) => cell.rows > 1) &&
      next.some((cell) => cell.text !== "" && cell.rows === 1);
    kept.push(said.length > 0 && !goesOn);
    rows.push(row);
  }
  const places = kept.map((keep, index) => (keep ? kept.slice(0, index).filter(Boolean).length : -1));
  const left = rows.filter((_, index) => kept[index]);
  const leftSpans = spans.flatMap((span) => {
    const row = places[span.row] ?? -1;
    const covered = places.slice(span.row, span.row + span.rows).filter((place) => place >= 0).length;
    return row < 0 || (covered < 2 && span.columns < 2) ? [] : [{ ...span, row, rows: covered }];
  });
  const counted =
    headerRows === undefined
      ? guessHeaderRows(left, leftSpans)
      : kept.slice(0, headerRows).filter(Boolean).length;
  return {
    rows: left,
    headerRows: Math.min(counted, Math.max(0, left.length - 1)),
    ...(leftSpans.length === 0 ? {} : { spans: leftSpans }),
  };
}
