import type { Chunk, SheetPart } from "../../core/documents/chunk.ts";
import { sectionsOf } from "../../core/documents/sections.ts";
import { alternatives } from "../../language/languages.ts";
import { withoutNoteMarks } from "../../language/quantities.ts";
import { tableLines } from "../../language/records.ts";
import { isYear } from "../../language/terms.ts";
import { amountOf, amountsIn, isNote, numberOf } from "./amounts.ts";
import { headsYears, isPeriodText, namesYear, type PeriodColumn, periodColumns } from "./periods.ts";

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
export interface Table {
  /** What heads each column, line by line, the first of them the labels; empty where a line above says it. */
  readonly heads: readonly (readonly string[])[];
  /** The columns that are of years, of parts of them, or of days. */
  readonly periods: readonly PeriodColumn[];
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
const longestHeader = 10;
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
const isAmount = (cell: string): boolean =>
  amountOf(cell) !== undefined && !isYear(cell.replace(/\s?\([^()]*\)$/, ""));
const hasAmount = (cells: readonly string[]): boolean => cells.slice(1).some(isAmount);
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
  /** Whether a row of it has amounts. */
  hasBody: boolean;
}

/** The cells that have words, each once. */
const wordsIn = (cells: readonly string[]): ReadonlySet<string> =>
  new Set(cells.filter((cell) => /\p{L}{3}/u.test(cell)));

/** Whether a line below rows heads other columns: with a year each, or with years or words and no label. */
function headsColumns({ cells }: Line): boolean {
  if (headsYears(cells)) return true;
  return cells[0] === "" && !hasAmount(cells) && (wordsIn(cells).size > 1 || cells.some(namesYear));
}

