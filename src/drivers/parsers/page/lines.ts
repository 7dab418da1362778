import type { Table } from "../../../core/documents/document.ts";
import { readBands } from "./banded-tables.ts";
import type { PlacedTable } from "./cells.ts";
import type { Piece } from "./pieces.ts";
import { type Drawn, readGrids, strokesOf } from "./ruled-tables.ts";

/** Text on one baseline without a wide gap. Points; `y` grows downwards from the page's top. */
export interface Segment {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  readonly font: string;
  readonly mono: boolean;
  readonly rtl: boolean;
  /** Role of the tagged element, e.g. `H1`; "" where there is none. */
  readonly role: string;
  /** A table found by its lines, in place of text; `bottom` is its lower edge. */
  readonly table?: Table;
  readonly bottom?: number;
}

/** One line of a reading region; `cells` has one segment unless wide gaps divide it. */
export interface Line extends Segment {
  readonly cells: readonly Segment[];
}

/** Lines that are read together, e.g. one column between two headings that span it. */
export type Region = readonly Line[];

/** Text with single spaces; of words set with a space between all letters, those are taken out. */
function mendSpaces(text: string): string {
  const trimmed = text.trim();
  const spaced =
    trimmed[1] === " " && trimmed[3] === " " && /^(?:\S ){5,}\S(?:\s{2,}(?:\S )*\S)*$/.test(trimmed);
  const joined = spaced ? trimmed.replace(/(\S) (?=\S)/g, "$1") : trimmed;
  return /\s\s|[^\S ]/.test(joined) ? joined.replace(/\s+/g, " ") : joined;
}

/**
 * Pieces of one baseline, joined from left to right and cut where the gap is wider than a letter and a half.
 */
function segmentsOf(row: Piece[]): Segment[] {
  row.sort((left, right) => left.x0 - right.x0);
  const rtl = row.filter((piece) => piece.rtl).length * 2 > row.length;
  const segments: Segment[] = [];
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
    current.text = rtl ? piece.text + space + current.text : current.text + space + piece.text;
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

function rowsOf(pieces: Piece[]): Segment[] {
  pieces.sort((left, right) => left.y - right.y || left.x0 - right.x0);
  const segments: Segment[] = [];
  let row: Piece[] = [];
  let anchor = { y: Number.NEGATIVE_INFINITY, size: 0 };
  for (const piece of pieces) {
    const same =
      Math.abs(piece.y - anchor.y) <
      0.45 * Math.min(Math.max(piece.size, anchor.size), 2 * Math.min(piece.size, anchor.size));
    if (same) {
      row.push(piece);
      if (piece.size > anchor.size) anchor = piece;
    } else {
      segments.push(...segmentsOf(row));
      row = [piece];
      anchor = piece;
    }
  }
  segments.push(...segmentsOf(row));
  return segments;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLetter(code: number): boolean {
  return code > 191 || ((code | 32) >= 97 && (code | 32) <= 122);
}

function countCodes(text: string, isCounted: (code: number) => boolean): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) if (isCounted(text.charCodeAt(index))) count++;
  return count;
}

function isProse(segments: readonly Segment[]): boolean {
  let letters = 0;
  let digits = 0;
  let long = 0;
  let count = 0;
  for (const { text } of segments) {
    // Bullets, numbers of items and marks of notes stand alone and say nothing about the lines beside them.
    if (text.length < 4) continue;
    count++;
    digits += countCodes(text, isDigit);
    letters += countCodes(text, isLetter);
    if (text.length >= 18) long++;
  }
  return count >= 4 && long >= count * 0.5 && letters > digits * 4;
}

/** How many segments cross each x from `start` on, over `width` points. */
function countCrossings(segments: readonly Segment[], start: number, width: number): Uint16Array {
  const crossings = new Uint16Array(Math.ceil(width) + 1);
  for (const segment of segments) {
    const from = Math.max(0, Math.floor(segment.x0 - start));
    const to = Math.min(crossings.length - 1, Math.ceil(segment.x1 - start));
    for (let x = from; x <= to; x++) crossings[x] = (crossings[x] ?? 0) + 1;
  }
  return crossings;
}

