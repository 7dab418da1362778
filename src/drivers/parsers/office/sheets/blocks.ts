import type { Block, Span } from "../../../../core/documents/document.ts";
import { tableBlock } from "../../blocks.ts";
import { guessHeaderRows, isFigure } from "../../grid.ts";
import { type Region, type SheetCells, tableRegions } from "./regions.ts";

/** Rows of one table block; a longer sheet becomes several blocks that repeat its header. */
const rowsPerBlock = 500;

/** A column's letters: 0 → A, 26 → AA. */
export function columnName(column: number): string {
  return column < 26
    ? String.fromCharCode(65 + column)
    : columnName(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));
}

/** A rectangle as spreadsheets write it, e.g. `A1:D9`. */
export function rangeName({ top, left, bottom, right }: Region): string {
  return `${columnName(left)}${top + 1}:${columnName(right)}${bottom + 1}`;
}

const filledIn = (row: readonly string[]) => row.filter((cell) => cell !== "").length;

/**
 * Index of the header row: the first of the leading rows whose cells are filled about as far as the table is wide, none of them
 * a figure; -1 when the first full row already holds figures.
 */
function headerRow(rows: readonly (readonly string[])[]): number {
  const widest = rows.slice(0, 50).reduce((most, row) => Math.max(most, filledIn(row)), 0);
  for (let index = 0; index < Math.min(rows.length - 1, 20); index++) {
    const row = rows[index] ?? [];
    if (filledIn(row) < Math.max(Math.min(2, widest), widest * 0.6)) continue;
    return row.some(isFigure) ? -1 : index;
  }
  return -1;
}

export interface Sheet {
  readonly name: string | undefined;
  readonly cells: SheetCells;
  readonly merged: readonly Region[];
}

/** Rows of a region with merged texts repeated over the places they cover, and the number of each row that is left. */
function rowsOf(sheet: Sheet, region: Region): { rows: string[][]; numbers: number[]; spans: Span[] } {
  const { top, left, bottom, right } = region;
  const full = new Map<number, Map<number, string>>();
  for (let row = top; row <= bottom; row++) {
    const cells = [...(sheet.cells.get(row) ?? [])].filter(([column]) => column >= left && column <= right);
    if (cells.length > 0) full.set(row, new Map(cells));
  }
  const merges: Region[] = [];
  for (const merge of sheet.merged) {
    if (merge.top < top || merge.bottom > bottom || merge.left < left || merge.right > right) continue;
    const text = full.get(merge.top)?.get(merge.left);
    // A title merged over the whole width stays one cell.
    if (
      text === undefined ||
      (merge.top === merge.bottom && merge.right > merge.left && full.get(merge.top)?.size === 1)
    )
      continue;
    merges.push(merge);
    for (let row = merge.top; row <= merge.bottom; row++) {
      const cells = full.get(row) ?? new Map<number, string>();
      for (let column = merge.left; column <= merge.right; column++) cells.set(column, text);
      full.set(row, cells);
    }
  }
  const numbers = [...full.keys()].sort((one, two) => one - two);
  const columns = [...new Set([...full.values()].flatMap((cells) => [...cells.keys()]))].sort(
    (one, two) => one - two,
  );
  const rowAt = new Map(numbers.map((number, index) => [number, index]));
  const columnAt = new Map(columns.map((column, index) => [column, index]));
  const rows = numbers.map((number) => columns.map((column) => full.get(number)?.get(column) ?? ""));
  const spans = merges.map((merge) => ({
    row: rowAt.get(merge.top) ?? 0,
    column: columnAt.get(merge.left) ?? 0,
    rows: merge.bottom - merge.top + 1,
    columns: merge.right - merge.left + 1,
  }));
  return { rows, numbers, spans };
}

/** Most places one region may have, empty ones included; beyond it a region is a scatter of cells and read row by row. */
const maxPlaces = 4_000_000;

