import { squeeze } from "../../blocks.ts";
import { isFigure } from "../../grid.ts";

/** Rows of delimited text. */
export interface DelimitedRows {
  /** Rows that are not empty. */
  readonly rows: readonly (readonly string[])[];
  /** The place of each among all rows, 0-based. */
  readonly numbers: readonly number[];
  /** The line in which each begins, 1-based. */
  readonly lines: readonly number[];
  /** Characters of the text that the rows came from. */
  readonly end: number;
  /** Lines, 1-based, where a quote begins that no other closes. */
  readonly unclosed: readonly number[];
}

/** A quoted field, and the place after its closing quote. */
interface Quoted {
  readonly field: string;
  readonly end: number;
}

const notQuoted = (start: number): Quoted => ({ field: "", end: start });

/** A quoted field that begins at `start`; undefined where its quote is not closed. */
function readQuoted(text: string, start: number, delimiter: string): Quoted | undefined {
  let field = "";
  for (let place = start + 1; ; ) {
    const quote = text.indexOf('"', place);
    if (quote < 0) return undefined;
    field += text.slice(place, quote);
    place = quote + 1;
    if (text[place] !== '"') {
      // A closing quote is followed by the end of its field. A quote that comes first on a later line opens
      // another field.
      const isEnd = place >= text.length || /[\s,;|]/.test(text.charAt(place)) || text[place] === delimiter;
      return isEnd || !field.includes("\n") ? { field, end: place } : undefined;
    }
    field += '"';
    place++;
  }
}

/**
 * Rows of delimited text (RFC 4180: quoted fields may hold delimiters, line breaks and doubled quotes), as
 * far as the limits go.
 */
export function readRows(text: string, delimiter: string, maxRows: number): DelimitedRows {
  const rows: string[][] = [];
  const numbers: number[] = [];
  const starts: number[] = [];
  const unclosed: number[] = [];
  let end = 0;
  const keep = (row: string[], number: number): void => {
    if (row.every((cell) => cell === "")) return;
    rows.push(row);
    numbers.push(number);
    starts.push(end);
  };
  const quotedAt = (start: number): Quoted => {
    const quoted = readQuoted(text, start, delimiter);
    if (quoted === undefined) unclosed.push(start);
    return quoted ?? notQuoted(start);
  };
  let row: string[] = [];
  let count = 0;
  let place = 0;
  // Searched again only after it was passed: without a further one the text would be searched to its end for
  // every row.
  let mark = text.indexOf(delimiter);
  while (place < text.length && rows.length < maxRows) {
    const quoted = text[place] === '"' ? quotedAt(place) : notQuoted(place);
    const line = text.indexOf("\n", quoted.end);
    if (mark >= 0 && mark < quoted.end) mark = text.indexOf(delimiter, quoted.end);
    const lineEnd = line < 0 ? text.length : line;
    const isLast = mark < 0 || mark > lineEnd;
    const fieldEnd = isLast ? lineEnd : mark;
    row.push(squeeze(quoted.field + text.slice(quoted.end, fieldEnd)));
    place = fieldEnd + 1;
    if (!isLast) continue;
    keep(row, count++);
    row = [];
    end = place;
  }
  if (rows.length < maxRows) keep(row, count);
  const lines = linesOf(text, starts);
  return { rows, numbers, lines, end: Math.min(end, text.length), unclosed: linesOf(text, unclosed) };
}

/** The 1-based line numbers of ascending offsets in a text. */
function linesOf(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf("\n", from); at >= 0 && at < place; at = text.indexOf("\n", from)) {
      line++;
      from = at + 1;
    }
    return line;
  });
}

const marks = [",", ";", "\t", "|"];

/** Characters and rows that the mark is found in. */
const sample = { characters: 65_536, rows: 200 } as const;

/**
 * Whether a cell is one value, not several that another mark divides: figures and sentences may hold commas.
 */
const isOneValue = (cell: string): boolean => isFigure(cell) || !/[;\t|]|,(?! )/.test(cell);

/**
 * How well rows that a mark makes agree: for each width its rows, the more the wider, over the number of
 * widths, and the share of cells that are one value. Source: van den Burg, Nazábal and Sutton, "Wrangling
 * messy CSV files by detecting row and type patterns", 2019, whose measure this is.
 */
function agreement(rows: readonly (readonly string[])[]): number {
  const widths = [...Map.groupBy(rows, ({ length }) => length)];
  const pattern = widths.reduce((sum, [width, { length }]) => sum + (length * (width - 1)) / width, 0);
  const cells = rows.flat().filter((cell) => cell !== "");
  return ((pattern / widths.length) * cells.filter(isOneValue).length) / Math.max(1, cells.length);
}

/** The mark that divides a text into rows that agree best; a comma where none does. */
export function delimiterOf(text: string): string {
  const head = text.slice(0, sample.characters);
  const scores = marks.map((mark) => {
    const { rows } = readRows(head, mark, sample.rows);
    // The last row was cut with the text.
    return {
      mark,
      score: agreement(head.length < text.length && rows.length > 1 ? rows.slice(0, -1) : rows),
    };
  });
  return scores.reduce((top, each) => (each.score > top.score ? each : top)).mark;
}
