import type { Chunk, SheetPart } from "../../core/documents/chunk.ts";
import { sectionsOf } from "../../core/documents/sections.ts";
import { alternatives } from "../../language/languages.ts";
import { withoutNoteMarks } from "../../language/quantities.ts";
import { tableLines } from "../../language/records.ts";
import { isYear } from "../../language/terms.ts";
import { amountOf } from "./amounts.ts";

/** A row of a table under its header. */
export interface TableRow {
  readonly label: string;
  /** What it is grouped under; "" for nothing. */
  readonly group: string;
  /** By column of the header, the first for the label. */
  readonly cells: readonly string[];
  /** As it stands in the document. */
  readonly text: string;
  readonly chunk: Chunk;
  /** Where it stands in a spreadsheet; undefined for other tables. */
  readonly place: SheetRow | undefined;
}

/** A row of a spreadsheet, with the table that it is of. */
export interface SheetRow {
  readonly part: SheetPart;
  readonly row: number;
}

/** A table whose columns are headed. */
export interface PageTable {
  /** What heads each column, line by line, the first of them the labels. */
  readonly heads: readonly (readonly string[])[];
  readonly rows: readonly TableRow[];
  /** The lines of its header, as they stand. */
  readonly header: readonly string[];
  /** Headings, captions and short lines beside it. */
  readonly around: string;
  /** Headings that it stands under. */
  readonly headings: string;
  /** Whether no row is known to be missing or to be out of line. */
  readonly isWhole: boolean;
}

/** A line of a page. */
interface Line {
  readonly text: string;
  readonly cells: readonly string[];
  readonly chunk: Chunk;
  readonly place: SheetRow | undefined;
  /** Whether its chunk begins with it. */
  readonly isFirst: boolean;
}

/** Lines of a header at most; a longer one is none. */
const longestHeader = 6;
/** Lines beside a table that say what it is of. */
const linesBeside = 3;

const isRow = ({ cells }: Line): boolean => cells.length > 1;
const filled = (cells: readonly string[]): readonly string[] => cells.filter((cell) => cell !== "");
const caption = new RegExp(
  `^(?:${alternatives(({ shown }) => shown?.tables)})\\s(?:\\p{N}[\\p{N}.]{0,5}|\\p{L}|[IVXivx]{1,5})(?![\\p{L}\\p{N}])`,
  "iu",
);
/** Whether a line names a table: `Table 2: …`. */
const isCaption = (text: string): boolean => caption.test(text);
/** One cell, alone or repeated over all columns. */
const isBanner = (cells: readonly string[]): boolean =>
  cells.length > 2 && new Set(filled(cells)).size === 1 && filled(cells).length === cells.length;
const hasAmount = (cells: readonly string[]): boolean =>
  cells.slice(1).some((cell) => amountOf(cell) !== undefined && !isYear(cell));
const isFull = (cells: readonly string[]): boolean => {
  const own = cells.slice(1);
  return own.every((cell) => cell !== "") && new Set(own).size === own.length;
};

function linesOf(chunks: readonly Chunk[]): readonly Line[] {
  return chunks.flatMap((chunk) =>
    sectionsOf(chunk).flatMap(({ text, headings, sheetParts = [] }) => {
      const places = placesOf(sheetParts);
      return tableLines(text).map(({ text: line, start }, at) => ({
        text: line.trim(),
        cells: line.includes(" | ")
          ? withoutNoteMarks(line)
              .split("|")
              .map((cell) => cell.trim())
          : [line],
        chunk: { ...chunk, headings },
        place: places.get(start),
        isFirst: at === 0,
      }));
    }),
  );
}

/** Where a text begins with rows of spreadsheets → these. */
const placesOf = (parts: readonly SheetPart[]): ReadonlyMap<number, SheetRow> =>
  new Map(parts.flatMap((part) => part.rows.map(([start, row]) => [start, { part, row }] as const)));

/** A run of table lines within a chunk. */
interface RowRun {
  readonly from: number;
  to: number;
}

