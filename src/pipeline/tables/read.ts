import type { Chunk, SheetPart } from "../../core/documents/chunk.ts";
import { sectionsOf } from "../../core/documents/sections.ts";
import { cellsOfRow, hasRow } from "../../core/documents/table-text.ts";
import { alternatives } from "../../language/languages.ts";
import { stripNoteMarkers } from "../../language/quantities.ts";
import { tableLines } from "../../language/records.ts";
import { isYear } from "../../language/terms.ts";
import { amountOf, amountsIn, isNoteNumber, numberOf } from "./amounts.ts";
import { containsYear, isPeriodText, isYearHeader, type PeriodColumn, periodColumns } from "./periods.ts";

/** A data row of a table. */
export interface TableRow {
  readonly label: string;
  /** Heading of its group of rows; "" for none. */
  readonly group: string;
  /** By column of the header; the first is the label. */
  readonly cells: readonly string[];
  /** Verbatim. */
  readonly text: string;
  readonly chunk: Chunk;
  /** Its location in a spreadsheet; undefined for other tables. */
  readonly place: SheetPart | undefined;
}

/** A table, parsed once for every look-up. */
export interface TextTable {
  /**
   * Header of each column, line by line; the first column has the labels. Empty for a table without a header.
   */
  readonly heads: readonly (readonly string[])[];
  /** Columns that cover years, parts of years or days. */
  readonly periods: readonly PeriodColumn[];
  readonly rows: readonly TableRow[];
  /** Header lines, verbatim. */
  readonly header: readonly string[];
  /** Headings, captions and short lines next to it. */
  readonly around: string;
  /** Headings above it. */
  readonly headings: string;
  /** False if a row is known to be missing or misaligned. */
  readonly isWhole: boolean;
}

interface Line {
  readonly text: string;
  readonly cells: readonly string[];
  readonly chunk: Chunk;
  readonly place: SheetPart | undefined;
  /** Whether it is the first of its chunk. */
  readonly isFirst: boolean;
}

/** Longest header, in lines; a longer one is not accepted. */
const longestHeader = 10;
/** Lines next to a table that may describe it. */
const linesBeside = 3;

const isRow = ({ cells }: Line): boolean => cells.length > 1;
const filled = (cells: readonly string[]): readonly string[] => cells.filter((cell) => cell !== "");
const caption = new RegExp(
  `^(?:${alternatives(({ shown }) => shown?.tables)})\\s(?:\\p{N}[\\p{N}.]{0,5}|\\p{L}|[IVXivx]{1,5})(?![\\p{L}\\p{N}])`,
  "iu",
);
/** Whether a line is a table caption: `Table 2: …`. */
const isCaption = (text: string): boolean => caption.test(text);
/** A single cell, or one repeated over all columns. */
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
        cells: hasRow(line) ? cellsOfRow(stripNoteMarkers(line)) : [line],
        chunk: { ...chunk, headings },
        place: places.get(start),
        isFirst: at === 0,
      }));
    }),
  );
}

/** Maps the offset where each spreadsheet row begins in a text to that row. */
const placesOf = (parts: readonly SheetPart[]): ReadonlyMap<number, SheetPart> =>
  new Map(
    parts
      .filter(({ of }) => of === undefined)
      .flatMap((part) => part.rows.map(([start, row]) => [start, { ...part, rows: [[0, row]] }] as const)),
  );

/** Consecutive table lines within a chunk. */
interface RowRun {
  readonly from: number;
  to: number;
  /** Whether any of its rows has amounts. */
  hasBody: boolean;
}

/** The distinct cells that have words. */
const wordsIn = (cells: readonly string[]): ReadonlySet<string> =>
  new Set(cells.filter((cell) => /\p{L}{3}/u.test(cell)));

/**
 * Whether a line below rows is the header of other columns: it has a year in each, or no label but years or
 * words.
 */
