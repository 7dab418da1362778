import { orderByColumns } from "./columns/columns.ts";
import { type Piece, type Segment, textBehind } from "./pieces.ts";
import { readBands } from "./tables/banded.ts";
import type { PlacedTable } from "./tables/cells.ts";
import { inReadingOrder } from "./tables/right-to-left.ts";
import { type Drawn, readGrids, strokesOf } from "./tables/ruled.ts";

/** One line of a reading region; `cells` has one segment unless wide gaps divide it. */
export interface Line extends Segment {
  readonly cells: readonly Segment[];
}

/** Lines that are read together, e.g. one column between two headings that span it. */
export type Region = readonly Line[];

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

const textOf = (pieces: readonly Piece[]): string =>
  pieces
    .map(({ text }) => text)
    .join("")
    .replace(/\s+/g, "");

/** Layers that a row is divided into at most: text is rarely drawn more than four times. */
const mostLayers = 16;

/** Splits the pieces of a row, from left to right, into layers in which no piece overlaps another. */
function layersOf(row: readonly Piece[]): readonly Piece[][] {
  const layers: Piece[][] = [];
  for (const piece of row) {
    const over = Math.min(0.3 * piece.size, 0.5 * (piece.x1 - piece.x0));
    const free = layers.find((layer) => (layer.at(-1)?.x1 ?? 0) - piece.x0 <= over);
    if (free !== undefined) free.push(piece);
    else if (layers.length < mostLayers) layers.push([piece]);
    else layers.at(-1)?.push(piece);
  }
  return layers;
}

/** Position of a letter, by equal shares of its piece, and how far off that may be. */
interface Place {
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly within: number;
}

function placesOf({ text, x0, x1, y, size }: Piece): Place[] {
  const trimmed = text.trim();
  const share = (x1 - x0) / trimmed.length;
  const within = size * Math.min(2, 0.35 + 0.03 * trimmed.length);
  return [...trimmed.matchAll(/\S/g)].map(({ index }) => {
    const x = x0 + index * share;
    return { x0: x, x1: x + share, y, within };
  });
}

/** The pieces of a layer that repeat the text in the same place of another. */
function repeatsIn(layer: readonly Piece[], shown: readonly Piece[]): Piece[] {
  const text = textOf(shown);
  const places = shown.flatMap(placesOf);
  let from = 0;
  return layer.filter((piece) => {
    const { x0, x1, y, size } = piece;
    const again = textOf([piece]);
    const isHere = (first: Place, last: Place | undefined) =>
      Math.abs(first.y - y) < 0.35 * size &&
      Math.abs(first.x0 - x0) < first.within &&
      Math.abs((last?.x1 ?? x0) - x1) < first.within;
    while ((places[from]?.x0 ?? x0) < x0 - 2 * size) from++;
    for (let at = from; (places[at]?.x0 ?? Number.POSITIVE_INFINITY) < x0 + 2 * size; at++) {
      const first = places[at];
      const last = places[at + again.length - 1];
      if (first !== undefined && isHere(first, last) && text.startsWith(again, at)) return true;
    }
    return false;
  });
}

/**
 * Removes what a row draws a second time over itself with a small offset, to look bold or to cast a shadow.
 * Takes and returns pieces from left to right.
 */
function withoutShadow(row: readonly Piece[]): readonly Piece[] {
  const [shown = [], ...others] = layersOf(row);
  const repeats = new Set(others.flatMap((layer) => repeatsIn(layer, shown)));
  // A separate piece in one layer may be part of a longer run in another.
  for (const layer of others) {
    const rest = layer.filter((piece) => !repeats.has(piece));
    if (rest.length > 0) for (const piece of repeatsIn(shown, rest)) repeats.add(piece);
  }
  return repeats.size === 0 ? row : row.filter((piece) => !repeats.has(piece));
}

/**
 * Pieces of one baseline, joined from left to right and cut where the gap is wider than a letter and a half.
 */
function segmentsOf(pieces: Piece[]): Segment[] {
  pieces.sort((left, right) => left.x0 - right.x0);
  const row = withoutShadow(pieces);
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
    const before = current.text + space;
    const text = textBehind(before, current, piece);
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

function rowsOf(pieces: Piece[]): Segment[] {
  pieces.sort((left, right) => left.y - right.y || left.x0 - right.x0);
  const rows: Segment[][] = [];
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
      rows.push(segmentsOf(row));
      row = [piece];
      anchor = piece;
    }
  }
  rows.push(segmentsOf(row));
  return rows.flat();
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
export function readLines(pieces: readonly Piece[], drawn: Drawn = { rules: [], fills: [] }): Region[] {
  const across = strokesOf(drawn.rules, false);
  const grids = readGrids(pieces, drawn, across);
  const bands = readBands(grids.rest, across);
  const tables = [...grids.tables, ...bands.tables].map(segmentOf);
  const segments = [...rowsOf([...bands.rest]), ...tables].sort((one, two) => one.y - two.y);
  return orderByColumns(segments).map((region) => linesOf(region));
}
