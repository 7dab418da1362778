import type { Chunk } from "../../core/documents/chunk.ts";
import type { Item, MeasureBook } from "./entries.ts";
import { type ReadLine, type YearPage, type YearRow, yearPages } from "./year-tables.ts";

/** Words that make another line of one that begins alike. */
const otherLine = /\b(?:noncontrolling|non controlling|current|per|proceeds|discontinued)\b/;

const isCalled = (label: string, line: string): boolean =>
  line.endsWith(" *")
    ? label.startsWith(line.slice(0, -1)) && !otherLine.test(label.slice(line.length - 1))
    : label === line;

/** The row of a page that is an item; of a year, where one is asked for. */
function find({ rows }: YearPage, { lines }: Item, wanted?: number): YearRow | undefined {
  const isOf = (row: YearRow, line: string): boolean =>
    row.percentDigits === null &&
    isCalled(row.label, line) &&
    (wanted === undefined || row.values.has(wanted));
  return lines.map((line) => rows.find((row) => isOf(row, line))).find((row) => row !== undefined);
}

/** Share of the most lines of any page that the first page with the title of a statement must have. */
const shareOfLines = 0.5;

/**
 * The pages that a statement stands on: of those with a line that it is known by the first with its title and
 * many of its lines, else the one with most, and the pages beside it. Others have parts of it, or that of
 * another company.
 */
function pagesOf(name: string, pages: readonly YearPage[], { items, statements }: MeasureBook) {
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

/** Reads the statements of a document from its chunks. */
export function readStatements(chunks: readonly Chunk[], book: MeasureBook): ReadLine {
  const pages = yearPages(chunks);
  const holding = new Map([...book.statements.keys()].map((name) => [name, pagesOf(name, pages, book)]));
  return (name, wanted) => {
    const item = book.items.get(name);
    if (item === undefined) return undefined;
    for (const page of holding.get(item.statement) ?? []) {
      const row = find(page, item, wanted);
      const value = row?.values.get(wanted);
      if (row === undefined || value === undefined) continue;
      const { scale, currency } = page;
      return {
        value: item.positive ? Math.abs(value) : value,
        row: row.text,
        chunk: row.chunk,
        scale,
        currency,
      };
    }
    return undefined;
  };
}
