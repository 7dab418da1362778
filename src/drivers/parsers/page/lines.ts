import { orderByColumns } from "./columns/columns.ts";
import { rowsOf, withoutShadows } from "./noise/shadows.ts";
import { appendPieceText, type PageSegment, type Piece } from "./pieces.ts";
import { readBands } from "./tables/banded.ts";
import type { PlacedTable } from "./tables/cells.ts";
import { inReadingOrder } from "./tables/right-to-left.ts";
import { type Drawn, mergeStrokes, readGrids } from "./tables/ruled.ts";

/** One line of a reading region; `cells` has one segment unless wide gaps divide it. */
export interface Line extends PageSegment {
  readonly cells: readonly PageSegment[];
}

/** Lines that are read together, e.g. one column between two headings that span it. */
export type PageRegion = readonly Line[];

/**
 * Text with single spaces, soft hyphens at its end only; of words set with a space between all letters, those
 * are taken out.
 */
function mendSpaces(text: string): string {
  const trimmed = text.trim();
  const spaced =
    trimmed[1] === " " && trimmed[3] === " " && /^(?:\S ){5,}\S(?:\s{2,}(?:\S )*\S)*$/.test(trimmed);
  const whole = spaced ? trimmed.replace(/(\S) (?=\S)/g, "$1") : trimmed;
  const joined = whole.includes("\u00ad") ? whole.replace(/\u00ad+(?=.)/g, "") : whole;
  return /\s\s|[^\S ]/.test(joined) ? joined.replace(/\s+/g, " ") : joined;
}

/**
 * Pieces of one baseline, joined from left to right and cut where the gap is wider than a letter and a half.
 */
function segmentsOf(row: readonly Piece[]): PageSegment[] {
  const rtl = row.filter((piece) => piece.rtl).length * 2 > row.length;
  const segments: PageSegment[] = [];
  let current: Piece | undefined;
  let chars = 0;
  const close = () => {
    if (current === undefined) return;
    const text = mendSpaces(current.text);
    if (text !== "") segments.push({ ...current, text });
  };
  for (const piece of row) {
    const gap = current === undefined ? 0 : piece.x0 - current.x1;
    if (current === undefined || gap > 1.1 * Math.max(current.size, piece.size)) {
      close();
      current = { ...piece };
      chars = piece.text.length;
      continue;
    }
    const space = gap > 0.16 * Math.min(current.size, piece.size) ? " " : "";
    const before = current.text + space;
    const text = appendPieceText(before, current, piece);
    current.text = rtl ? piece.text + space + current.text : before + text;
    current.x1 = Math.max(current.x1, piece.x1);
    if (piece.text.length > chars) {
      current.size = piece.size;
      current.font = piece.font;
      current.y = piece.y;
      current.mono = piece.mono;
      current.rtl = piece.rtl;
      current.role = piece.role;
      chars = piece.text.length;
    }
  }
  close();
  return segments;
}

function lineOf(cells: PageSegment[]): Line {
  cells.sort((left, right) => left.x0 - right.x0);
  const main = cells.reduce((best, cell) => (cell.text.length > best.text.length ? cell : best));
  const x1 = cells.reduce((edge, cell) => Math.max(edge, cell.x1), 0);
  const ordered = main.rtl ? cells.toReversed() : cells;
  const { y, size, font, mono, rtl, role } = main;
  return {
    text: ordered.map((cell) => cell.text).join(" "),
    cells,
    x0: cells[0]?.x0 ?? 0,
    x1,
    y,
    size,
    font,
    mono,
    rtl,
    role,
  };
}

function linesOf(region: PageSegment[]): Line[] {
  const lines: Line[] = [];
  let cells: PageSegment[] = [];
  let y = Number.NEGATIVE_INFINITY;
  const end = () => {
    if (cells.length > 0) lines.push(lineOf(cells));
    cells = [];
  };
  for (const segment of region.sort((one, two) => one.y - two.y)) {
    if (segment.table !== undefined) {
      end();
      lines.push({ ...segment, cells: [segment] });
      continue;
    }
    if (cells.length > 0 && Math.abs(segment.y - y) >= 0.45 * segment.size) end();
    if (cells.length === 0) y = segment.y;
    cells.push(segment);
  }
  end();
  return lines;
}

function segmentOf({ table, x0, y0, x1, y1, size }: PlacedTable): PageSegment {
  return {
    text: "",
    x0,
    x1,
    y: y0,
    size,
    font: "",
    mono: false,
    rtl: false,
    role: "",
    table: inReadingOrder(table),
    bottom: y1,
  };
}

/**
 * Groups a page's pieces into regions in reading order, each a list of lines and of tables found by their
 * lines, from top to bottom.
 */
export function readLines(pieces: readonly Piece[], drawn: Drawn = { rules: [], fills: [] }): PageRegion[] {
  const across = mergeStrokes(drawn.rules, false);
  const grids = readGrids(withoutShadows(pieces), drawn, across);
  const bands = readBands(grids.rest, across);
  const tables = [...grids.tables, ...bands.tables].map(segmentOf);
  const segments = [...rowsOf(bands.rest).flatMap(segmentsOf), ...tables].sort((one, two) => one.y - two.y);
  return orderByColumns(segments).map((region) => linesOf(region));
}