function runsOf(lines: readonly Line[]): readonly RowRun[] {
  const runs: RowRun[] = [];
  for (const [at, line] of lines.entries()) {
    if (!isRow(line)) continue;
    const last = runs.at(-1);
    const isOn = last?.to === at && !line.isFirst && !(last.hasBody && headsColumns(line));
    if (!isOn) runs.push({ from: at, to: at + 1, hasBody: hasAmount(line.cells) });
    else {
      last.to = at + 1;
      last.hasBody ||= hasAmount(line.cells);
    }
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
  const isTold = full >= 0 && full < body;
  let end = isTold ? full + 1 : body;
  // A header may go on below: nothing stands there for a label, or it names years.
  while (end < body && (lines[end]?.cells[0] === "" || headsYears(lines[end]?.cells ?? []))) end += 1;
  // What groups the rows to come is no header.
  while (
    end > 1 &&
    !isTold &&
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

/** The columns that rows are brought in line with. */
interface Frame {
  readonly width: number;
  readonly periods: readonly PeriodColumn[];
  /** Whether nothing but periods heads its columns. */
  readonly isPlain: boolean;
}

/**
 * The cells of a row by the columns of its table: as they stand, or in order where currencies and blanks have cells of
 * their own, or several amounts one; null where they are out of line.
 */
function inLine(cells: readonly string[], { width, periods, isPlain }: Frame): readonly string[] | null {
  const isPlaced = cells.length <= width;
  if (periods.length === 0 || (isPlaced && periods.every(({ at }) => numberOf(cells[at] ?? ""))))
    return isPlaced ? cells : null;
  const [, ...own] = filled(cells);
  const all = amountsIn(cells.slice(1).join(" "));
  const hasNote = all.length === periods.length + 1 && own[0] === all[0] && isNote(all[0] ?? "");
  const amounts = hasNote ? all.slice(1) : all;
  if (!isPlain || amounts.length !== periods.length) return isPlaced ? cells : null;
  const places = new Map(periods.map(({ at }, index) => [at, amounts[index] ?? ""]));
  return Array.from({ length: width }, (_, at) => (at === 0 ? (cells[0] ?? "") : (places.get(at) ?? "")));
}

/** Whether words in several columns of periods head other columns. */
const headsOthers = ({ cells }: Line, { periods }: Frame): boolean =>
  periods.length > 0 && !hasAmount(cells) && wordsIn(cells.slice(1)).size > 1;

/** The rows below a header, lines that repeat it left out, and whether each is in line with it. */
function rowsBelow(lines: readonly Line[], header: readonly string[], frame: Frame, above = "") {
  const rows: TableRow[] = [];
  let group = above;
  let isRegular = true;
  const own = lines.filter(({ cells, text }) => !header.includes(text) && filled(cells).length > 0);
  const end = own.findIndex((line) => headsOthers(line, frame));
  for (const { cells: written, text, chunk, place } of end < 0 ? own : own.slice(0, end)) {
    const [label = ""] = written;
    const [first = "", ...others] = filled(written);
    const cells = inLine(written, frame);
    if (isBanner(written) || (others.length === 0 && !isAmount(first))) group = first;
    else if (cells === null || label === "") isRegular = false;
    else rows.push({ label, group, cells, text, chunk, place });
  }
  return { rows, isRegular: isRegular && end < 0 };
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

/** The lines of periods directly above a table, with blanks and brackets between them. */
function periodsAbove(lines: readonly Line[], from: number): readonly Line[] {
  const isBetween = (line: Line): boolean =>
    !isRow(line) && (/^\s*(?:$|\()|^unaudited/i.test(line.text) || isPeriodText(line.text));
  const start = lines.slice(0, from).findLastIndex((line) => !isBetween(line));
  return lines
    .slice(Math.max(start + 1, from - longestHeader), from)
    .filter(({ text }) => isPeriodText(text));
}

/** A run of rows as it is read: its titles, its header and its rows. */
interface Read {
  readonly titles: readonly string[];
  readonly header: readonly Line[];
  readonly body: readonly Line[];
  /** Lines of periods above it. */
  readonly above: readonly Line[];
  readonly around: readonly string[];
}

function readRun(lines: readonly Line[], { from, to }: RowRun): Read {
  const all = lines.slice(from, to);
  const start = all.findIndex(({ cells, text }) => !isBanner(cells) && !isCaption(text));
  const own = all.slice(Math.max(0, start));
  const titles = all.slice(0, Math.max(0, start)).map(({ cells }) => [...new Set(filled(cells))].join(" "));
  const count = headerLines(own);
  const around = [...titles, ...beside(lines, from, to)];
  return {
    titles,
    header: own.slice(0, count),
    body: own.slice(count),
    above: periodsAbove(lines, from),
    around,
  };
}

/** Whether a run goes on with the rows of the table before it, under the same header again or under none. */
function goesOn({ header, body, above }: Read, last: Table, isNear: boolean, isNext: boolean): boolean {
  const isAgain =
    isNear && header.length > 0 && header.map(({ text }) => text).join("\n") === last.header.join("\n");
  const width = (header[0] ?? body[0])?.cells.length;
  const isPlain = (row: TableRow): boolean => !hasAmount(row.cells);
  // Of a table of words every row may look like a header.
  const isHeadless =
    (header.length === 0 && above.length === 0) || (header.length === 1 && last.rows.every(isPlain));
  return isAgain || (isNext && isHeadless && width === last.heads.length);
}

const frameOf = ({ heads, periods }: Table): Frame => ({
  width: heads.length,
  periods,
  isPlain: heads.every(
    (lines, at) => at === 0 || lines.every(isPeriodText) || periods.some((one) => one.at === at),
  ),
});

/** A table with the rows that it goes on with in another chunk, or below a line between them. */
function joined(last: Table, { header, body, around }: Read, group: string): Table {
  const isAgain = header.length > 1 || last.header[0] === header[0]?.text;
  const lines = isAgain ? body : [...header, ...body];
  const { rows, isRegular } = rowsBelow(lines, last.header, frameOf(last), group);
  return {
    ...last,
    rows: [...last.rows, ...rows],
    around: [last.around, ...around].join("\n"),
    isWhole: last.isWhole && isRegular && group === "",
  };
}

/** The cells of a header, which may lack the one above the labels. */
function squared(header: readonly Line[], body: readonly Line[]): readonly Line[] {
  const width = Math.max(0, ...header.map(({ cells }) => cells.length));
  const isShifted =
    body.some(({ cells }) => cells.length === width + 1) &&
    header.some(({ cells }) => cells.length > 1 && headsYears(["", ...cells]));
  return isShifted ? header.map((line) => ({ ...line, cells: ["", ...line.cells] })) : header;
}

function begun({ header: written, body, above, around }: Read): Table | undefined {
  const header = squared(written, body);
  const width = Math.max(0, ...header.map(({ cells }) => cells.length));
  const cells = header.map((line) => line.cells);
  const before = above.map(({ text }) => [text]);
  const own = periodColumns(cells, width, around);
  const isDated = own.some(({ end }) => end !== undefined);
  const more = isDated || before.length === 0 ? [] : periodColumns([...before, ...cells], width, around);
  const periods = more.length > 0 ? more : own;
  if (header.length === 0 && periods.length === 0) return undefined;
  const count = Math.max(width, ...periods.map(({ at }) => at + 1));
  const heads = headsOf(header, count);
  const lines = header.map(({ text }) => text);
  const frame = frameOf({ heads, periods } as Table);
  const { rows, isRegular } = rowsBelow(body, lines, frame);
  const headings = (header[0] ?? body[0])?.chunk.headings.join("\n") ?? "";
  return {
    heads,
    periods,
    rows,
    header: lines,
    around: around.join("\n"),
    headings,
    isWhole: isRegular,
  };
}

/** Where a run stands behind the table before it. */
interface Behind {
  /** Whether nothing but blanks, or between pages short lines, part the two. */
  readonly isNear: boolean;
  /** Whether all that parts them on one page is short; the last line of that. */
  readonly isOpen: boolean;
  readonly group: string;
}

function behind(lines: readonly Line[], end: number, { from }: RowRun): Behind {
  const between = end < 0 ? [] : lines.slice(end, from).filter(({ text }) => text !== "");
  const [before, after] = [lines[end - 1]?.chunk, lines[from]?.chunk];
  const isOnPage = before?.id === after?.id || before?.pages[0] === after?.pages[0];
  const areShort = end >= 0 && between.every(({ text }) => isShort(text));
  return {
    isNear: areShort && (between.length === 0 || !isOnPage),
    isOpen: areShort && isOnPage,
    group: between.at(-1)?.text ?? "",
  };
}

/** The tables so far, with where the last one ends: -1 where it is not known to go on. */
interface Found {
  readonly tables: readonly Table[];
  readonly end: number;
}

function withRun({ tables, end }: Found, run: RowRun, lines: readonly Line[]): Found {
  const read = readRun(lines, run);
  const last = tables.at(-1);
  const { isNear, isOpen, group } = behind(lines, end, run);
  const isBare = read.header.length === 0 && read.above.length === 0;
  const isBelow = isBare && isOpen && (last?.periods.length ?? 0) > 0;
  if (last !== undefined && (isBelow || goesOn(read, last, isNear, end === run.from)))
    return { tables: [...tables.slice(0, -1), joined(last, read, isBelow ? group : "")], end: run.to };
  const next = begun(read);
  if (next !== undefined) return { tables: [...tables, next], end: run.to };
  // Rows without a header may be more of that table, behind the end of its page.
  const isMore = last !== undefined && last.heads.length === read.body[0]?.cells.length;
  return { tables: isMore ? [...tables.slice(0, -1), { ...last, isWhole: false }] : tables, end: -1 };
}

/** The headed tables of a document, in its order; a table that goes on in another chunk is one. */
export function readTables(chunks: readonly Chunk[]): readonly Table[] {
  const lines = linesOf(chunks.toSorted((left, right) => left.ordinal - right.ordinal));
  return runsOf(lines).reduce((found: Found, run) => withRun(found, run, lines), { tables: [], end: -1 })
    .tables;
}