function headsColumns({ cells }: Line): boolean {
  if (isYearHeader(cells)) return true;
  return cells[0] === "" && !hasAmount(cells) && (wordsIn(cells).size > 1 || cells.some(containsYear));
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

/** Number of header lines of a table; 0 if unclear. */
function headerLines(lines: readonly Line[]): number {
  const [first] = lines;
  if (first === undefined || hasAmount(first.cells)) return 0;
  const body = lines.findIndex(({ cells }) => hasAmount(cells));
  const full = lines.findIndex(({ cells }) => isFull(cells));
  if (body < 0) return full === 0 ? 1 : 0;
  const hasFullHeader = full >= 0 && full < body;
  let end = hasFullHeader ? full + 1 : body;
  // A header continues as long as the label cell is empty or the line names years.
  while (end < body && (lines[end]?.cells[0] === "" || isYearHeader(lines[end]?.cells ?? []))) end += 1;
  // A row-group heading is not part of the header.
  while (
    end > 1 &&
    !hasFullHeader &&
    filled(lines[end - 1]?.cells ?? []).length < 2 &&
    lines[end - 1]?.cells[0] !== ""
  )
    end -= 1;
  return end <= longestHeader ? end : 0;
}

/** Distinct header cells of each column. */
const headsOf = (header: readonly Line[], width: number): readonly (readonly string[])[] =>
  Array.from({ length: width }, (_, at) => [
    ...new Set(header.map(({ cells }) => cells[at] ?? "").filter((cell) => cell !== "")),
  ]);

/**
 * Aligns the cells of a row with the columns of its table: by position, or by order if currencies and blanks
 * have cells of their own or a cell has several amounts; null if they do not fit.
 */
function inLine(cells: readonly string[], { heads, periods, isPlain }: Draft): readonly string[] | null {
  const isPlaced = cells.length <= heads.length;
  if (periods.length === 0 || (isPlaced && periods.every(({ at }) => numberOf(cells[at] ?? ""))))
    return isPlaced ? cells : null;
  const [, ...own] = filled(cells);
  const all = amountsIn(cells.slice(1).join(" "));
  const hasNote = all.length === periods.length + 1 && own[0] === all[0] && isNoteNumber(all[0] ?? "");
  const amounts = hasNote ? all.slice(1) : all;
  if (!isPlain || amounts.length !== periods.length) return isPlaced ? cells : null;
  const places = new Map(periods.map(({ at }, index) => [at, amounts[index] ?? ""]));
  return heads.map((_, at) => (at === 0 ? (cells[0] ?? "") : (places.get(at) ?? "")));
}

/** Whether words in several period columns make this line a header of other columns. */
const headsOthers = ({ cells }: Line, { periods }: Draft): boolean =>
  periods.length > 0 && !hasAmount(cells) && wordsIn(cells.slice(1)).size > 1;

/** The rows below a header, without repetitions of it, and whether each is aligned with it. */
function rowsBelow({ lines, group: above }: Draft["bodies"][number], draft: Draft) {
  const rows: TableRow[] = [];
  let group = above;
  let isRegular = true;
  const own = lines.filter(({ cells, text }) => !draft.header.includes(text) && filled(cells).length > 0);
  const end = own.findIndex((line) => headsOthers(line, draft));
  for (const { cells: written, text, chunk, place } of end < 0 ? own : own.slice(0, end)) {
    const [label = ""] = written;
    const [first = "", ...others] = filled(written);
    const cells = inLine(written, draft);
    if (isBanner(written) || (others.length === 0 && !isAmount(first))) group = first;
    else {
      isRegular &&= cells !== null && label !== "";
      rows.push({ label, group, cells: cells ?? written, text, chunk, place });
    }
  }
  return { rows, isRegular: isRegular && end < 0 };
}

const isShort = (text: string): boolean => text.length <= 120 && !/[.;]\s*$/.test(text);

/** The lines that describe a table: short ones above it, and captions above and below. */
function beside(lines: readonly Line[], from: number, to: number): readonly string[] {
  const above = lines.slice(Math.max(0, from - linesBeside), from).filter((line) => !isRow(line));
  const below = lines.slice(to, to + linesBeside).filter((line) => !isRow(line));
  return [
    ...above.filter(({ text }) => isShort(text) || isCaption(text)),
    ...below.filter(({ text }) => isCaption(text)),
  ].map(({ text }) => text);
}

/** Period lines directly above a table, possibly with blank or bracketed lines between them. */
function periodsAbove(lines: readonly Line[], from: number): readonly Line[] {
  const isBetween = (line: Line): boolean =>
    !isRow(line) && (/^\s*(?:$|\()|^unaudited/i.test(line.text) || isPeriodText(line.text));
  const near = lines.slice(Math.max(0, from - longestHeader), from);
  const start = near.findLastIndex((line) => !isBetween(line)) + 1;
  return near.slice(start).filter(({ text }) => isPeriodText(text));
}

/** A parsed run: its header, its rows, and the lines that describe it. */
interface Read {
  readonly header: readonly Line[];
  readonly body: readonly Line[];
  /** Period lines above it. */
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
  return { header: own.slice(0, count), body: own.slice(count), above: periodsAbove(lines, from), around };
}

/** A table under construction. */
interface Draft extends Omit<TextTable, "rows" | "around" | "isWhole"> {
  /** Whether all its columns are periods. */
  readonly isPlain: boolean;
  /** Row lines, with the group heading above them. */
  readonly bodies: { readonly lines: readonly Line[]; readonly group: string }[];
  readonly around: string[];
  isWhole: boolean;
  hasAmounts: boolean;
}

/** Whether the meaning of a table's columns is known. */
const isHeaded = ({ heads, periods }: Pick<TextTable, "heads" | "periods">): boolean =>
  heads.length > 0 || periods.length > 0;

/** Whether a run continues the previous table, with its header repeated or omitted. */
function goesOn({ header, body, above }: Read, last: Draft, { isNear, isNext }: Behind): boolean {
  const isAgain =
    isNear &&
    header.length === last.header.length &&
    header.length > 0 &&
    header.every(({ text }, at) => text === last.header[at]);
  const width = (header[0] ?? body[0])?.cells.length;
  // In a table of words every row may look like a header.
  const isHeadless = header.length === 0 ? above.length === 0 : header.length === 1 && !last.hasAmounts;
  return isAgain || (isNext && isHeadless && width === last.heads.length);
}

/** Adds the rows of a run to a table that it continues, in another chunk or below an intervening line. */
function join(last: Draft, { header, body, around }: Read, group: string): void {
  const isAgain = header.length > 1 || last.header[0] === header[0]?.text;
  last.bodies.push({ lines: isAgain ? body : [...header, ...body], group });
  last.around.push(...around);
  last.isWhole &&= group === "";
  last.hasAmounts ||= body.some(({ cells }) => hasAmount(cells));
}

/** Header cells, with an empty one inserted if the cell above the labels is missing. */
function squared(header: readonly Line[], body: readonly Line[]): readonly Line[] {
  const width = header.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const isShifted =
    body.some(({ cells }) => cells.length === width + 1) &&
    header.some(({ cells }) => cells.length > 1 && isYearHeader(["", ...cells]));
  return isShifted ? header.map((line) => ({ ...line, cells: ["", ...line.cells] })) : header;
}

function begun({ header: written, body, above, around }: Read): Draft {
  const header = squared(written, body);
  const cells = header.map((line) => line.cells);
  const width = cells.reduce((most, { length }) => Math.max(most, length), 0);
  const own = periodColumns(cells, width, around);
  const isDated = above.length === 0 || own.some(({ end }) => end !== undefined);
  const more = isDated ? [] : periodColumns([...above.map(({ text }) => [text]), ...cells], width, around);
  const periods = more.length > 0 ? more : own;
  const heads = headsOf(header, Math.max(width, (periods.at(-1)?.at ?? -1) + 1));
  const ofPeriods = new Set(periods.map(({ at }) => at));
  const isPlain = heads.every((lines, at) => at === 0 || ofPeriods.has(at) || lines.every(isPeriodText));
  return {
    heads,
    periods,
    header: header.map(({ text }) => text),
    headings: (header[0] ?? body[0])?.chunk.headings.join("\n") ?? "",
    isPlain,
    bodies: [{ lines: body, group: "" }],
    around: [...around],
    isWhole: true,
    hasAmounts: body.some((line) => hasAmount(line.cells)),
  };
}

/** Position of a run relative to the previous table. */
interface Behind {
  /** Nothing separates the two. */
  readonly isNext: boolean;
  /** Only blank lines, or short lines across a page break, separate the two. */
  readonly isNear: boolean;
  /** Only short lines on the same page separate the two; `group` is the last one. */
  readonly isOpen: boolean;
  readonly group: string;
}

function behind(lines: readonly Line[], end: number, { from }: RowRun): Behind {
  const between = end < 0 ? [] : lines.slice(end, from).filter(({ text }) => text !== "");
  const [before, after] = [lines[end - 1]?.chunk, lines[from]?.chunk];
  const isOnPage = before?.id === after?.id || before?.pages[0] === after?.pages[0];
  const areShort = end >= 0 && between.every(({ text }) => isShort(text));
  return {
    isNext: end === from,
    isNear: areShort && (between.length === 0 || !isOnPage),
    isOpen: areShort && isOnPage,
    group: between.at(-1)?.text ?? "",
  };
}

/** Joins a run to the table that it continues; false if it continues none. */
function isJoined(read: Read, last: Draft | undefined, place: Behind): boolean {
  if (last === undefined) return false;
  const isBelow = read.header.length + read.above.length === 0 && place.isOpen && last.periods.length > 0;
  if (!isBelow && !goesOn(read, last, place)) return false;
  join(last, read, isBelow ? place.group : "");
  return true;
}

/** Assembles the runs of a document into tables. */
function draftsOf(lines: readonly Line[]): readonly Draft[] {
  const drafts: Draft[] = [];
  let last: Draft | undefined;
  // End of the last table; -1 if it cannot continue.
  let end = -1;
  for (const run of runsOf(lines)) {
    const read = readRun(lines, run);
    const place = behind(lines, end, run);
    end = run.to;
    if (isJoined(read, last, place)) continue;
    const next = begun(read);
    drafts.push(next);
    if (isHeaded(next)) last = next;
    else {
      end = -1;
      // Rows without a header may continue a table from the previous page, which is then incomplete.
      if (last?.heads.length === read.body[0]?.cells.length && last) last.isWhole = false;
    }
  }
  return drafts;
}

/** The tables of a document, in order; a table that continues in another chunk is merged. */
export function readTables(chunks: readonly Chunk[]): readonly TextTable[] {
  const lines = linesOf(chunks.toSorted((left, right) => left.ordinal - right.ordinal));
  return draftsOf(lines).map((draft) => {
    const { heads, periods, header, headings, bodies, around, isWhole } = draft;
    const read = bodies.map((body) => rowsBelow(body, draft));
    return {
      ...{ heads, periods, header, headings },
      rows: read.flatMap(({ rows }) => rows),
      around: around.join("\n"),
      isWhole: isWhole && read.every(({ isRegular }) => isRegular),
    };
  });
}
