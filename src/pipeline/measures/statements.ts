import type { Chunk } from "../../core/documents/chunk.ts";
import { declaredScales } from "../../language/quantities.ts";
import { plainWords } from "../../language/words.ts";
import { glossaryWords } from "../retrieve/glossary.ts";
import { amountsIn, factors, isNoteNumber, numberOf } from "../tables/amounts.ts";
import type { PeriodColumn } from "../tables/periods.ts";
import type { TableRow, TextTable } from "../tables/read.ts";
import type { MeasureBook, StatementItem } from "./entries.ts";

/** A statement line, read for one year. */
export interface StatementLine {
  readonly value: number;
  /** The row, verbatim. */
  readonly row: string;
  readonly chunk: Chunk;
  /** Scale of its numbers: thousand, million or billion; "" if the page gives none. */
  readonly scale: string;
  readonly currency: string;
  /** Lines added to it, such as short-term debt in addition to the current portion of long-term debt. */
  readonly beside?: readonly StatementLine[];
}

/** The value of a line for a year; undefined if no statement has it. */
export type ReadLine = (item: string, year: number) => StatementLine | undefined;

type Wanted = (column: PeriodColumn) => boolean;

/** The value of a line in the selected column; undefined if no statement has it. */
export type ReadCell = (item: string, wanted: Wanted) => StatementLine | undefined;

/** Currency codes in statements. */
const currencyCode = /\b(?:AUD|CAD|CHF|DKK|EUR|GBP|JPY|NOK|SEK|USD|VND)(?=\b|000)/;

/** A row of a statement, with the columns of its values. */
interface Row {
  readonly label: string;
  readonly row: TableRow;
  readonly columns: readonly PeriodColumn[];
}

/** Table rows with a value in every admitted column and none in columns of other kinds. */
const rowsOf = (tables: readonly TextTable[], admitted: Wanted): readonly Row[] =>
  tables.flatMap(({ rows, periods }) => {
    const columns = periods.filter(admitted);
    const places = new Set([0, ...periods.map(({ at }) => at)]);
    const isOutsidePeriods = (cell: string, at: number): boolean =>
      !places.has(at) && !(at === 1 && isNoteNumber(cell)) && amountsIn(cell).length > 0;
    return rows.flatMap((row): Row[] => {
      const label = plainWords(row.label.replace(/\([^()]*\)/g, " ")).join(" ");
      const isWhole = columns.every(({ at }) => numberOf(row.cells[at] ?? "") !== undefined);
      return columns.length === 0 || label === "" || !isWhole || row.cells.some(isOutsidePeriods)
        ? []
        : [{ label, row, columns }];
    });
  });

/** The single selected column of a row. */
function columnOf({ columns }: Row, wanted: Wanted): PeriodColumn | undefined {
  const [column, ...others] = columns.filter(wanted);
  return others.length === 0 ? column : undefined;
}

interface StatementPage {
  /** 0 for a chunk without a page. */
  readonly page: number;
  /** Its first lines, in the form of `running` of the glossary. */
  readonly head: string;
  readonly rows: readonly Row[];
  readonly scale: string;
  readonly currency: string;
}

/** Lines at the top of a page that may give the scale. */
const headLines = 24;

/** Characters at the top of a page that may have the title of a statement. */
const titleCharacters = 240;

/** The scale at the top of a page: `(in thousands)`, `EUR million`, `£’000`; "" for none. */
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
    head: glossaryWords(text.slice(0, titleCharacters)),
    rows,
    scale: scaleOf(head),
    currency: /\p{Sc}/u.exec(text)?.[0] ?? currencyCode.exec(text)?.[0].concat(" ") ?? "",
  };
}

/** Words that make a different line of one with the same beginning. */
const otherLine = /\b(?:noncontrolling|non controlling|current|per|proceeds|discontinued)\b/;

const isCalled = (label: string, line: string): boolean =>
  line.endsWith(" *")
    ? label.startsWith(line.slice(0, -1)) && !otherLine.test(label.slice(line.length - 1))
    : label === line;

/** The row of a page for an item; with `wanted`, only if it has that column. */
function find(
  { rows }: StatementPage,
  { lines }: Pick<StatementItem, "lines">,
  wanted?: Wanted,
): Row | undefined {
  const isOf = (row: Row, line: string): boolean =>
    isCalled(row.label, line) && (wanted === undefined || columnOf(row, wanted) !== undefined);
  return lines.map((line) => rows.find((row) => isOf(row, line))).find((row) => row !== undefined);
}

/** Share of the largest line count of any page that the first page with a statement's title must reach. */
const shareOfLines = 0.5;

/**
 * The pages of a statement: among those with an identifying line, the first with its title and many of its
 * lines, otherwise the one with most lines, and its adjacent pages. Further pages have excerpts or another
 * company's statement.
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

/** Sign convention of an item: costs are positive; a tax benefit is negative. */
function signed(value: number, { positive }: StatementItem, label: string): number {
  if (!positive) return value;
  if (/\((?:expense|provision)\)[^()]{0,20}benefit/i.test(label)) return -value;
  return /\([^()]{0,20}benefit/i.test(label) ? value : Math.abs(value);
}

/**
 * Reads the statements of a document from its tables, considering only `admitted` columns. A line is looked
 * up in the single selected column of a row.
 */
export function readStatements(
  chunks: readonly Chunk[],
  tables: readonly TextTable[],
  book: MeasureBook,
  admitted: Wanted,
): ReadCell {
  const pageOfChunk = ({ pages, id }: Chunk): string => String(pages[0] ?? id);
  const rows = Map.groupBy(rowsOf(tables, admitted), ({ row }) => pageOfChunk(row.chunk));
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
      const lineOf = (found: Row | undefined): StatementLine | undefined => {
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
