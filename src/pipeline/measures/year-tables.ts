import type { Chunk } from "../../core/documents/chunk.ts";
import { running } from "../retrieve/glossary.ts";
import { plainWords } from "./entries.ts";

/** A line of a statement as it was read for one year. */
export interface Line {
  readonly value: number;
  /** The row as it stands in the document. */
  readonly row: string;
  readonly chunk: Chunk;
  /** What its numbers are in: thousand, million or billion; "" where the page does not say. */
  readonly scale: string;
  readonly currency: string;
}

/** The value of a line for a year; undefined where no statement has it. */
export type ReadLine = (item: string, year: number) => Line | undefined;

/** A row of a table with its values by year. */
export interface YearRow {
  /** As it is compared, in the words of `plainWords`. */
  readonly label: string;
  readonly shown: string;
  /** The header of its table, what stands above that, and the group it is in. */
  readonly around: string;
  readonly text: string;
  readonly values: ReadonlyMap<number, number>;
  /** Digits behind the point of values in percent; null for a row of amounts. */
  readonly percentDigits: number | null;
  readonly chunk: Chunk;
}

const year = /(?<!\d)(?:19|20)\d\d(?!\d)/g;
/** What may stand beside the years of a header: days, months, and words of periods, scales and changes. */
const besideYears =
  /^(?:\d{1,2}|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|years?|fiscal|ended|ending|weeks?|months?|as|of|the|at|for|in|millions|thousands|billions|except|per|common|share|shares|stock|and|par|value|data|amounts?|dollars|usd|us|notes?|percentages?|unaudited|change|%|to)$/;

/** The years that a line of a header names; empty for any other line. */
function yearsOf(line: string): readonly number[] {
  const found = line.match(year) ?? [];
  const rest = found.length === 0 ? [] : plainWords(line.replace(year, " "));
  return rest.every((word) => besideYears.test(word)) ? found.map(Number) : [];
}

/** A number in brackets, a number, or a dash for nothing; what has a `%` behind it is a change, no amount. */
const amount =
  /\(\s?\p{Sc}?\s?(\d[\d,]*(?:\.\d+)?)\s?\)|(\d[\d,]*(?:\.\d+)?)(\s?%)?|(?<![\p{L}\p{N}])[—–](?![\p{L}\p{N}])/gu;

/** The amounts of a row: `(1,234)` is negative and a dash is 0. */
const amountsOf = (cells: string): readonly number[] =>
  [...cells.matchAll(amount)].flatMap(([, negative, positive, percent]) => {
    if (percent !== undefined) return [];
    const value = Number((negative ?? positive ?? "0").replaceAll(",", ""));
    return [negative === undefined ? value : -value];
  });

/** A note's number before the values of a row, as statements under IFRS have it. */
const largestNote = 60;

/** A row of nothing but shares: `4.1% | 3.75 %`. */
const percentCell = /^\s*(-?)(\(?)(\d{1,4}(?:\.\d{1,4})?)\s?\)?\s?%\s?\)?\s*$/;

type Values = Pick<YearRow, "values" | "percentDigits">;

const byYear = (years: readonly number[], values: readonly number[]): YearRow["values"] =>
  new Map(years.map((each, at) => [each, values[at] ?? 0]));

/** The shares of a row where it has one for each year. */
function percentsOf(cells: readonly string[], years: readonly number[]): Values | undefined {
  const found = cells
    .filter((cell) => cell.trim() !== "")
    .flatMap((cell) => {
      const [, minus, bracket, digits] = percentCell.exec(cell) ?? [];
      return digits === undefined ? [] : [{ digits, isNegative: minus !== "" || bracket !== "" }];
    });
  if (found.length !== years.length || found.length !== cells.filter((cell) => /\d/.test(cell)).length)
    return undefined;
  const values = found.map(({ digits, isNegative }) => (isNegative ? -1 : 1) * Number(digits));
  const behind = found.map(({ digits }) => digits.split(".")[1]?.length ?? 0);
  return { values: byYear(years, values), percentDigits: Math.max(...behind) };
}

/** The amounts of a row where it has one for each year. */
function amountsByYear(cells: readonly string[], years: readonly number[]): Values | undefined {
  const all = amountsOf(cells.join(" "));
  const [first = 0] = all;
  const hasNote =
    all.length === years.length + 1 && Number.isInteger(first) && first > 0 && first <= largestNote;
  const values = hasNote ? all.slice(1) : all;
  return values.length !== years.length ? undefined : { values: byYear(years, values), percentDigits: null };
}