function runsOf(lines: readonly Line[]): readonly RowRun[] {
  const runs: RowRun[] = [];
  for (const [at, line] of lines.entries()) {
    if (!isRow(line)) continue;
    const last = runs.at(-1);
    if (last?.to === at && !line.isFirst) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs;
}

/** How many lines of a table head it; 0 where that cannot be told. */
function headerLines(lines: readonly Line[]): number {
  const [first] = lines;
  if (first === undefined || hasAmount(first.cells)) return 0;
  const body = lines.findIndex(({ cells }) => hasAmount(cells));
  const full = lines.findIndex(({ cells }) => isFull(cells));
  if (body < 0) return full === 0 ? 1 : 0;
  let end = full >= 0 && full < body ? full + 1 : body;
  // A header may go on below: nothing stands there for a label.
  while (end < body && lines[end]?.cells[0] === "") end += 1;
  // What groups the rows to come is no header.
  while (
    end > 1 &&
    full < 0 &&
    filled(lines[end - 1]?.cells ?? []).length < 2 &&
    lines[end - 1]?.cells[0] !== ""
  )
    end -= 1;
  return end <= longestHeader ? end : 0;
}

/** What stands above the column of a cell, each once. */
const headsOf = (header: readonly Line[], width: number): readonly (readonly string[])[] =>
  Array.from({ length: width }, (_, at) => [
    ...new Set(header.map(({ cells }) => cells[at] ?? "").filter((cell) => cell !== "")),
  ]);

/** The rows below a header, lines that repeat it left out, and whether each is in line with it. */
function rowsBelow(lines: readonly Line[], header: readonly string[], width: number) {
  const heads = new Set(header);
  const rows: TableRow[] = [];
  let group = "";
  let isRegular = true;
  for (const { cells, text, chunk, place } of lines) {
    const own = filled(cells);
    if (heads.has(text) || own.length === 0) continue;
    const [label = ""] = cells;
    if (cells.length > width) isRegular = false;
    else if (isBanner(cells) || (own.length === 1 && amountOf(own[0] ?? "") === undefined))
      group = own[0] ?? "";
    else if (label === "") isRegular = false;
    else rows.push({ label, group, cells, text, chunk, place });
  }
  return { rows, isRegular };
}

const isShort = (text: string): boolean => text.length <= 120 && !/[.;]\s*$/.test(text);

/** The lines beside a table that say what it is of: short ones above it, and captions on both sides. */
function beside(lines: readonly Line[], from: number, to: number): readonly string[] {
  const above = lines.slice(Math.max(0, from - linesBeside), from).filter((line) => !isRow(line));
  const below = lines.slice(to, to + linesBeside).filter((line) => !isRow(line));
  return [
    ...above.filter(({ text }) => isShort(text) || isCaption(text)),
    ...below.filter(({ text }) => isCaption(text)),
  ].map(({ text }) => text);
}

/** A run of rows as it is read: its titles, its header and its rows. */
interface Read {
  readonly titles: readonly string[];
  readonly header: readonly Line[];
  readonly body: readonly Line[];
}

function readRun(lines: readonly Line[]): Read {
  const start = lines.findIndex(({ cells, text }) => !isBanner(cells) && !isCaption(text));
  const own = lines.slice(Math.max(0, start));
  const titles = lines.slice(0, Math.max(0, start)).map(({ cells }) => [...new Set(filled(cells))].join(" "));
  const count = headerLines(own);
  return { titles, header: own.slice(0, count), body: own.slice(count) };
}

/** Whether a run goes on with the rows of the table before it, under the same header again or under none. */
function goesOn({ header, body }: Read, last: PageTable, isNext: boolean): boolean {
  const isAgain = header.map(({ text }) => text).join("\n") === last.header.join("\n");
  const width = (header[0] ?? body[0])?.cells.length;
  const isPlain = (row: TableRow): boolean => !hasAmount(row.cells);
  // Of a table of words every row may look like a header.
  const isHeadless = header.length === 0 || (header.length === 1 && last.rows.every(isPlain));
  return isAgain || (isNext && isHeadless && width === last.heads.length);
}

/** A table with the rows that it goes on with in another chunk. */
function joined(last: PageTable, { header, body }: Read, around: string): PageTable {
  const isAgain = header.length > 1 || last.header[0] === header[0]?.text;
  const lines = isAgain ? body : [...header, ...body];
  const { rows, isRegular } = rowsBelow(lines, last.header, last.heads.length);
  return {
    ...last,
    rows: [...last.rows, ...rows],
    around: `${last.around}\n${around}`,
    isWhole: last.isWhole && isRegular,
  };
}

function begun({ header, body }: Read, around: string): PageTable {
  const width = Math.max(0, ...header.map(({ cells }) => cells.length));
  const heads = header.map(({ text }) => text);
  const { rows, isRegular } = rowsBelow(body, heads, width);
  const headings = header[0]?.chunk.headings.join("\n") ?? "";
  return { heads: headsOf(header, width), rows, header: heads, around, headings, isWhole: isRegular };
}

/** The headed tables of a document, in its order; a table that goes on in another chunk is one. */
export function pageTables(chunks: readonly Chunk[]): readonly PageTable[] {
  const lines = linesOf(chunks.toSorted((left, right) => left.ordinal - right.ordinal));
  const tables: PageTable[] = [];
  let end = -1;
  for (const { from, to } of runsOf(lines)) {
    const read = readRun(lines.slice(from, to));
    const last = tables.at(-1);
    const around = [...read.titles, ...beside(lines, from, to)].join("\n");
    const isOn = last !== undefined && goesOn(read, last, end === from);
    if (isOn) tables.splice(-1, 1, joined(last, read, around));
    else if (read.header.length > 0) tables.push(begun(read, around));
    // Rows without a header may be more of that table, behind the end of its page.
    else if (last !== undefined && last.heads.length === read.body[0]?.cells.length)
      tables.splice(-1, 1, { ...last, isWhole: false });
    end = isOn || read.header.length > 0 ? to : -1;
  }
  return tables;
}
