import type { Span, Table } from "../../../../core/documents/document.ts";
import type { PageFacts } from "../drawing.ts";
import type { Rectangle } from "../geometry.ts";
import type { Piece } from "../pieces.ts";
import {
  cellText,
  countHeaders,
  expandMergedCells,
  hasUnsplitColumns,
  type PlacedTable,
  textRows,
  trimTable,
} from "./cells.ts";

/** A straight line: `at` across its direction, from `from` to `to` along it. Points. */
export interface Stroke {
  at: number;
  from: number;
  to: number;
}

/** The parts of a page's drawing that reveal tables. */
export type Drawn = Pick<PageFacts, "rules" | "fills">;

const near = 2.5;

/** Lines of one direction, pieces of the same line joined. */
export function mergeStrokes(rules: readonly Rectangle[], upright: boolean): Stroke[] {
  const strokes = rules
    .filter(({ x0, y0, x1, y1 }) =>
      upright ? y1 - y0 > x1 - x0 && y1 - y0 > 4 : x1 - x0 > y1 - y0 && x1 - x0 > 4,
    )
    .map(({ x0, y0, x1, y1 }) =>
      upright ? { at: (x0 + x1) / 2, from: y0, to: y1 } : { at: (y0 + y1) / 2, from: x0, to: x1 },
    )
    .sort((one, two) => one.at - two.at || one.from - two.from);
  const groups: Stroke[][] = [];
  for (const stroke of strokes) {
    const group = groups.at(-1);
    if (group !== undefined && stroke.at - (group[0]?.at ?? 0) < near) group.push(stroke);
    else groups.push([stroke]);
  }
  return groups.flatMap((group) => {
    const at = group[0]?.at ?? 0;
    const joined: Stroke[] = [];
    for (const stroke of group.sort((one, two) => one.from - two.from)) {
      const last = joined.at(-1);
      if (last !== undefined && stroke.from <= last.to + 4) last.to = Math.max(last.to, stroke.to);
      else joined.push({ ...stroke, at });
    }
    return joined;
  });
}

/** Sets of lines that touch each other. */
function components(
  across: readonly Stroke[],
  upright: readonly Stroke[],
): { across: Stroke[]; upright: Stroke[] }[] {
  const parent = Array.from({ length: across.length + upright.length }, (_, index) => index);
  const root = (index: number): number => {
    let at = index;
    while (parent[at] !== at) at = parent[at] = parent[parent[at] ?? at] ?? at;
    return at;
  };
  across.forEach((flat, one) => {
    upright.forEach((tall, two) => {
      const meets =
        flat.at >= tall.from - near &&
        flat.at <= tall.to + near &&
        tall.at >= flat.from - near &&
        tall.at <= flat.to + near;
      if (meets) parent[root(one)] = root(across.length + two);
    });
  });
  const sets = new Map<number, { across: Stroke[]; upright: Stroke[] }>();
  const setOf = (index: number) => {
    const set = sets.get(root(index)) ?? { across: [], upright: [] };
    sets.set(root(index), set);
    return set;
  };
  for (const [index, stroke] of across.entries()) setOf(index).across.push(stroke);
  for (const [index, stroke] of upright.entries()) setOf(across.length + index).upright.push(stroke);
  return [...sets.values()];
}

function distinct(values: readonly number[]): number[] {
  const sorted = values.toSorted((one, two) => one - two);
  return sorted.filter((value, index) => index === 0 || value - (sorted[index - 1] ?? 0) >= near);
}

/** Whether a line runs along most of the edge at `at` between `from` and `to`. */
function hasEdge(strokes: readonly Stroke[], at: number, from: number, to: number): boolean {
  return strokes.some(
    (stroke) =>
      Math.abs(stroke.at - at) < near + 0.5 &&
      Math.min(stroke.to, to) - Math.max(stroke.from, from) > 0.6 * (to - from),
  );
}

/**
 * Splits rows drawn without lines between them: where the texts of two columns or more share baselines, each
 * baseline is a row.
 */
function splitRows(ys: readonly number[], xs: readonly number[], pieces: readonly Piece[]): number[] {
  const edges: number[] = [];
  for (let row = 0; row + 1 < ys.length; row++) {
    const [top = 0, bottom = 0] = [ys[row], ys[row + 1]];
    edges.push(top);
    const inside = pieces.filter((piece) => piece.y > top && piece.y <= bottom + 1);
    const lines = textRows(inside);
    if (lines.length < 3) continue;
    const columns = lines.map(
      (line) =>
        new Set(
          line.map((piece) => xs.findIndex((x, at) => piece.x0 >= x - 2 && piece.x0 < (xs[at + 1] ?? x))),
        ).size,
    );
    if (columns.filter((count) => count >= Math.min(3, xs.length - 1)).length < lines.length * 0.75) continue;
    for (const line of lines.slice(1)) edges.push((line[0]?.y ?? 0) - (line[0]?.size ?? 0) * 0.95);
  }
  return [...edges, ys.at(-1) ?? 0];
}

