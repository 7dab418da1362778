import { isNumeric, isYear } from "../line-text.ts";
import type { Piece } from "../pieces.ts";
import { type Extent, joinPieces, textRows } from "./cells.ts";

/** Names of columns above the rule that a table begins with. */
export interface Heads {
  /** Headings over several columns first, each in all of them; then the names of the columns. */
  readonly rows: readonly string[][];
  readonly used: readonly Piece[];
  readonly top: number;
}

/** Lines above a table that are looked at, at most. */
const mostLines = 6;
/** Longest name of a column, or heading over some, in characters. */
const longestName = 60;
/** Lines of headings over several columns, at most. */
const mostSpanning = 2;

/** A name on one line, and the columns that it spans. */
interface Name extends Extent {
  readonly text: string;
  readonly over: readonly number[];
}

/** Distance between two stretches; 0 or less where they overlap. */
const gapBetween = (one: Extent, two: Extent): number => Math.max(one.x0 - two.x1, two.x0 - one.x1);

/** The columns of figures under a stretch, or the column that is nearest to it. */
function columnsUnder(extent: Extent, columns: readonly Extent[]): readonly number[] {
  const gaps = columns.map((column) => gapBetween(extent, column));
  const under = gaps.flatMap((gap, at) => (at > 0 && gap < 0 ? [at] : []));
  return under.length > 0 ? under : [gaps.indexOf(Math.min(...gaps))];
}

/** The pieces of a line as names, divided by gaps as wide as a letter. */
function namesIn(line: readonly Piece[], columns: readonly Extent[]): Name[] {
  const groups: Piece[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const piece of line) {
    if (piece.x0 - end > 0.8 * piece.size) groups.push([]);
    groups.at(-1)?.push(piece);
    end = piece.x1;
  }
  return groups.map((group) => {
    const extent = { x0: group[0]?.x0 ?? 0, x1: Math.max(...group.map(({ x1 }) => x1)) };
    return { ...extent, text: joinPieces(group), over: columnsUnder(extent, columns) };
  });
}

/** Whether a line names columns: words and years over figures, and at most a short label next to them. */
function areNames(names: readonly Name[], [, figures, next]: readonly Extent[]): boolean {
  if (figures === undefined) return false;
  // A heading reaches further left than figures set flush right, a title over the labels too.
  const left = figures.x0 - Math.max(24, ((next ?? figures).x0 - figures.x0) / 2);
  const over = names.filter((name) => !name.over.includes(0));
  const beside = names.filter((name) => name.over.includes(0));
  return (
    over.length > 0 &&
    beside.length <= 1 &&
    over.every(({ x0 }) => x0 > left) &&
    names.every(({ text }) => text.length <= longestName && (!isNumeric(text) || isYear(text)))
  );
}

/** Names in the lines close above a rule, the lowest line last. */
function linesAbove(rule: number, pieces: readonly Piece[], size: number): readonly Piece[][] {
  const above = textRows(pieces.filter(({ y }) => y < rule && y > rule - mostLines * 2 * size));
  const lines: Piece[][] = [];
  let below = rule;
  for (const line of above.toReversed()) {
    const y = Math.max(...line.map((piece) => piece.y));
    const isLarger = line.some((piece) => piece.size > 1.15 * size);
    if (below - y > 2 * size || isLarger || lines.length === mostLines) break;
    lines.unshift(line);
    below = y;
  }
  return lines;
}

/** The texts of a line in the columns that they span. */
function place(names: readonly Name[], width: number): string[] {
  const row = new Array<string>(width).fill("");
  for (const { text, over } of names) for (const at of over) row[at] = `${row[at]} ${text}`.trim();
  return row;
}

/**
 * The names of the columns of a table of figures whose rules begin below them, as statements are often set;
 * undefined where fewer than two columns are named. `columns`: those of its rows, labels first.
 */
export function headerAboveRules(
  rule: number,
  pieces: readonly Piece[],
  columns: readonly Extent[],
  size: number,
): Heads | undefined {
  const lines = linesAbove(rule, pieces, size).map((line) => ({ line, names: namesIn(line, columns) }));
  const from = lines.findLastIndex(({ names }) => !areNames(names, columns)) + 1;
  const heads = lines.slice(from);
  const isSpanning = ({ names }: (typeof heads)[number]): boolean =>
    names.some(({ over }) => over.length > 1);
  const spanning = heads.findLastIndex(isSpanning) + 1;
  const own = heads.slice(spanning).map(({ names }) => place(names, columns.length));
  // The name of a column wraps in it.
  const joined = columns.map((_, at) => own.flatMap((row) => (row[at] === "" ? [] : [row[at]])).join(" "));
  const rows = heads.slice(0, spanning).map(({ names }) => place(names, columns.length));
  if (own.length > 0) rows.push(joined);
  // More are lines of prose in columns, and one name over all columns is a title.
  const lowest = new Set(rows.at(-1)?.slice(1));
  lowest.delete("");
  if (spanning > mostSpanning || lowest.size < Math.min(2, columns.length - 1)) return undefined;
  const used = heads.flatMap(({ line }) => line);
  return { rows, used, top: Math.min(...used.map((piece) => piece.y - piece.size)) };
}
