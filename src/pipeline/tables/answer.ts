import type { Chunk } from "../../core/documents/chunk.ts";
import { amountOf } from "./amounts.ts";
import { apartAnswer } from "./apart.ts";
import type { CellRequest } from "./asked.ts";
import { type CellAnswer, cellsNamed, isNamed, labelOf, linesOf, scaleOf } from "./cells.ts";
import { conditionAnswer, extremeAnswer } from "./compared.ts";
import { columnsNamed, type Named, named, rowsNamed } from "./find.ts";
import { pageTables } from "./read.ts";

function valueAnswer(
  asked: CellRequest,
  isNumber: boolean,
  all: readonly Named[],
  called: ReadonlySet<string>,
): CellAnswer | null {
  const cells = cellsNamed(all, asked.tokens, asked.question, called);
  const [cell] = cells;
  if (cell === undefined || (isNumber && amountOf(cell.text) === undefined)) return null;
  if (new Set(cells.map(({ text }) => text)).size > 1) return null;
  const text = `${labelOf(cell)}, ${cell.column.head}: ${cell.text}${scaleOf(cell)}`;
  return { text, lines: linesOf([cell]), label: cell.row.row.label, isNamed: isNamed([cell]) };
}

/** The tables of a document, as a question may name their parts. */
export const namedTables = (chunks: readonly Chunk[]): readonly Named[] => pageTables(chunks).map(named);

/**
 * Whether some of these tables, as of a page that was found, may be what a question names: a cell by row and column,
 * the rows of two, the column of a comparison.
 */
export function mayName({ form, tokens, question }: CellRequest, tables: readonly Named[]): boolean {
  return tables.some((table) => {
    const hasRow = rowsNamed(table, tokens).length > 0;
    const hasColumn = columnsNamed(table, tokens, question).length > 0;
    if (form === "value") return hasRow && hasColumn;
    return form === "apart" ? hasRow || hasColumn : hasColumn;
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
      return valueAnswer(asked, false, tables, called) ?? extremeAnswer(asked, tables, called);
    case "condition":
      return conditionAnswer(asked, tables, called);
  }
}