/**
 * Implied lines: where several upright lines end on a shade beyond the last horizontal one, and along the
 * edges of shades there as wide as the table.
 */
function impliedLines(
  set: { across: readonly Stroke[]; upright: readonly Stroke[] },
  fills: readonly Rectangle[],
): Stroke[] {
  const left = Math.min(...set.across.map(({ from }) => from));
  const right = Math.max(...set.across.map(({ to }) => to));
  const first = Math.min(...set.across.map(({ at }) => at));
  const last = Math.max(...set.across.map(({ at }) => at));
  const implied: Stroke[] = [];
  const end = (at: number, others: readonly number[]) => {
    if (others.filter((other) => Math.abs(other - at) < near).length >= 2)
      implied.push({ at, from: left, to: right });
  };
  const tops = set.upright.map(({ from }) => from);
  const bottoms = set.upright.map(({ to }) => to);
  const top = Math.min(...tops);
  const bottom = Math.max(...bottoms);
  const inside = fills.filter(
    ({ x0, x1, y0, y1 }) =>
      x0 > left - 4 &&
      x1 < right + 4 &&
      y0 > Math.min(top, first) - 4 &&
      y1 < Math.max(bottom, last) + 4 &&
      y1 - y0 > 6,
  );
  if (inside.length === 0 || inside.length > 400) return implied;
  if (top < first - 6 && inside.some(({ y0 }) => y0 < first - 6)) end(top, tops);
  if (bottom > last + 6 && inside.some(({ y1 }) => y1 > last + 6)) end(bottom, bottoms);
  for (const at of distinct(inside.flatMap(({ y0, y1 }) => [y0, y1]))) {
    // Among drawn lines an area shades what it likes; beyond them its edges are all there is.
    if (at > first - near && at < last + near) continue;
    const along = inside.filter(({ y0, y1 }) => Math.abs(y0 - at) < near || Math.abs(y1 - at) < near);
    const spans = mergeStrokes(
      along.map(({ x0, x1 }) => ({ x0, x1, y0: at, y1: at })),
      false,
    );
    if (spans.reduce((sum, { from, to }) => sum + to - from, 0) > 0.6 * (right - left))
      implied.push(...spans.map((span) => ({ ...span, at })));
  }
  return implied;
}

/** The horizontal and vertical lines of a grid. */
interface Strokes {
  readonly across: readonly Stroke[];
  readonly upright: readonly Stroke[];
}

/** Positions of a grid's lines: xs [columns + 1] and ys [rows + 1], in order. */
interface GridLines {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** The ys that are drawn; the others divide rows by their text. */
  readonly drawn: ReadonlySet<number>;
}

/** Edges of columns: the upright lines and the ends of the horizontal ones. */
function columnEdges({ across, upright }: Strokes): number[] {
  const ends = across.flatMap(({ from, to }) => [from, to]);
  const edges = distinct([...upright.map(({ at }) => at), Math.min(...ends), Math.max(...ends)]);
  return edges.filter((x, index) => index === 0 || x - (edges[index - 1] ?? 0) > 5);
}

/**
 * The cell [row · columns + column] that each place of a grid belongs to: cells without a line between them
 * are one.
 */
function mergeCells({ across, upright }: Strokes, { xs, ys, drawn }: GridLines) {
  const high = ys.length - 1;
  const wide = xs.length - 1;
  const owner = Array.from({ length: high * wide }, (_, index) => index);
  const spans: Span[] = [];
  const isFree = (row: number, column: number) => owner[row * wide + column] === row * wide + column;
  const opensRight = (row: number, column: number) =>
    column + 1 < wide &&
    !hasEdge(upright, xs[column + 1] ?? 0, ys[row] ?? 0, ys[row + 1] ?? 0) &&
    isFree(row, column + 1);
  const opensBelow = (row: number, column: number) =>
    row + 1 < high &&
    drawn.has(ys[row + 1] ?? 0) &&
    !hasEdge(across, ys[row + 1] ?? 0, xs[column] ?? 0, xs[column + 1] ?? 0);
  const merge = (row: number, column: number) => {
    let columns = 1;
    let rows = 1;
    while (opensRight(row, column + columns - 1)) columns++;
    const inside = Array.from({ length: columns }, (_, index) => column + index);
    while (inside.every((at) => opensBelow(row + rows - 1, at))) rows++;
    for (let below = row; below < row + rows; below++)
      owner.fill(row * wide + column, below * wide + column, below * wide + column + columns);
    if (columns * rows > 1) spans.push({ row, column, rows, columns });
  };
  for (let row = 0; row < high; row++)
    for (let column = 0; column < wide; column++) if (isFree(row, column)) merge(row, column);
  return { owner, spans };
}

