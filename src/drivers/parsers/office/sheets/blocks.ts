import { columnLetters } from "../../../../core/documents/cells.ts";
import { type Block, rowsPerBlock, type Span } from "../../../../core/documents/document.ts";
import { tableBlock } from "../../blocks.ts";
import { guessHeaderRows, isFigure } from "../../grid.ts";
import { isTitle, type Region, type SheetCells, tableRegions } from "./regions.ts";

/** Limits of one sheet or one CSV; the rest is counted and named in a warning. */
export const sheetLimits = { maxRows: 100_000, maxColumns: 1_000, maxCells: 2_000_000 } as const;

/** A rectangle as spreadsheets write it, e.g. `A1:D9`. */
function rangeName({ top, left, bottom, right }: Region): string {
  return `${columnLetters(left)}${top + 1}:${columnLetters(right)}${bottom + 1}`;
}

const filledIn = (row: readonly string[]) => row.filter((cell) => cell !== "").length;

/**
 * Index of the header row: the first of the leading rows that is filled about as far as the table is wide,
 * without figures; -1 when the first full row already holds figures.
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

type Rows = Map<number, Map<number, string>>;

/** Filled cells of a region by row and column. */
function cellsOf(sheet: Sheet, { top, left, bottom, right }: Region): Rows {
  const rows: Rows = new Map();
  for (let row = top; row <= bottom; row++) {
    const cells = [...(sheet.cells.get(row) ?? [])].filter(([column]) => column >= left && column <= right);
    if (cells.length > 0) rows.set(row, new Map(cells));
  }
  return rows;
}

const contains = (outer: Region, { top, left, bottom, right }: Region) =>
  top >= outer.top && bottom <= outer.bottom && left >= outer.left && right <= outer.right;

/** The text of a merged cell; undefined where it has none, or is a title, which stays one cell. */
const mergedText = (rows: Rows, merge: Region): string | undefined =>
  isTitle(rows, merge) ? undefined : rows.get(merge.top)?.get(merge.left);

/** Writes a text to every place of a merged cell. */
function fill(rows: Rows, { top, left, bottom, right }: Region, text: string): void {
  for (let row = top; row <= bottom; row++) {
    const cells = rows.get(row) ?? new Map<number, string>();
    for (let column = left; column <= right; column++) cells.set(column, text);
    rows.set(row, cells);
  }
}

const ascending = (numbers: Iterable<number>) => [...new Set(numbers)].sort((one, two) => one - two);

/** The filled part of the rows of a region and their position in the sheet, 0-based. */
interface FilledRows {
  readonly rows: readonly (readonly string[])[];
  readonly numbers: readonly number[];
  readonly columns: readonly number[];
  readonly spans: readonly Span[];
}

/**
 * Rows of a region with merged texts repeated over the places they cover; empty rows and columns are left
 * out.
 */
function rowsOf(sheet: Sheet, region: Region): FilledRows {
  const filled = cellsOf(sheet, region);
  const merges: Region[] = [];
  for (const merge of sheet.merged) {
    const text = contains(region, merge) ? mergedText(filled, merge) : undefined;
    if (text === undefined) continue;
    fill(filled, merge, text);
    merges.push(merge);
  }
  const numbers = ascending(filled.keys());
  const columns = ascending([...filled.values()].flatMap((cells) => [...cells.keys()]));
  const rowAt = new Map(numbers.map((number, index) => [number, index]));
  const columnAt = new Map(columns.map((column, index) => [column, index]));
  const rows = numbers.map((number) => columns.map((column) => filled.get(number)?.get(column) ?? ""));
  const spans = merges.map((merge) => ({
    row: rowAt.get(merge.top) ?? 0,
    column: columnAt.get(merge.left) ?? 0,
    rows: merge.bottom - merge.top + 1,
    columns: merge.right - merge.left + 1,
  }));
  return { rows, numbers, columns, spans };
}

/**
 * Most places one region may have, empty ones included; beyond it a region is a scatter of cells and read row
 * by row.
 */
const maxPlaces = 4_000_000;

