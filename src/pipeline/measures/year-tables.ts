import type { Chunk } from "../../core/documents/chunk.ts";
import { withoutNoteMarks } from "../../language/quantities.ts";

/** A cell that is one number. */
export interface YearCell {
  readonly value: number;
  /** As it stands there. */
  readonly text: string;
  /** Digits behind the point. */
  readonly digits: number;
  readonly isPercent: boolean;
}

/** A row of a table with a column for each year. */
export interface YearRow {
  readonly label: string;
  /** What it is grouped under, the header of its table, the headings and the short lines above that. */
  readonly around: string;
  /** The row as it stands in the document. */
  readonly text: string;
  /** By year; a cell that is not exactly one number is not there. */
  readonly cells: ReadonlyMap<number, YearCell>;
  /** What amounts are in by the header of the table or a line above it: thousand, million, billion or "". */
  readonly scale: string;
  /** Whether a sentence tells it, whose amounts have a scale of their own. */
  readonly isSaid: boolean;
  readonly chunk: Chunk;
}

/** A whole cell: brackets or a sign for less than nothing, a currency, digits, and what is a share. */
const numberCell =
  /^(\()?\s?([-−])?\s?(?:[A-Z]{0,3}\p{Sc})?\s?([-−])?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,6}))?\s?(\))?\s?(%)?\s?(\))?$/u;
const dash = /^[-–—]$/;

/** The number that a cell is; undefined for any other cell, and where a point may part thousands. */
export function cellOf(cell: string): YearCell | undefined {
  const text = cell.trim();
  if (dash.test(text)) return { value: 0, text, digits: 0, isPercent: false };
  const [, open, sign, signBehind, whole = "", fraction = "", close, percent, closeBehind] =
    numberCell.exec(text) ?? [];
  const isBracketed = open !== undefined;
  if (whole === "" || isBracketed !== (close !== undefined || closeBehind !== undefined)) return undefined;
  if (fraction.length === 3 && !whole.includes(",") && percent === undefined) return undefined;
  const amount = Number(`${whole.replaceAll(",", "")}.${fraction || 0}`);
  const isNegative = isBracketed || sign !== undefined || signBehind !== undefined;
  return {
    value: isNegative ? -amount : amount,
    text,
    digits: fraction.length,
    isPercent: percent !== undefined,
  };
}

const year = /(?<!\d)(?:19|20)\d\d(?!\d)/g;
/** What may stand beside a year at the head of its column. */
const besideYear =
  /^[\s,.'()$£€*]*(?:(?:\d{1,2}|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|years?|fiscal|fy|ended|ending|as|of|the|at|for|in|restated|unaudited|audited|actual)[\s,.'()$£€*]*){0,8}$/i;
/** Spans that a year in a header is not the whole of. */
const partOfYear = /\b(?:months?|quarters?|weeks?|half|interim)\b/i;
const wholeYear = /\b(?:twelve|12) months\b|\b5[23][ -]weeks?\b|\bfifty-(?:two|three) weeks?\b/gi;

/** Most years between two columns beside each other: amounts may look like years. */
const farthestYears = 5;

/** Whether years head columns: each once, and none far from the one before it. */
const areHeads = (years: readonly number[]): boolean =>
  new Set(years).size === years.length &&
  years.every((each, at) => Math.abs(each - (years[at - 1] ?? each)) <= farthestYears);

/**
 * The year of each column that a line heads; null for a line that names a year and is no such header, undefined
 * for one that names none.
 */
function columnsOf(cells: readonly string[]): ReadonlyMap<number, number> | null | undefined {
  const named = cells.map((cell) => cell.match(year) ?? []);
  if (named.every(({ length }) => length === 0)) return undefined;
  const hasNumber = cells.some((cell, at) => named[at]?.length === 0 && cellOf(cell) !== undefined);
  // Beside numbers a date is what a row is called.
  if (hasNumber) return (cells[0] ?? "").trim() === "" ? null : undefined;
  const heads = cells.flatMap((cell, at) => (named[at]?.length === 0 ? [] : [{ cell, at }]));
  const isHead = ({ cell, at }: (typeof heads)[number]): boolean =>
    named[at]?.length === 1 && besideYear.test(cell.replace(year, " "));
  const columns = heads.map(({ at }) => [at, Number(named[at]?.[0])] as const);
  return heads.every(isHead) && areHeads(columns.map(([, of]) => of)) ? new Map(columns) : null;
}

/** A table that is being read. */
interface Table {
  readonly columns: ReadonlyMap<number, number>;
  /** Cells of its header. */
  readonly width: number;
  /** Whether nothing but years heads its columns. */
  readonly isPlain: boolean;
  readonly around: string;
  readonly scale: string;
}

/** A line that is no running text. */
const isShort = (line: string): boolean => line.length <= 120 && !/[.;]\s*$/.test(line);

