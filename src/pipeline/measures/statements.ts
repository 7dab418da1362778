import type { Chunk } from "../../core/documents/chunk.ts";
import { declaredScales } from "../../language/quantities.ts";
import { plainWords } from "../../language/words.ts";
import { running } from "../retrieve/glossary.ts";
import { amountsIn, factors, isNote, numberOf } from "../tables/amounts.ts";
import { isWholeYear, type PeriodColumn } from "../tables/periods.ts";
import { readTables, type Table, type TableRow } from "../tables/read.ts";
import type { Item, MeasureBook } from "./entries.ts";

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

/** Which columns are meant. */
type Wanted = (column: PeriodColumn) => boolean;

/** The value of a line in the column that is wanted; undefined where no statement has it. */
export type ReadCell = (item: string, wanted: Wanted) => Line | undefined;

/** Currencies that statements name by their code. */
const currencyCode = /\b(?:AUD|CAD|CHF|DKK|EUR|GBP|JPY|NOK|SEK|USD|VND)(?=\b|000)/;

/** A row of a statement, with the columns that its values are of. */
interface Row {
  readonly label: string;
  readonly row: TableRow;
  readonly columns: readonly PeriodColumn[];
}

/** The rows of tables that have a value in every admitted column, and none in columns of something else. */
const rowsOf = (tables: readonly Table[], admitted: Wanted): readonly Row[] =>
  tables.flatMap(({ rows, periods }) => {
    const columns = periods.filter(admitted);
    const places = new Set([0, ...periods.map(({ at }) => at)]);
    const isOther = (cell: string, at: number): boolean =>
      !places.has(at) && !(at === 1 && isNote(cell)) && amountsIn(cell).length > 0;
    return rows.flatMap((row): Row[] => {
      const label = plainWords(row.label.replace(/\([^()]*\)/g, " ")).join(" ");
      const isWhole = columns.every(({ at }) => numberOf(row.cells[at] ?? "") !== undefined);
      return columns.length === 0 || label === "" || !isWhole || row.cells.some(isOther)
        ? []
        : [{ label, row, columns }];
    });
  });

/** The one column of a row that is wanted. */
function columnOf({ columns }: Row, wanted: Wanted): PeriodColumn | undefined {
  const [column, ...others] = columns.filter(wanted);
  return others.length === 0 ? column : undefined;
}

interface StatementPage {
  /** 0 for a chunk without a page. */
  readonly page: number;
  /** Its first lines, as `running` of the glossary gives them. */
  readonly head: string;
  readonly rows: readonly Row[];
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

function pageOf(chunks: readonly Chunk[], rows: readonly Row[]): StatementPage {
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
function find({ rows }: StatementPage, { lines }: Pick<Item, "lines">, wanted?: Wanted): Row | undefined {
  const isOf = (row: Row, line: string): boolean =>
    isCalled(row.label, line) && (wanted === undefined || columnOf(row, wanted) !== undefined);
  return lines.map((line) => rows.find((row) => isOf(row, line))).find((row) => row !== undefined);
}

/** Share of the most lines of any page that the first page with the title of a statement must have. */
const shareOfLines = 0.5;

/**
 * The pages that a statement stands on: of those with a line that it is known by the first with its title and
 * many of its lines, else the one with most, and the pages beside it. Others have parts of it, or that of
 * another company.
 */
function pagesOf(
  name: string,
  pages: readonly StatementPage[],
  { items, statements }: MeasureBook,
): readonly StatementPage[] {
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

/** What an item is worth where a row says this: a cost without its minus; of a tax a benefit is less than nothing. */
function signed(value: number, { positive }: Item, label: string): number {
  if (!positive) return value;
  if (/\((?:expense|provision)\)[^()|]{0,20}benefit/i.test(label)) return -value;
  return /\([^()|]{0,20}benefit/i.test(label) ? value : Math.abs(value);
}

/**
 * Reads the statements of a document from its tables, of which `admitted` columns are looked at. A line is looked up in
 * the one column of a row that is wanted.
 */
export function readStatements(chunks: readonly Chunk[], book: MeasureBook, admitted: Wanted): ReadCell {
  const pageOfChunk = ({ pages, id }: Chunk): string => String(pages[0] ?? id);
  const rows = Map.groupBy(rowsOf(readTables(chunks), admitted), ({ row }) => pageOfChunk(row.chunk));
  const byPage = Map.groupBy(
    chunks.toSorted((left, right) => left.ordinal - right.ordinal),
    pageOfChunk,
  );
  const pages = [...byPage].flatMap(([key, page]) => {
    const own = rows.get(key);
    return own === undefined ? [] : [pageOf(page, own)];
  });
  const holding = new Map([...book.statements.keys()].map((name) => [name, pagesOf(name, pages, book)]));
  return (name, wanted) => {
    const item = book.items.get(name);
    if (item === undefined) return undefined;
    for (const page of holding.get(item.statement) ?? []) {
      const lineOf = (found: Row | undefined): Line | undefined => {
        const at = found && columnOf(found, wanted)?.at;
        const value = numberOf(found?.row.cells[at ?? 0] ?? "")?.value;
        if (found === undefined || value === undefined) return undefined;
        const { row } = found;
        const { scale, currency } = page;
        return { value: signed(value, item, row.label), row: row.text, chunk: row.chunk, scale, currency };
      };
      const found = find(page, item, wanted);
      const line = lineOf(found);
      if (line === undefined) continue;
      const other = find(page, { lines: item.beside }, wanted);
      const added = other === found ? undefined : lineOf(other);
      return added === undefined ? line : { ...line, beside: [added] };
    }
    return undefined;
  };
}

/** Reads the statements of a document from its chunks, by whole years. */
export function readYears(chunks: readonly Chunk[], book: MeasureBook): ReadLine {
  const read = readStatements(chunks, book, isWholeYear);
  return (item, year) => read(item, (column) => column.year === year);
}
