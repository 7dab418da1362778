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

/** `Stock: Drum 40, Hook 25`: cells by their column. */
function listed(cells: readonly Cell[]): string {
  const columns = Map.groupBy(cells, ({ column }) => column);
  return [...columns]
    .map(
      ([{ head }, own]) =>
        `${head}: ${own.map((cell) => `${labelOf(cell)} ${cell.text}${scaleOf(cell)}`).join(", ")}`,
    )
    .join("; ");
}

/** Whether cells are all that one table has in a column for one label, in words. */
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

/** The cell that a question names, several that it joins, or all of a column that stand beside one label. */
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

/** The tables of a document, as a question may name their parts. */
export const namedTables = (chunks: readonly Chunk[]): readonly Named[] =>
  readTables(chunks)
    .filter(({ heads }) => heads.length > 0)
    .map(named);

/**
 * Whether some of these tables, as of a page that was found, may be what a question names: a cell by row and column,
 * the rows of two, the column of a comparison.
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
 * What cells of a document's tables say to a question that names them; null where it does not name each by the whole
 * label of its row and the whole head of its column, where it says what stands nowhere around their table, and
 * where several tables say different things. `called`: words that the document is called by.
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
      // `The maximum load` may head a column.
      return (
        (orderWords(asked.question).size > 0 ? valueAnswer(asked, false, tables, called) : null) ??
        comparisonAnswer(asked, tables, called)
      );
    case "condition":
      // `falling due within one year` is a name.
      return comparisonAnswer(asked, tables, called) ?? valueAnswer(asked, false, tables, called);
  }
}
