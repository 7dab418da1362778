import type { Chunk } from "../../core/documents/chunk.ts";
import { declaredScales, withoutNoteMarks } from "../../language/quantities.ts";
import { running } from "../retrieve/glossary.ts";
import { factors, type Item, type MeasureBook, plainWords } from "./entries.ts";

/** A line of a statement as it was read for one year. */
export interface Line {
  readonly value: number;
  /** The row as it stands in the document. */
  readonly row: string;
  readonly chunk: Chunk;
  /** What its numbers are in: thousand, million or billion; "" where the page does not say. */
  readonly scale: string;
  readonly currency: string;
  /** Lines that are added to it, as the short-term debt beside the current portion of a long-term one. */
  readonly beside?: readonly Line[];
}

/** The value of a line for a year; undefined where no statement has it. */
export type ReadLine = (item: string, year: number) => Line | undefined;

/** The value of a line in a column; undefined where no statement has it. */
export type ReadCell<Column> = (item: string, column: Column) => Line | undefined;

/** A row of a table with its values by column, as by year. */
export interface Row<Column> {
  readonly label: string;
  readonly text: string;
  readonly values: ReadonlyMap<Column, number>;
  readonly chunk: Chunk;
}

/** A year in a header. */
export const year = /(?<!\d)(?:19|20)\d\d(?!\d)/g;
/** Currencies that statements name by their code. */
const currencyCode = /\b(?:AUD|CAD|CHF|DKK|EUR|GBP|JPY|NOK|SEK|USD|VND)(?=\b|000)/;
/** What may stand beside the years of a header: days, months, currencies, and words of periods, scales and changes. */
export const besideYears =
  /^(?:\d{1,2}|000s?|[kmt]?(?:aud|cad|chf|dkk|eur|gbp|jpy|nok|sek|usd|vnd)(?:000s?|[km])?|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|years?|fiscal|fy|ended|ending|weeks?|months?|as|of|the|at|for|in|millions?|thousands?|billions?|except|per|common|share|shares|stock|and|par|value|data|amounts?|dollars|euros?|pounds?|us|m|k|notes?|percentages?|unaudited|change|%|to)$/;