/** Lines above a table that say what it is of. */
const linesAbove = 3;

/** What a text says that amounts are in: thousand, million, billion or "". */
export const scaleIn = (text: string): string =>
  /(?:\bin |\(|\$ ?|^ ?)(thousand|million|billion)s?\b(?! of)/im.exec(text)?.[1]?.toLowerCase() ?? "";

function tableOf(
  cells: readonly string[],
  columns: ReadonlyMap<number, number>,
  above: readonly string[],
  chunk: Chunk,
): Table | undefined {
  const lines = [...above, cells.join(" ")];
  if (partOfYear.test(lines.filter(isShort).join("\n").replace(wholeYear, " "))) return undefined;
  // A header may lack the cell above the labels.
  const shift = columns.has(0) ? 1 : 0;
  return {
    columns: new Map([...columns].map(([at, of]) => [at + shift, of])),
    width: cells.length + shift,
    isPlain: cells.every((cell, at) => columns.has(at) || cell.trim() === ""),
    around: [...chunk.headings, ...lines.filter(isShort)].join("\n"),
    scale: scaleIn(lines.join("\n")),
  };
}

/** The cells of a row by year: by column, or in order where currencies and blanks have cells of their own. */
function cellsByYear(cells: readonly string[], { columns, width, isPlain }: Table): YearRow["cells"] {
  const isAligned = cells.length <= width;
  const found = [...columns].map(
    ([at, of]) => [of, isAligned ? cellOf(cells[at] ?? "") : undefined] as const,
  );
  const numbers = cells.slice(1).flatMap((cell) => cellOf(cell) ?? []);
  const others = cells.slice(1).filter((cell) => cellOf(cell) === undefined);
  const isSpread =
    isPlain && numbers.length === columns.size && others.every((cell) => /^[\s\p{Sc}]*$/u.test(cell));
  const read = isSpread ? [...columns.values()].map((of, at) => [of, numbers[at]] as const) : found;
  return new Map(read.flatMap(([of, cell]) => (cell === undefined ? [] : [[of, cell] as const])));
}

/** Whether a line is called something and has a number, or is nothing but numbers. */
const isRow = ([label = "", ...cells]: readonly string[]): boolean =>
  label.trim() === ""
    ? cells.some((cell) => cellOf(cell) !== undefined)
    : cells.some((cell) => /\d/.test(cell));

/** Reads lines in order: the header of a table, its rows, what they are grouped under, and what stands above. */
class TableReader {
  readonly rows: YearRow[] = [];
  #table: Table | undefined;
  #group = "";
  #above: readonly string[] = [];

  read(line: string, chunk: Chunk): void {
    const cells = withoutNoteMarks(line).split("|");
    const columns = cells.length > 1 ? columnsOf(cells) : undefined;
    if (columns !== undefined) {
      this.#table = columns === null ? undefined : tableOf(cells, columns, this.#above, chunk);
      this.#group = "";
    } else if (cells.length > 1 && isRow(cells)) this.#readRow(cells, line, chunk);
    else this.#readOther(cells, line);
    this.#above = [...this.#above, line].slice(-linesAbove);
  }

  #readRow(cells: readonly string[], line: string, chunk: Chunk): void {
    const [label = ""] = cells;
    if (this.#table === undefined) return;
    const { around, scale } = this.#table;
    const own = cellsByYear(cells, this.#table);
    const parts = { label: label.trim(), around: `${around}\n${this.#group}`, text: line.trim() };
    if (own.size > 0 && label.trim() !== "")
      this.rows.push({ ...parts, cells: own, scale, isSaid: false, chunk });
  }

  /** A line without numbers groups rows; one that heads other columns, and running text, end a table. */
  #readOther(cells: readonly string[], line: string): void {
    const heads = new Set(
      cells
        .slice(1)
        .map((cell) => cell.trim())
        .filter((cell) => cell !== ""),
    );
    if (heads.size > 1 || (cells.length === 1 && !isShort(line))) this.#table = undefined;
    const scale = scaleIn(line);
    if (this.#table !== undefined && scale !== "") this.#table = { ...this.#table, scale };
    this.#group = isShort(line) && heads.size === 0 ? line : "";
  }
}

/** The rows of a document's tables whose columns are years, in its order. */
export function yearRows(chunks: readonly Chunk[]): readonly YearRow[] {
  const byPage = Map.groupBy(
    chunks.toSorted((left, right) => left.ordinal - right.ordinal),
    ({ pages, id }) => String(pages[0] ?? id),
  );
  return [...byPage.values()].flatMap((page) => {
    const reader = new TableReader();
    for (const chunk of page) for (const line of chunk.text.split("\n")) reader.read(line, chunk);
    return reader.rows;
  });
}
