import { isNumeric, isYear } from "../line-text.ts";
import type { Piece } from "../pieces.ts";
import {
  cellText,
  columnOf,
  countHeaders,
  coverageOf,
  type Extent,
  extentsOf,
  hasUnsplitColumns,
  type PlacedTable,
  textRows,
  trimTable,
} from "./cells.ts";
import { headerAboveRules } from "./heads.ts";
import type { Stroke } from "./ruled.ts";

interface Band {
  readonly left: number;
  readonly right: number;
  readonly lines: readonly number[];
}

/** Runs of lines across that begin and end at the same places: the rules above, in and below a table. */
function bandsOf(across: readonly Stroke[]): Band[] {
  const bands: { left: number; right: number; lines: number[] }[] = [];
  for (const { at, from, to } of across) {
    if (to - from < 60) continue;
    const band = bands.find(({ left, right }) => Math.abs(left - from) < 4 && Math.abs(right - to) < 4);
    if (band === undefined) bands.push({ left: from, right: to, lines: [at] });
    else band.lines.push(at);
  }
  return bands.filter(({ lines }) => lines.length >= 2 && lines.length < 200);
}

/** Columns, divided by gaps wider than `gap` that only a few spanning rows cover. */
function columnsOf(rows: readonly (readonly Piece[])[], left: number, right: number, gap: number): Extent[] {
  const width = Math.ceil(right - left) + 2;
  const covered = coverageOf(rows, left, width);
  return extentsOf(covered, { left: left - 1, few: Math.floor(rows.length * 0.12), gap });
}

/**
 * Whether most of the lines continue to the left of the rules: such rules underline figures, and the labels
 * are outside.
 */
function isCutOff(lines: readonly (readonly Piece[])[], band: Band, all: readonly Piece[]): boolean {
  const beside = all.filter(({ x1 }) => x1 < band.left);
  const cut = lines.filter((line) =>
    beside.some(({ y, size }) => Math.abs(y - (line[0]?.y ?? 0)) < size * 0.45),
  );
  return cut.length >= lines.length * 0.5;
}

/** The texts of the cells of each line, by columns. */
function cellsOf(lines: readonly (readonly Piece[])[], columns: readonly Extent[]): string[][] {
  return lines.map((line) => {
    const cells = columns.map((): Piece[] => []);
    for (const piece of line) cells[columnOf(piece, columns)]?.push(piece);
    return cells.map((cell) => (cell.length === 0 ? "" : cellText(cell)));
  });
}

/** Whether the text between two rules is prose: one column, or two of long lines. */
function isProse(rows: readonly (readonly string[])[]): boolean {
  const filled = rows.filter((row) => row.filter((text) => text !== "").length >= 2).length;
  if (filled < rows.length * 0.55 || filled < 2) return true;
  const cells = rows.flat().filter((text) => text !== "");
  const long = cells.filter((text) => text.length > 32).length;
  return long > cells.length * (rows[0]?.length === 2 ? 0.4 : 0.6);
}

