import type { Chunk } from "../../core/documents/chunk.ts";
import { amountOf, hasNumber } from "./amounts.ts";
import { apartAnswer } from "./apart.ts";
import { type CellRequest, orderWords } from "./asked.ts";
import {
  type Cell,
  type CellAnswer,
  cellsListed,
  cellsNamed,
  isNamed,
  labelOf,
  linesOf,
  scaleOf,
  told,
} from "./cells.ts";
import { comparisonAnswer } from "./compared.ts";
import { columnsNamed, type Named, named, rowsNamed } from "./find.ts";
import { readTables } from "./read.ts";

/** `Stock: Drum 40, Hook 25`: cells grouped by column. */
function listed(cells: readonly Cell[]): string {
  const columns = Map.groupBy(cells, ({ column }) => column);
  return [...columns]
    .map(
      ([{ head }, own]) =>
        `${head}: ${own.map((cell) => `${labelOf(cell)} ${cell.text}${scaleOf(cell)}`).join(", ")}`,
    )
    .join("; ");
}

/** Whether the cells are all entries of one table in one column for the same label, in words. */
const areOneList = (cells: readonly Cell[]): boolean =>
  cells.every(
    ({ of, row: { row }, column, text }) =>
      of === cells[0]?.of &&
      of.table.isWhole &&
      row.group === "" &&
      row.label === cells[0].row.row.label &&
      column.at === cells[0].column.at &&
      amountOf(text) === undefined,
  );

/** The cell that a question names, several that it enumerates, or all entries of a column for one label. */
function valueAnswer(
  asked: CellRequest,
  isNumber: boolean,
  all: readonly Named[],
  called: ReadonlySet<string>,
): CellAnswer | null {
  const single = cellsNamed(all, asked.tokens, asked.question, called);
  const cells = single.length > 0 ? single : cellsListed(all, asked.tokens, asked.question, called);
  const [cell] = cells;
  if (cell === undefined || (isNumber && cells.some(({ text }) => !hasNumber(text)))) return null;
  const base = { lines: linesOf(cells), label: cell.row.row.label, isNamed: isNamed(cells) };
  if (single.length === 0) return { ...base, text: listed(cells) };
  const texts = new Set(cells.map(({ text }) => text));
  if (texts.size > 1 && !areOneList(cells)) return null;
  if (texts.size > 1) {
    const text = `${labelOf(cell)}, ${cell.column.head}: ${[...texts].join("; ")}${scaleOf(cell)}`;
    return { ...base, text };
  }
  const { head, text } = told(cell);
  return { ...base, text: `${labelOf(cell)}, ${head}: ${text}`, lines: linesOf([cell]) };
}

/** The tables of a document, indexed by the words a question may use. */
export const namedTables = (chunks: readonly Chunk[]): readonly Named[] =>
  readTables(chunks)
    .filter(({ heads }) => heads.length > 0)
    .map(named);

/**
 * Whether any of these tables, for example of a retrieved page, may have what a question names: a cell by row
 * and column, the rows of two cells, the column of a comparison.
 */
export function mayName({ form, tokens, question }: CellRequest, tables: readonly Named[]): boolean {
  return tables.some((table) => {
    const hasRow = rowsNamed(table, tokens, question).length > 0;
    const hasColumn = columnsNamed(table, tokens, question).length > 0;
    if (form === "value") return hasRow && hasColumn;
    return form === "condition" ? hasColumn : hasRow || hasColumn;
  });
}

/**
 * Answers a question from the cells it names; null unless it gives each cell's full row label and column
 * header, if it has a word that occurs nowhere around the table, and if several tables disagree. `called`:
 * words of the document's name.
 */
export function answerCells(
  asked: CellRequest,
  tables: readonly Named[],
  called: ReadonlySet<string>,
): CellAnswer | null {
  switch (asked.form) {
    case "value":
      return valueAnswer(asked, asked.isNumber, tables, called);
    case "apart":
      return apartAnswer(asked, tables, called);
    case "extreme":
      // A column may be headed `The maximum load`.
      return (
        (orderWords(asked.question).size > 0 ? valueAnswer(asked, false, tables, called) : null) ??
        comparisonAnswer(asked, tables, called)
      );
    case "condition":
      // `falling due within one year` may be a label rather than a condition.
      return comparisonAnswer(asked, tables, called) ?? valueAnswer(asked, false, tables, called);
  }
}
