import type { Piece } from "./pieces.ts";

/** Fewest numbers that make a column of them. */
const leastNumbers = 5;
/** How far the edges of the numbers may differ, points. */
const aligned = 2.5;
/** Shares of the numbers that follow each other at one step, and of the lines between that have one. */
const [steady, covered] = [0.8, 0.6];
/** Share of the numbered lines that begin inside a sentence: rows of a list or a table do not. */
const runningOn = 0.12;

/** A line of a page from left to right. */
type Row = readonly Piece[];

/** A number in a margin, with the text that is left of its piece. */
interface Numbered {
  readonly row: Row;
  readonly piece: Piece;
  readonly value: number;
  /** The text behind the number; "" where it is a piece of its own. */
  readonly rest: string;
  /** Where the number ends, or its text begins, points. */
  readonly edge: number;
}

function rowsOf(pieces: readonly Piece[]): readonly Row[] {
  const rows: Piece[][] = [];
  for (const piece of pieces.toSorted((one, two) => one.y - two.y)) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && piece.y - row[0].y < 0.4 * piece.size) row.push(piece);
    else rows.push([piece]);
  }
  return rows.map((row) => row.toSorted((one, two) => one.x0 - two.x0));
}

/** The number that a line begins with, apart from its text. */
function numberOf(row: Row): Numbered | undefined {
  const [piece, next] = row;
  if (piece === undefined || piece.sideways !== undefined) return undefined;
  const { text, x0, x1, size } = piece;
  const [, digits = "", rest = ""] = /^\s*(\d{1,4})(?:\s*$|\s{2,}(?=\S)(.*)$)/s.exec(text) ?? [];
  if (digits === "") return undefined;
  const number = { row, piece, value: Number(digits), rest };
  if (rest !== "") return { ...number, edge: x1 - ((x1 - x0) / text.length) * rest.length };
  // A number that a sentence begins with has the space of a word behind it.
  return next !== undefined && next.x0 - x1 < 0.5 * size ? undefined : { ...number, edge: x1 };
}

/** The numbers at the edge that most of them share. */
function column(numbers: readonly Numbered[]): readonly Numbered[] {
  const sets = numbers.map(({ edge }) => numbers.filter((other) => Math.abs(other.edge - edge) < aligned));
  return sets.reduce((most, set) => (set.length > most.length ? set : most), []);
}

/** Whether numbers count the lines of running text, from the first to the last of them. */
function countsLines(numbers: readonly Numbered[], rows: readonly Row[]): boolean {
  const steps = numbers.slice(1).map(({ value }, at) => value - (numbers[at]?.value ?? 0));
  const [step = 0] = steps.toSorted((one, two) => one - two).slice(steps.length >> 1);
  if (step < 1 || steps.filter((each) => each === step).length < steady * steps.length) return false;
  const [first, last] = [numbers[0]?.piece.y ?? 0, numbers.at(-1)?.piece.y ?? 0];
  const between = rows.filter((row) => (row[0]?.y ?? 0) >= first - 1 && (row[0]?.y ?? 0) <= last + 1);
  if (numbers.length * step < covered * between.length) return false;
  const texts = between.map((row) => {
    const own = numbers.find((number) => number.row === row);
    return row
      .map((piece) => (piece === own?.piece ? own.rest : piece.text))
      .join(" ")
      .trim();
  });
  return texts.filter((text) => /^\p{Ll}/u.test(text)).length >= Math.max(2, runningOn * between.length);
}

/** The pieces of a page without the numbers of its lines in the left margin. */
export function withoutLineNumbers(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.filter(({ text }) => /^\s*\d{1,4}(?:\s|$)/.test(text)).length < leastNumbers) return pieces;
  const rows = rowsOf(pieces);
  const numbers = column(rows.flatMap((row) => numberOf(row) ?? []));
  if (numbers.length < leastNumbers || !countsLines(numbers, rows)) return pieces;
  const byPiece = new Map(numbers.map((number) => [number.piece, number]));
  return pieces.flatMap((piece): readonly Piece[] => {
    const number = byPiece.get(piece);
    if (number === undefined) return [piece];
    return number.rest === "" ? [] : [{ ...piece, text: number.rest, x0: number.edge }];
  });
}