/** What a row is called with its values; undefined for a line that has not one for each year. */
function rowOf(
  line: string,
  years: readonly number[],
): Pick<YearRow, "label" | "shown" | "values" | "percentDigits"> | undefined {
  const [shown = "", ...cells] = line.split("|");
  const label = plainWords(shown.replace(/\([^()]*\)/g, " ")).join(" ");
  if (cells.length === 0 || label === "" || years.length === 0 || new Set(years).size !== years.length)
    return undefined;
  const values = percentsOf(cells, years) ?? amountsByYear(cells, years);
  return values && { label, shown: shown.trim(), ...values };
}

/** The years of a header of several lines: those of the next line, or of both where none stands in both. */
const joined = (before: readonly number[], next: readonly number[]): readonly number[] =>
  before.some((each) => next.includes(each)) ? next : [...before, ...next];

/** Lines above a table that say what it is of. */
const linesAbove = 3;

/** Shortest running text between two tables, in characters; what is shorter groups rows. */
const shortestProse = 160;

/** Whether a line stands between two tables, or heads another one, whose columns are no years. */
function endsTable(line: string): boolean {
  const [label = "", ...cells] = line.split("|");
  if (cells.length === 0) return line.length >= shortestProse;
  // One text for all columns is a unit.
  const heads = cells.filter((cell) =>
    plainWords(cell).some((word) => /\p{L}/u.test(word) && !besideYears.test(word)),
  );
  return label.trim() === "" && new Set(heads.map((cell) => cell.trim())).size > 1;
}

/** Reads lines in order: those of a header, rows, what they are grouped under, and what stands above. */
class RowReader {
  readonly rows: YearRow[] = [];
  #years: readonly number[] = [];
  #isHeader = false;
  #above: readonly string[] = [];
  #table = "";
  #group = "";

  read(line: string, chunk: Chunk): void {
    const named = yearsOf(line);
    const row = named.length > 0 ? undefined : rowOf(line, this.#years);
    if (row !== undefined) {
      const around = `${this.#table}\n${this.#group}`;
      this.rows.push({ ...row, text: line.trim(), around, chunk });
      this.#isHeader = false;
      return;
    }
    if (named.length > 0) {
      this.#years = this.#isHeader ? joined(this.#years, named) : named;
      this.#table = [...chunk.headings, ...this.#above, line].join("\n");
      this.#isHeader = true;
    } else {
      if (endsTable(line)) this.#years = [];
      this.#group = line;
    }
    this.#above = [...this.#above, line].slice(-linesAbove);
  }
}

/** Rows of a page's tables under headers that name each year once: quarters beside one another do not. */
function rowsOf(chunks: readonly Chunk[]): readonly YearRow[] {
  const reader = new RowReader();
  for (const chunk of chunks) for (const line of chunk.text.split("\n")) reader.read(line, chunk);
  return reader.rows;
}

/** The rows of a page with what holds for all of them. */
export interface YearPage {
  /** 0 for a chunk without a page. */
  readonly page: number;
  /** Its first lines, as `running` of the glossary gives them. */
  readonly head: string;
  readonly rows: readonly YearRow[];
  readonly scale: string;
  readonly currency: string;
}

/** Lines at the head of a page that say what its numbers are in. */
const headLines = 24;

/** Characters at the head of a page in which a statement has its title. */
const titleCharacters = 240;

function pageOf(chunks: readonly Chunk[]): YearPage {
  const text = chunks.map((chunk) => chunk.text).join("\n");
  const head = text.split("\n").slice(0, headLines).join("\n");
  return {
    page: chunks[0]?.pages[0] ?? 0,
    head: running(text.slice(0, titleCharacters)),
    rows: rowsOf(chunks),
    scale: /(?:\bin |\()(thousand|million|billion)s\b/i.exec(head)?.[1]?.toLowerCase() ?? "",
    currency: /\p{Sc}/u.exec(text)?.[0] ?? "",
  };
}

/** The pages of a document that have rows of years, in its order. */
export function yearPages(chunks: readonly Chunk[]): readonly YearPage[] {
  const byPage = Map.groupBy(
    chunks.toSorted((left, right) => left.ordinal - right.ordinal),
    ({ pages, id }) => String(pages[0] ?? id),
  );
  return [...byPage.values()].map(pageOf).filter(({ rows }) => rows.length > 0);
}