function hasFiguresAsLabels(rows: readonly (readonly string[])[]): boolean {
  const labels = rows.flatMap(([label = ""]) => (label === "" ? [] : [label]));
  const figures = labels.filter((text) => isNumeric(text) || /^[$€£¥(]/.test(text));
  return figures.length > labels.length * 0.5;
}

/** Whether rows hold nothing but words and years, as headings do. */
const areHeadings = (rows: readonly (readonly string[])[]): boolean =>
  rows.flat().every((text) => !isNumeric(text) || isYear(text));

/** Header rows of a table: those above its first inner rule, or judged by its texts without one. */
function headersOf(
  rows: readonly (readonly string[])[],
  lines: readonly (readonly Piece[])[],
  rule: number | undefined,
): number {
  const above = rule === undefined ? 0 : lines.filter(([first]) => (first?.y ?? 0) < rule).length;
  const isHead = above > 0 && above <= 4 && above < rows.length && areHeadings(rows.slice(0, above));
  return isHead ? above : countHeaders(rows);
}

/** The table between two rules of a band, made of the pieces near it; `all` are those of the whole page. */
function readBand(
  band: Band,
  top: number,
  bottom: number,
  near: readonly Piece[],
  all: readonly Piece[],
): { table: PlacedTable; used: Piece[] } | undefined {
  const used = near.filter(({ y, size }) => y - size * 0.3 > top && y - size * 0.3 < bottom);
  const lines = textRows(used);
  if (used.length < 4 || lines.length < 2) return undefined;
  const size = used.reduce((sum, piece) => sum + piece.size, 0) / used.length;
  // Stretches empty in nearly all lines divide the columns.
  const columns = columnsOf(lines, band.left - 6, band.right + 6, size * 0.55);
  if (columns.length < 2) return undefined;
  const rows = cellsOf(lines, columns);
  if (isProse(rows) || hasUnsplitColumns(rows)) return undefined;
  if (hasFiguresAsLabels(rows) && isCutOff(lines, band, all)) return undefined;
  // Underlined headings of columns whose rows begin further left below them.
  const hasRowsBelow = () =>
    all.some(({ x0, y }) => x0 < band.left - 20 && y > bottom && y < bottom + 3 * size);
  if (rows.length <= 3 && areHeadings(rows) && hasRowsBelow()) return undefined;
  const marks = band.lines.filter((line) => line > top + 1 && line < bottom - 1);
  const trimmed = trimTable(joinWrapped(rows, lines, marks), []);
  if (trimmed.rows.length < 2) return undefined;
  const headerRows = headersOf(trimmed.rows, lines, marks[0]);
  const place = { x0: band.left, y0: top, x1: band.right, y1: bottom, size };
  const isWhole = trimmed.rows[0]?.length === columns.length;
  const heads = headerRows === 0 && isWhole ? headerAboveRules(top, near, columns, size) : undefined;
  if (heads === undefined) return { table: { ...place, table: { rows: trimmed.rows, headerRows } }, used };
  const table = { rows: [...heads.rows, ...trimmed.rows], headerRows: heads.rows.length };
  return { table: { ...place, table, y0: heads.top }, used: [...used, ...heads.used] };
}

/**
 * Rows with an empty label cell whose texts continue in lower case belong to the row above, unless a rule
 * comes between.
 */
function joinWrapped(
  rows: readonly string[][],
  lines: readonly (readonly Piece[])[],
  marks: readonly number[],
): string[][] {
  const joined: string[][] = [];
  rows.forEach((row, index) => {
    const above = joined.at(-1);
    const y = lines[index]?.[0]?.y ?? 0;
    const before = lines[index - 1]?.[0]?.y ?? 0;
    const ruled = marks.some((mark) => mark > before && mark < y);
    const texts = row.filter((text) => text !== "");
    const goesOn =
      row[0] === "" && texts.length < row.length * 0.5 && texts.every((text) => /^[\p{Ll}(]/u.test(text));
    if (above === undefined || ruled || !goesOn) joined.push([...row]);
    else for (const [column, text] of row.entries()) above[column] = `${above[column] ?? ""} ${text}`.trim();
  });
  return joined;
}

/**
 * Tables between horizontal rules without lines between their columns, and the pieces outside all of them.
 */
export function readBands(
  pieces: readonly Piece[],
  across: readonly Stroke[],
): { tables: PlacedTable[]; rest: readonly Piece[] } {
  const tables: PlacedTable[] = [];
  let rest = pieces;
  for (const band of bandsOf(across)) {
    // The widest stretch of rules that is a table: whole first, then from each rule on to the last.
    let first = 0;
    let last = band.lines.length - 1;
    const near = rest.filter(({ x0, x1 }) => x0 > band.left - 6 && x1 < band.right + 6);
    while (first < last) {
      const match = readBand(band, band.lines[first] ?? 0, band.lines[last] ?? 0, near, rest);
      if (match !== undefined) {
        tables.push(match.table);
        const taken = new Set(match.used);
        rest = rest.filter((piece) => !taken.has(piece));
        first = last;
      } else if (last - first > 6) first = last;
      else if (last > first + 1) last--;
      else {
        first++;
        last = band.lines.length - 1;
      }
    }
  }
  return { tables, rest };
}