function scattered(sheet: Sheet, region: Region): Block[] {
  const lines: string[] = [];
  for (let row = region.top; row <= region.bottom; row++) {
    const cells = [...(sheet.cells.get(row) ?? [])].sort(([one], [two]) => one - two);
    if (cells.length > 0)
      lines.push(cells.map(([column, text]) => `${columnLetters(column)}${row + 1}: ${text}`).join("; "));
  }
  return lines.map(paragraph);
}

/**
 * Spans of the header, and of the `count` rows of the body after the first `skipped`, by their place in that
 * part.
 */
function spansOf(spans: readonly Span[], heads: number, skipped: number, count: number): Span[] {
  return spans.flatMap((span): Span[] => {
    if (span.row + span.rows <= heads) return [span];
    const row = span.row - skipped;
    return row >= heads && row + span.rows <= heads + count ? [{ ...span, row }] : [];
  });
}

/** A table as blocks of `rowsPerBlock` rows that repeat its header. */
function tableBlocks(
  { name: sheet }: Sheet,
  region: Region,
  { rows, numbers, columns, spans }: FilledRows,
  heads: number,
): Block[] {
  const blocks: Block[] = [];
  const body = rows.length - heads;
  for (let skipped = 0; skipped < Math.max(1, body); skipped += rowsPerBlock) {
    const part = rows.slice(heads + skipped, heads + skipped + rowsPerBlock);
    const places = numbers.slice(heads + skipped, heads + skipped + part.length);
    const top = numbers[skipped === 0 ? 0 : heads + skipped] ?? region.top;
    const bottom = places.at(-1) ?? top;
    const partSpans = spansOf(spans, heads, skipped, part.length);
    const table = {
      rows: [...rows.slice(0, heads), ...part],
      headerRows: heads,
      ...(sheet === undefined ? {} : { sheet }),
      range: rangeName({ ...region, top, bottom }),
      ...(bottom - (places[0] ?? bottom) < places.length ? {} : { rowNumbers: places.map((row) => row + 1) }),
      ...(region.right - region.left < columns.length ? {} : { columnNumbers: columns }),
      ...(partSpans.length === 0 ? {} : { spans: partSpans }),
    };
    blocks.push(tableBlock(table, []));
  }
  return blocks;
}

const paragraph = (text: string): Block => ({ kind: "paragraph", text, pages: [] });

/** Whether a region has so few cells for its size that it is read row by row. */
function isScatter(sheet: Sheet, { top, left, bottom, right }: Region): boolean {
  if ((bottom - top + 1) * (right - left + 1) <= maxPlaces) return false;
  const filled = [...sheet.cells.values()].reduce((sum, row) => sum + row.size, 0);
  return filled < maxPlaces / 20;
}

/** Most rows of a single column that are a title with lines under it, and no table. */
const titleRows = 3;

/** Whether rows are lines of text, such as a title with the date of an export under it. */
const isTextBlock = (rows: readonly (readonly string[])[], columns: readonly number[]): boolean =>
  columns.length === 1 && rows.length <= titleRows && !rows.some((row) => row.some(isFigure));

function regionBlocks(sheet: Sheet, region: Region): Block[] {
  if (isScatter(sheet, region)) return scattered(sheet, region);
  const { rows, numbers, columns, spans } = rowsOf(sheet, region);
  const header = headerRow(rows);
  const start = Math.max(0, header);
  const before = rows.slice(0, start).map((row) => paragraph(row.filter((cell) => cell !== "").join(" ")));
  const rest = rows.slice(start);
  const isText = rest.length === 1 ? filledIn(rest[0] ?? []) === 1 : isTextBlock(rest, columns);
  if (isText) return [...before, ...rest.map((row) => paragraph(row.join("")))];
  const below = spans.flatMap((span) => (span.row >= start ? [{ ...span, row: span.row - start }] : []));
  const heads = header < 0 ? 0 : Math.max(1, guessHeaderRows(rest, below));
  const table = { rows: rest, numbers: numbers.slice(start), columns, spans: below };
  return [...before, ...tableBlocks(sheet, region, table, heads)];
}

/**
 * Blocks of a sheet: each of its tables, and single texts as paragraphs. `whole`: the sheet is one table
 * (CSV).
 */
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
