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

/** A table as it is read once, for whoever looks something up in it. */
export interface Table {
  /** What heads each column, line by line, the first of them the labels; empty for a table without a header. */
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
  new Map(
    parts
      .filter(({ of }) => of === undefined)
      .flatMap((part) => part.rows.map(([start, row]) => [start, { part, row }] as const)),
  );

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
    else {
      isRegular &&= cells !== null && label !== "";
      rows.push({ label, group, cells: cells ?? written, text, chunk, place });
    }
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
  const near = lines.slice(Math.max(0, from - longestHeader), from);
  const start = near.findLastIndex((line) => !isBetween(line)) + 1;
  return near.slice(start).filter(({ text }) => isPeriodText(text));
}

/** A run of rows as it is read: its header, its rows, and what says what it is of. */
interface Read {
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
  return { header: own.slice(0, count), body: own.slice(count), above: periodsAbove(lines, from), around };
}

/** A table whose rows are being gathered. */
interface Draft extends Omit<Table, "rows" | "around" | "isWhole"> {
  readonly frame: Frame;
  /** Lines of rows, with what stands alone above them. */
  readonly bodies: { readonly lines: readonly Line[]; readonly group: string }[];
  readonly around: string[];
  isWhole: boolean;
  hasAmounts: boolean;
}

/** Whether it is told what the columns of a table are. */
const isHeaded = ({ heads, periods }: Pick<Table, "heads" | "periods">): boolean =>
  heads.length > 0 || periods.length > 0;

/** Whether a run goes on with the rows of the table before it, under the same header again or under none. */
function goesOn({ header, body, above }: Read, last: Draft, { isNear, isNext }: Behind): boolean {
  const isAgain =
    isNear &&
    header.length === last.header.length &&
    header.length > 0 &&
    header.every(({ text }, at) => text === last.header[at]);
  const width = (header[0] ?? body[0])?.cells.length;
  // Of a table of words every row may look like a header.
  const isHeadless = header.length === 0 ? above.length === 0 : header.length === 1 && !last.hasAmounts;
  return isAgain || (isNext && isHeadless && width === last.heads.length);
}

/** Adds the rows of a run to a table that it goes on with in another chunk, or below a line between them. */
function join(last: Draft, { header, body, around }: Read, group: string): void {
  const isAgain = header.length > 1 || last.header[0] === header[0]?.text;
  last.bodies.push({ lines: isAgain ? body : [...header, ...body], group });
  last.around.push(...around);
  last.isWhole &&= group === "";
  last.hasAmounts ||= body.some(({ cells }) => hasAmount(cells));
}

/** The cells of a header, which may lack the one above the labels. */
function squared(header: readonly Line[], body: readonly Line[]): readonly Line[] {
  const width = header.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const isShifted =
    body.some(({ cells }) => cells.length === width + 1) &&
    header.some(({ cells }) => cells.length > 1 && headsYears(["", ...cells]));
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
    frame: { width: heads.length, periods, isPlain },
    bodies: [{ lines: body, group: "" }],
    around: [...around],
    isWhole: true,
    hasAmounts: body.some((line) => hasAmount(line.cells)),
  };
}

/** Where a run stands behind the table before it. */
interface Behind {
  /** Whether nothing parts the two. */
  readonly isNext: boolean;
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
    isNext: end === from,
    isNear: areShort && (between.length === 0 || !isOnPage),
    isOpen: areShort && isOnPage,
    group: between.at(-1)?.text ?? "",
  };
}

/** Joins a run to the table that it goes on with; false where it is none of that. */
function isJoined(read: Read, last: Draft | undefined, place: Behind): boolean {
  if (last === undefined) return false;
  const isBelow = read.header.length + read.above.length === 0 && place.isOpen && last.periods.length > 0;
  if (!isBelow && !goesOn(read, last, place)) return false;
  join(last, read, isBelow ? place.group : "");
  return true;
}

/** The runs of a document as tables. */
function draftsOf(lines: readonly Line[]): readonly Draft[] {
  const drafts: Draft[] = [];
  let last: Draft | undefined;
  // Where the last one ends; -1 where it is not known to go on.
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
      // Rows without a header may be more of the table before them, behind the end of its page.
      if (last?.heads.length === read.body[0]?.cells.length && last) last.isWhole = false;
    }
  }
  return drafts;
}

/** The tables of a document, in its order; a table that goes on in another chunk is one. */
export function readTables(chunks: readonly Chunk[]): readonly Table[] {
  const lines = linesOf(chunks.toSorted((left, right) => left.ordinal - right.ordinal));
  return draftsOf(lines).map(({ heads, periods, header, headings, frame, bodies, around, isWhole }) => {
    const read = bodies.map((body) => rowsBelow(body.lines, header, frame, body.group));
    return {
      ...{ heads, periods, header, headings },
      rows: read.flatMap(({ rows }) => rows),
      around: around.join("\n"),
      isWhole: isWhole && read.every(({ isRegular }) => isRegular),
    };
  });
}
