import { cellsOf, rangeOf } from "../core/documents/cells.ts";
import type { Chunk, SheetPart } from "../core/documents/chunk.ts";

const lettersIn = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();

/** Rows of a table of a spreadsheet in a text, each with its own lines. */
function rowsIn(part: SheetPart, text: string, starts: readonly number[]) {
  return part.rows.map(([start, row]) => {
    const end = starts.find((other) => other > start) ?? text.length;
    const [own = ""] = text.slice(start, end).split(/\n\s*\n/);
    return {
      row,
      start,
      own: part.columns.every(([name]) => name === "") ? (own.split("\n")[0] ?? "") : own,
    };
  });
}

/** The rows with these numbers of a sheet that a chunk contains, in its order. */
export function sheetRows(
  { text, sheetParts = [] }: Pick<Chunk, "text" | "sheetParts">,
  sheet: string,
  numbers: ReadonlySet<number>,
): readonly string[] {
  const starts = startsIn(sheetParts);
  return sheetParts
    .filter((part) => part.sheet === sheet)
    .flatMap((part) => rowsIn(part, text, starts))
    .flatMap(({ row, own }) => (numbers.has(row) ? [own.trim()] : []));
}

/** Where rows begin, table after table. */
const startsIn = (parts: readonly SheetPart[]): readonly number[] =>
  parts.flatMap(({ rows }) => rows.map(([start]) => start)).toSorted((one, two) => one - two);

/**
 * The cells of spreadsheets that a quote comes from: whole rows, or the single cell of which it is a line;
 * none where no row has it. For files the lines that it comes from, all of the chunk's lines where it cannot
 * be found.
 */
export function cellsForQuote(quote: string, chunk: Pick<Chunk, "text" | "sheetParts">): readonly string[] {
  const found = cellsWith(quote, chunk);
  const ofLines = (chunk.sheetParts ?? []).filter(({ of }) => of !== undefined);
  return found.length > 0 ? found : cellsOf({ sheetParts: ofLines });
}

function cellsWith(quote: string, chunk: Pick<Chunk, "text" | "sheetParts">): readonly string[] {
  const { text, sheetParts = [] } = chunk;
  const starts = startsIn(sheetParts);
  // A long quote is cut.
  const said = quote.endsWith("…") ? quote.slice(0, -1) : quote;
  const at = said === "" ? -1 : text.indexOf(said);
  const sought = lettersIn(said);
  return sheetParts.flatMap((part) => {
    const rows = rowsIn(part, text, starts).filter(({ start, own }) =>
      at >= 0
        ? start < at + said.length && at < start + own.length
        : sought !== "" && sought === lettersIn(own),
    );
    if (rows.length === 0) return [];
    const name = said.startsWith("- ") && !said.includes("\n") ? said.slice(2).split(": ")[0] : undefined;
    const columns = part.columns.filter(([own]) => own !== "" && own === name);
    const own = columns.length === 1 ? { ...part, columns } : part;
    const numbers = rows.map(({ row }) => row);
    return [rangeOf(own, numbers)];
  });
}