/** The years that a line of a header names; empty for any other line. */
function yearsOf(line: string): readonly number[] {
  const plain = withoutNoteMarks(line);
  const found = plain.match(year) ?? [];
  const rest = found.length === 0 ? [] : plainWords(plain.replace(year, " "));
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

/** A row of a table with these columns: `line` as it stands there, `read` what is read of it. */
export function rowOf<Column>(
  { line, read, chunk }: ReadableLine,
  columns: readonly Column[],
): Row<Column> | undefined {
  const [label = "", ...cells] = withoutNoteMarks(read).split("|");
  const all = amountsOf(cells.join(" "));
  const [first = 0] = all;
  const hasNote =
    all.length === columns.length + 1 && Number.isInteger(first) && first > 0 && first <= largestNote;
  const values = hasNote ? all.slice(1) : all;
  const name = plainWords(label.replace(/\([^()]*\)/g, " ")).join(" ");
  if (cells.length === 0 || name === "" || values.length === 0 || values.length !== columns.length)
    return undefined;
  return {
    label: name,
    text: line.trim(),
    chunk,
    values: new Map(columns.map((each, at) => [each, values[at] ?? 0])),
  };
}

/** The years of a header of several lines: those of the next line, or of both where none stands in both. */
const joined = (before: readonly number[], next: readonly number[]): readonly number[] =>
  before.some((each) => next.includes(each)) ? next : [...before, ...next];

/** Columns of less than a year: `13 weeks ended`, `three months ended`. */
const partOfYear =
  /\b(?:\d{1,2}|three|six|nine|thirteen|twenty-six|thirty-nine)[- ](?:weeks?|months?) (?:ended|ending)\b|\bquarters? (?:ended|ending)\b/i;
const wholeYear =
  /\b(?:5[23]|fifty-(?:two|three))[- ]weeks? (?:ended|ending)\b|\b(?:12|twelve)[- ]months? (?:ended|ending)\b|\byears? (?:ended|ending)\b/i;

/** Places of the columns under a heading of whole years, where others stand under one of parts of a year. */
function wholeColumns(cells: readonly string[]): readonly number[] | undefined {
  const whole = cells.flatMap((cell, at) => (wholeYear.test(cell) ? [at] : []));
  const isMixed = cells.some((cell, at) => !whole.includes(at) && partOfYear.test(cell));
  return whole.length > 0 && isMixed ? whole : undefined;
}

/** A line of a page, and what is read of it: of a table its columns of whole years. */
export interface ReadableLine {
  readonly chunk: Chunk;
  readonly line: string;
  readonly read: string;
}

/** A line with its label and the cells at these places; all of it where there are none. */
function cellsAt(line: string, places: readonly number[] | undefined): string {
  const cells = line.split("|");
  return places === undefined ? line : [cells[0] ?? "", ...places.map((at) => cells[at] ?? "")].join("|");
}

/** The lines of a page without the columns of less than a year, whose years would be taken for whole ones. */
function* linesOfYears(chunks: readonly Chunk[]): Generator<ReadableLine> {
  let isPart = false;
  let whole: readonly number[] | undefined;
  let before: Chunk | undefined;
  for (const { chunk, line } of chunks.flatMap((chunk) =>
    chunk.text.split("\n").map((line) => ({ chunk, line })),
  )) {
    const isHead = wholeYear.test(line);
    // A table that goes on in another chunk has its header there too.
    const goesOn = line.includes("|") && !isHead && chunk === before;
    before = chunk;
    isPart = !isHead && (isPart || partOfYear.test(line));
    whole = wholeColumns(line.split("|")) ?? (goesOn ? whole : undefined);
    if (!isPart) yield { chunk, line, read: cellsAt(line, whole) };
  }
}

/** Rows of a page's tables under headers that name each year once: quarters beside one another do not. */
function rowsOf(chunks: readonly Chunk[]): readonly Row<number>[] {
  const rows: Row<number>[] = [];
  let years: readonly number[] = [];
  let isHeader = false;
  for (const each of linesOfYears(chunks)) {
    const named = yearsOf(each.read);
    const row = named.length === 0 && new Set(years).size === years.length ? rowOf(each, years) : undefined;
    if (named.length > 0) years = isHeader ? joined(years, named) : named;
    else if (row !== undefined) rows.push(row);
    isHeader = named.length > 0 || (isHeader && row === undefined);
  }
  return rows;
}

interface StatementPage<Column> {
  /** 0 for a chunk without a page. */
  readonly page: number;
  /** Its first lines, as `running` of the glossary gives them. */
  readonly head: string;
  readonly rows: readonly Row<Column>[];
  readonly scale: string;
  readonly currency: string;
}

/** Lines at the head of a page that say what its numbers are in. */
const headLines = 24;

/** Characters at the head of a page in which a statement has its title. */
const titleCharacters = 240;

/** What the head of a page says its numbers are in: `(in thousands)`, `EUR million`, `£’000`; "" for nothing. */
function scaleOf(head: string): string {
  const named = /(?:\bin |\()(thousand|million|billion)s?\b/i.exec(head)?.[1]?.toLowerCase();
  const [declared] = declaredScales(head.normalize("NFKC").toLowerCase().replace(/['’]/g, ""));
  return named ?? Object.entries(factors).find(([, factor]) => factor === declared)?.[0] ?? "";
}

function pageOf<Column>(chunks: readonly Chunk[], rows: readonly Row<Column>[]): StatementPage<Column> {
  const text = chunks.map((chunk) => chunk.text).join("\n");
  const head = text.split("\n").slice(0, headLines).join("\n");
  return {
    page: chunks[0]?.pages[0] ?? 0,
    head: running(text.slice(0, titleCharacters)),
    rows,
    scale: scaleOf(head),
    currency: /\p{Sc}/u.exec(text)?.[0] ?? currencyCode.exec(text)?.[0].concat(" ") ?? "",
  };
}

/** Words that make another line of one that begins alike. */
const otherLine = /\b(?:noncontrolling|non controlling|current|per|proceeds|discontinued)\b/;

const isCalled = (label: string, line: string): boolean =>
  line.endsWith(" *")
    ? label.startsWith(line.slice(0, -1)) && !otherLine.test(label.slice(line.length - 1))
    : label === line;

/** The row of a page that is an item; of a column, where one is asked for. */
function find<Column>(
  { rows }: StatementPage<Column>,
  { lines }: Pick<Item, "lines">,
  wanted?: Column,
): Row<Column> | undefined {
  const isOf = (row: Row<Column>, line: string): boolean =>
    isCalled(row.label, line) && (wanted === undefined || row.values.has(wanted));
  return lines.map((line) => rows.find((row) => isOf(row, line))).find((row) => row !== undefined);
}

/** Share of the most lines of any page that the first page with the title of a statement must have. */
const shareOfLines = 0.5;

/**
 * The pages that a statement stands on: of those with a line that it is known by the first with its title and
 * many of its lines, else the one with most, and the pages beside it. Others have parts of it, or that of
 * another company.
 */
function pagesOf<Column>(
  name: string,
  pages: readonly StatementPage<Column>[],
  { items, statements }: MeasureBook,
): readonly StatementPage<Column>[] {
  const { knownBy = [], titles = [] } = statements.get(name) ?? {};
  const own = [...items.values()].filter(({ statement }) => statement === name);
  const telling = knownBy.flatMap((line) => items.get(line) ?? []);
  const holding = pages.filter((page) => telling.some((item) => find(page, item) !== undefined));
  const lines = holding.map((page) => own.filter((item) => find(page, item) !== undefined).length);
  const most = Math.max(0, ...lines);
  const first = holding.find(
    ({ head }, at) => (lines[at] ?? 0) >= shareOfLines * most && titles.some((title) => head.includes(title)),
  );
  const best = first ?? holding[lines.indexOf(most)];
  return best === undefined
    ? []
    : [best, ...holding.filter((page) => page !== best && Math.abs(page.page - best.page) <= 1)];
}

/** What an item is worth where a row says this: costs and payments lose the minus that some statements give them. */
const withoutMinus = (value: number, { positive }: Item): number => (positive ? Math.abs(value) : value);

/** Reads the statements of a document from its chunks, by the columns that `rowsIn` finds on a page. */
export function readCells<Column>(
  chunks: readonly Chunk[],
  book: MeasureBook,
  rowsIn: (page: readonly Chunk[]) => readonly Row<Column>[],
  told: (value: number, item: Item, row: Row<Column>) => number = withoutMinus,
): ReadCell<Column> {
  const byPage = Map.groupBy(
    chunks.toSorted((left, right) => left.ordinal - right.ordinal),
    ({ pages, id }) => String(pages[0] ?? id),
  );
  const pages = [...byPage.values()]
    .map((page) => pageOf(page, rowsIn(page)))
    .filter(({ rows }) => rows.length > 0);
  const holding = new Map([...book.statements.keys()].map((name) => [name, pagesOf(name, pages, book)]));
  return (name, wanted) => {
    const item = book.items.get(name);
    if (item === undefined) return undefined;
    for (const page of holding.get(item.statement) ?? []) {
      const lineOf = (row: Row<Column> | undefined): Line | undefined => {
        const value = row?.values.get(wanted);
        if (row === undefined || value === undefined) return undefined;
        const { scale, currency } = page;
        return { value: told(value, item, row), row: row.text, chunk: row.chunk, scale, currency };
      };
      const row = find(page, item, wanted);
      const line = lineOf(row);
      if (line === undefined) continue;
      const other = find(page, { lines: item.beside }, wanted);
      const added = other === row ? undefined : lineOf(other);
      return added === undefined ? line : { ...line, beside: [added] };
    }
    return undefined;
  };
}

/** Reads the statements of a document from its chunks, by whole years. */
export const readStatements = (chunks: readonly Chunk[], book: MeasureBook): ReadLine =>
  readCells(chunks, book, rowsOf);