function scattered(sheet: Sheet, region: Region): Block[] {
  const lines: string[] = [];
  for (let row = region.top; row <= region.bottom; row++) {
    const cells = [...(sheet.cells.get(row) ?? [])].sort(([one], [two]) => one - two);
    if (cells.length > 0)
      lines.push(cells.map(([column, text]) => `${columnName(column)}${row + 1}: ${text}`).join("; "));
  }
  return lines.map((text) => ({ kind: "paragraph", text, pages: [] }));
}

function regionBlocks(sheet: Sheet, region: Region): Block[] {
  if ((region.bottom - region.top + 1) * (region.right - region.left + 1) > maxPlaces) {
    const filled = [...sheet.cells.values()].reduce((sum, row) => sum + row.size, 0);
    if (filled < maxPlaces / 20) return scattered(sheet, region);
  }
  const { rows, numbers, spans } = rowsOf(sheet, region);
  const blocks: Block[] = [];
  const header = headerRow(rows);
  const start = Math.max(0, header);
  for (const row of rows.slice(0, start))
    blocks.push({ kind: "paragraph", text: row.filter((cell) => cell !== "").join(" "), pages: [] });
  const rest = rows.slice(start);
  if (rest.length === 1 && filledIn(rest[0] ?? []) === 1) {
    blocks.push({ kind: "paragraph", text: rest[0]?.find((cell) => cell !== "") ?? "", pages: [] });
    return blocks;
  }
  const below = spans.flatMap((span) => (span.row >= start ? [{ ...span, row: span.row - start }] : []));
  const heads = header < 0 ? 0 : Math.max(1, guessHeaderRows(rest, below));
  const body = rest.length - heads;
  for (let from = 0; from < Math.max(1, body); from += rowsPerBlock) {
    const part = rest.slice(heads + from, heads + from + rowsPerBlock);
    const top = numbers[from === 0 ? start : start + heads + from] ?? region.top;
    const bottom = numbers[start + heads + from + part.length - 1] ?? top;
    const partSpans = below.flatMap((span): Span[] => {
      if (span.row + span.rows <= heads) return [span];
      const row = span.row - from;
      return row >= heads && row + span.rows <= heads + part.length ? [{ ...span, row }] : [];
    });
    blocks.push(
      tableBlock(
        {
          rows: [...rest.slice(0, heads), ...part],
          headerRows: heads,
          ...(sheet.name === undefined
            ? {}
            : { sheet: sheet.name, range: rangeName({ ...region, top, bottom }) }),
          ...(partSpans.length === 0 ? {} : { spans: partSpans }),
        },
        [],
      ),
    );
  }
  return blocks;
}

/** Blocks of a sheet: each of its tables, and texts that stand alone as paragraphs. `whole`: the sheet is one table (CSV). */
export function sheetBlocks(sheet: Sheet, whole = false): Block[] {
  const first = (region: Region, count: number) =>
    rowsOf(sheet, { ...region, bottom: Math.min(region.bottom, region.top + count) }).rows;
  const hasHeader = (region: Region) => headerRow(first(region, 25)) >= 0;
  const isTable = (region: Region) => {
    if (region.bottom - region.top < 2 || region.right === region.left) return false;
    const rows = first(region, 25);
    const header = headerRow(rows);
    return header >= 0 && (rows[header] ?? []).every((cell) => cell !== "");
  };
  const regions = tableRegions(sheet.cells, sheet.merged, { isTable, hasHeader });
  if (!whole) return regions.flatMap((region) => regionBlocks(sheet, region));
  const [top, ...others] = regions;
  if (top === undefined) return [];
  const all = others.reduce<Region>(
    (sum, region) => ({
      top: Math.min(sum.top, region.top),
      left: Math.min(sum.left, region.left),
      bottom: Math.max(sum.bottom, region.bottom),
      right: Math.max(sum.right, region.right),
    }),
    top,
  );
  return regionBlocks(sheet, all);
}