/** The middle and length of the longest run of `least`. */
function longestRun(crossings: Uint16Array, least: number): { readonly at: number; readonly length: number } {
  let best = { at: 0, length: 0 };
  let run = 0;
  for (const [x, count] of crossings.entries()) {
    run = count === least ? run + 1 : 0;
    if (run > best.length) best = { at: x - run / 2, length: run };
  }
  return best;
}

/**
 * The x in the middle of the page that the fewest segments cross while both sides hold prose; undefined when
 * there is none.
 */
function gutterOf(segments: readonly Segment[]): number | undefined {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const segment of segments) {
    left = Math.min(left, segment.x0);
    right = Math.max(right, segment.x1);
  }
  const width = right - left;
  if (segments.length < 10 || width < 150) return undefined;
  const start = Math.floor(left + width * 0.25);
  const crossings = countCrossings(segments, start, width * 0.5);
  const least = Math.min(...crossings);
  if (least > segments.length * 0.4) return undefined;
  // The widest run of least-crossed places is the gutter.
  const run = longestRun(crossings, least);
  if (run.length < 6) return undefined;
  const gutter = start + run.at;
  const onLeft = segments.filter((segment) => segment.x1 <= gutter);
  const onRight = segments.filter((segment) => segment.x0 >= gutter);
  return isProse(onLeft) && isProse(onRight) ? gutter : undefined;
}

/**
 * Reading order by columns:
 * 1. find a gutter that few segments cross and that has prose on both sides;
 * 2. the segments that cross it divide the page into bands;
 * 3. a band with prose on both sides is read left column first, any other row by row; columns are divided
 *   again.
 */
function regionsOf(segments: readonly Segment[], depth: number): Segment[][] {
  const gutter = depth < 3 ? gutterOf(segments) : undefined;
  if (gutter === undefined) return segments.length === 0 ? [] : [[...segments]];
  const regions: Segment[][] = [];
  let spanning: Segment[] = [];
  let left: Segment[] = [];
  let right: Segment[] = [];
  const endBand = () => {
    if (left.length >= 2 && right.length >= 2) {
      if (spanning.length > 0) regions.push(spanning);
      regions.push(...regionsOf(left, depth + 1), ...regionsOf(right, depth + 1));
      spanning = [];
    } else spanning.push(...[...left, ...right].sort((one, two) => one.y - two.y || one.x0 - two.x0));
    left = [];
    right = [];
  };
  for (const segment of segments) {
    if (segment.x1 <= gutter + 1) left.push(segment);
    else if (segment.x0 >= gutter - 1) right.push(segment);
    else {
      endBand();
      spanning.push(segment);
    }
  }
  endBand();
  if (spanning.length > 0) regions.push(spanning);
  return regions;
}

function lineOf(cells: Segment[]): Line {
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

function linesOf(region: Segment[]): Line[] {
  const lines: Line[] = [];
  let cells: Segment[] = [];
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

function segmentOf({ table, x0, y0, x1, y1, size }: PlacedTable): Segment {
  return { text: "", x0, x1, y: y0, size, font: "", mono: false, rtl: false, role: "", table, bottom: y1 };
}

/**
 * Groups a page's pieces into regions in reading order, each a list of lines and of tables found by their
 * lines, from top to bottom.
 */
export function readLines(pieces: readonly Piece[], drawn: Drawn = { rules: [], fills: [] }): Region[] {
  const across = strokesOf(drawn.rules, false);
  const grids = readGrids(pieces, drawn, across);
  const bands = readBands(grids.rest, across);
  const tables = [...grids.tables, ...bands.tables].map(segmentOf);
  const segments = [...rowsOf([...bands.rest]), ...tables].sort((one, two) => one.y - two.y);
  return regionsOf(segments, 0).map((region) => linesOf(region));
}