/** The pieces of each cell, by the cell's number in `owner`. */
function piecesByCell(pieces: readonly Piece[], owner: readonly number[], { xs, ys }: GridLines) {
  const high = ys.length - 1;
  const wide = xs.length - 1;
  const cells = new Map<number, Piece[]>();
  for (const piece of pieces) {
    const { x, y } = piece.sideways ?? {
      x: (piece.x0 + Math.min(piece.x1, piece.x0 + piece.size * 3)) / 2,
      y: piece.y - piece.size * 0.3,
    };
    const column = xs.findLastIndex((edge, index) => index < wide && x >= edge);
    const row = ys.findLastIndex((edge, index) => index < high && y >= edge);
    const cell = owner[Math.max(0, row) * wide + Math.max(0, column)] ?? 0;
    const inside = cells.get(cell);
    if (inside === undefined) cells.set(cell, [piece]);
    else inside.push(piece);
  }
  return cells;
}

/** The pieces inside a grid. */
function piecesInside(pieces: readonly Piece[], xs: readonly number[], lines: readonly number[]): Piece[] {
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), lines[0], lines.at(-1)];
  return pieces.filter(({ x0, x1, y, size, sideways }) => {
    const middle = sideways ?? { x: (x0 + x1) / 2, y: y - size * 0.3 };
    return middle.x > left - 1 && middle.x < right + 1 && middle.y > top && middle.y < bottom;
  });
}

/** The grid's texts as a table; undefined for frames of pages, grids of charts and boxes of drawings. */
function tableOfCells(
  cells: ReadonlyMap<number, readonly Piece[]>,
  owner: readonly number[],
  spans: readonly Span[],
  wide: number,
): Table | undefined {
  const high = owner.length / wide;
  const rows = Array.from({ length: high }, () => new Array<string>(wide).fill(""));
  const leastCells = Math.max(4, new Set(owner).size * 0.25);
  let longest = 0;
  const single: string[] = [""];
  for (const [cell, inside] of cells) {
    const text = cellText(inside);
    longest = Math.max(longest, text.length);
    if (textRows(inside).length === 1) single.push(text);
    const row = rows[Math.floor(cell / wide)];
    if (row !== undefined) row[cell % wide] = text;
  }
  // Frames of pages and grids of charts hold hardly any cells with text; frames of columns hold whole pages
  // in one.
  if (cells.size < leastCells || (longest > 1500 && cells.size < 12)) return undefined;
  const trimmed = trimTable(rows, spans);
  // Lines that miss most columns, or boxes of a drawing with labels in a few of them.
  const columns = trimmed.rows[0]?.length ?? 0;
  const places = trimmed.rows.length * columns;
  if (hasUnsplitColumns([single]) || (trimmed.spans.length > 3 && cells.size < places * 0.2))
    return undefined;
  if (trimmed.rows.length < 2 || columns < 2) return undefined;
  const filled = trimmed.rows.map((row) => [...row]);
  const merged = expandMergedCells(filled, trimmed.spans);
  return {
    rows: filled,
    headerRows: countHeaders(filled),
    ...(merged.length === 0 ? {} : { spans: merged }),
  };
}

/**
 * The table that a set of crossing lines draws:
 * 1. its columns and rows, including rows that only their text divides;
 * 2. cells without a line between them become one;
 * 3. every piece goes to the cell that contains it.
 */
function readComponent(
  set: { across: Stroke[]; upright: Stroke[] },
  pieces: readonly Piece[],
  fills: readonly Rectangle[],
): { table: PlacedTable; used: Piece[] } | undefined {
  if (set.across.length < 2 || set.upright.length < 1) return undefined;
  set.across.push(...impliedLines(set, fills));
  const lines = distinct(set.across.map(({ at }) => at));
  const xs = columnEdges(set);
  const used = piecesInside(pieces, xs, lines);
  const grid: GridLines = { xs, ys: splitRows(lines, xs, used), drawn: new Set(lines) };
  const high = grid.ys.length - 1;
  const wide = xs.length - 1;
  if (high < 2 || wide < 2 || high * wide > 20_000) return undefined;
  const { owner, spans } = mergeCells(set, grid);
  const table = tableOfCells(piecesByCell(used, owner, grid), owner, spans, wide);
  if (table === undefined) return undefined;
  const size = used.reduce((sum, piece) => sum + piece.size, 0) / used.length;
  const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = [xs[0], xs.at(-1), lines[0], lines.at(-1)];
  return { table: { table, x0, y0, x1, y1, size }, used };
}

/** Tables drawn with lines between their rows and columns, and the pieces outside all of them. */
export function readGrids(
  pieces: readonly Piece[],
  { rules, fills }: Drawn,
  across: readonly Stroke[],
): { tables: PlacedTable[]; rest: readonly Piece[] } {
  const upright = mergeStrokes(rules, true);
  // More lines than any table has: a map or a drawing.
  if (upright.length === 0 || across.length < 2 || upright.length * across.length > 250_000)
    return { tables: [], rest: pieces };
  const tables: PlacedTable[] = [];
  let rest = pieces;
  for (const set of components(across, upright)) {
    const match = readComponent(set, rest, fills);
    if (match === undefined) continue;
    tables.push(match.table);
    const taken = new Set(match.used);
    rest = rest.filter((piece) => !taken.has(piece));
  }
  return { tables, rest };
}
