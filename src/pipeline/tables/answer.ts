import type { Chunk } from "../../core/documents/chunk.ts";
import { alternatives } from "../../language/languages.ts";
import type { CellOperation, CellQuery } from "../../tables/query/cells-asked.ts";
import { isSubset } from "../../tables/query/words.ts";
import { amountOf, formatLike, hasNumber, unitOf } from "./amounts.ts";
import {
  type Asked,
  cellOf,
  type FoundCell,
  labelOf,
  linesOf,
  remainingTerms,
  renderCell,
  scaleOf,
  type TableAnswer,
} from "./cells.ts";
import { comparisonAnswer } from "./compared.ts";
import {
  type FoundColumn,
  findColumns,
  findRows,
  indexTable,
  type Named,
  type NamedRow,
  type Rest,
  subtract,
} from "./find.ts";
import { readTables } from "./read.ts";
import { rowAnswer } from "./rows.ts";

type Tokens = ReadonlySet<string>;

/** Cells of one table that a question names by row and column, with the rest of the question. */
interface Selection {
  readonly rows: readonly NamedRow[];
  readonly columns: readonly FoundColumn[];
  readonly cells: readonly FoundCell[];
  readonly rest: Rest;
}

const changes = new RegExp(`^(?:${alternatives((language) => language.changes)})$`, "iu");
/** Whether a column gives a change in percent while the question asks for the absolute change. */
const isOtherChange = ({ head, own }: FoundColumn, tokens: Tokens): boolean =>
  head.includes("%") && !tokens.has("%") && [...own].every((token) => changes.test(token));
const isEmpty = ({ text }: FoundCell): boolean => /^[-–—\s]*$|^n\/a$/i.test(text);

/** The cells where rows of a table meet columns; null if one is empty, or a word of the question occurs nowhere. */
function selectionOf(
  of: Named,
  { tokens, called }: Pick<Asked, "tokens" | "called">,
  rows: readonly NamedRow[],
  columns: readonly FoundColumn[],
): Selection | null {
  const cells = rows.flatMap((row) => columns.map((column) => cellOf(of, row, column)));
  if (cells.length === 0 || cells.some((cell) => isEmpty(cell) || isOtherChange(cell.column, tokens)))
    return null;
  const rest = remainingTerms(of, { tokens, called }, rows, columns);
  return rest && { rows, columns, cells, rest };
}

/** The columns that the words of a question name beside those of rows. */
const columnsBeside = (
  of: Named,
  { tokens, question }: Asked,
  rows: readonly NamedRow[],
): readonly FoundColumn[] => findColumns(of, subtract(tokens, ...rows.map(({ own }) => own)), question);

/** Most cells in an answer to a question that names several. */
const mostCells = 8;
const joining = new RegExp(`,|(?<![\\p{L}])(?:${alternatives(({ and }) => and)})(?![\\p{L}])`, "giu");

/** Whether a question enumerates several rows or columns, none of which is part of another's name. */
function isEnumerated(
  rows: readonly NamedRow[],
  columns: readonly FoundColumn[],
  { question }: Asked,
): boolean {
  const count = rows.length * columns.length;
  const joined = question.match(joining)?.length ?? 0;
  const areApart = [rows, columns].every((parts) =>
    parts.every((one) => !parts.some((other) => other !== one && isSubset(one.own, other.own))),
  );
  return count > 1 && count <= mostCells && joined >= rows.length + columns.length - 2 && areApart;
}

/**
 * All cells that a question may name by one row and one column, exact matches before loose ones; otherwise
 * the cells of the only table of which it enumerates rows or columns.
 */
function cellsNamed(query: Asked, all: readonly Named[]): readonly Selection[] {
  const found = all.flatMap((of) => {
    const rows = findRows(of, query.tokens, query.question);
    return [...rows.map((row) => [row]), rows].flatMap((group, at) => {
      const columns = columnsBeside(of, query, group);
      const isNamed = at < rows.length ? columns.length === 1 : isEnumerated(rows, columns, query);
      return (isNamed && selectionOf(of, query, group, columns)) || [];
    });
  });
  const [several = [], single = []] = [false, true].map((isOne) =>
    found.filter(({ cells, rest }) => (cells.length === 1) === isOne && !rest.isLoose),
  );
  if (single.length > 0) return single;
  const loose = found.filter(({ cells }) => cells.length === 1);
  return loose.length > 0 || several.length > 1 ? loose : several;
}

/** `Stock: Drum 40, Hook 25`: cells grouped by column. */
function listed(cells: readonly FoundCell[]): string {
  const columns = Map.groupBy(cells, ({ column }) => column);
  return [...columns]
    .map(
      ([{ head }, own]) =>
        `${head}: ${own.map((cell) => `${labelOf(cell)} ${cell.text}${scaleOf(cell)}`).join(", ")}`,
    )
    .join("; ");
}

/** Whether the cells are all entries of one table in one column for the same label, in words. */
const areOneList = (cells: readonly FoundCell[]): boolean =>
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
function valueAnswer(query: Asked, all: readonly Named[]): TableAnswer | null {
  const found = cellsNamed(query, all);
  const cells = found.flatMap(({ cells: own }) => own);
  const [cell] = cells;
  const { operation } = query;
  const isNumber = operation.kind === "value" && operation.isNumber;
  if (cell === undefined || (isNumber && cells.some(({ text }) => !hasNumber(text)))) return null;
  const isNamed = found.some(({ rest }) => rest.byName.length > 0);
  const base = { lines: linesOf(cells), label: cell.row.row.label, isNamed };
  if (found.some(({ cells: own }) => own.length > 1)) return { ...base, text: listed(cells) };
  const texts = new Set(cells.map(({ text }) => text));
  if (texts.size > 1) {
    const text = `${labelOf(cell)}, ${cell.column.head}: ${[...texts].join("; ")}${scaleOf(cell)}`;
    return areOneList(cells) ? { ...base, text } : null;
  }
  const { head, text } = renderCell(cell);
  return { ...base, text: `${labelOf(cell)}, ${head}: ${text}`, lines: linesOf([cell]) };
}

type Difference = Asked<CellOperation & { readonly kind: "difference" }>;

/** Two cells of one row or one column, each named by the words of its side. */
function pairsNamed(query: Difference, all: readonly Named[]): readonly Selection[] {
  return query.operation.sides.flatMap((sides) => {
    const asked = { ...query, tokens: sides[0].union(sides[1]) };
    const [one, other] = sides;
    return all.flatMap((of) => {
      const [first, second] = [one, other].map((tokens) => findRows(of, tokens, query.question));
      const pairs = (first ?? []).flatMap((row) => (second ?? []).map((next) => [row, next]));
      const byRows = pairs.flatMap(([row, next]) =>
        row === undefined || next === undefined || row === next
          ? []
          : [selectionOf(of, asked, [row, next], columnsBeside(of, asked, [row, next]))],
      );
      const rows = findRows(of, asked.tokens, query.question);
      const byColumns = rows.flatMap((row) => {
        const columns = [one, other].map((tokens) =>
          findColumns(of, subtract(tokens, row.own), query.question),
        );
        return [selectionOf(of, asked, [row], columns.flat())];
      });
      return [...byRows, ...byColumns]
        .filter((found) => found?.cells.length === 2)
        .filter((found) => found !== null);
    });
  });
}

/** The difference between two cells in one unit; null if the question assumes the opposite order. */
function differenceAnswer(query: Difference, all: readonly Named[]): TableAnswer | null {
  const answers = pairsNamed(query, all).flatMap(({ cells, rest, rows }): readonly TableAnswer[] => {
    const [one, other] = cells;
    const [first, second] = cells.map(({ text }) => amountOf(text));
    if (!one || !other || !first || !second || unitOf(first) !== unitOf(second)) return [];
    const apart = first.value - second.value;
    const { order } = query.operation;
    if ((order === "most" && apart <= 0) || (order === "least" && apart >= 0)) return [];
    const digits = Math.max(first.digits, second.digits);
    const isOneRow = rows.length === 1;
    const label = isOneRow ? labelOf(one) : one.column.head;
    const each = cells.map(
      (cell) => `${isOneRow ? cell.column.head : labelOf(cell)} ${cell.text}${scaleOf(cell)}`,
    );
    const text = `${label}: ${each.join(", ")}, difference: ${formatLike(Math.abs(apart), first, digits)}${scaleOf(one)}`;
    return [{ text, lines: linesOf(cells), label, isNamed: rest.byName.length > 0 }];
  });
  return new Set(answers.map(({ text }) => text)).size === 1 ? (answers[0] ?? null) : null;
}

/** The tables of a document, indexed by the words a question may use. */
export const indexTables = (chunks: readonly Chunk[]): readonly Named[] =>
  readTables(chunks)
    .filter(({ heads }) => heads.length > 0)
    .map(indexTable);

/**
 * Whether any of these tables, for example of a retrieved page, may have what a question names: a cell by row
 * and column, the rows of two cells, the column of a comparison.
 */
export function mayContainCell(
  { operation: { kind }, tokens, question }: CellQuery,
  tables: readonly Named[],
): boolean {
  return tables.some((table) => {
    const hasRow = findRows(table, tokens, question).length > 0;
    const hasColumn = findColumns(table, tokens, question).length > 0;
    if (kind === "value") return hasRow && hasColumn;
    return kind === "condition" ? hasColumn : hasRow || hasColumn;
  });
}

/**
 * Answers a question from tables of a document; null unless it gives each cell's full row label and column
 * header, if it has a word that occurs nowhere around the table, and if several tables disagree. `called`:
 * words of the document's name.
 */
export function evaluate(asked: CellQuery, tables: readonly Named[], called: Tokens): TableAnswer | null {
  const query = { ...asked, called };
  const { operation } = query;
  switch (operation.kind) {
    case "years":
      return rowAnswer({ ...query, operation }, tables);
    case "value":
      return valueAnswer(query, tables);
    case "difference":
      return differenceAnswer({ ...query, operation }, tables);
    case "extreme":
      // A column may be headed `The maximum load`.
      return (
        (query.free.size > 0 ? valueAnswer(query, tables) : null) ??
        comparisonAnswer({ ...query, operation }, tables)
      );
    case "condition":
      // `falling due within one year` may be a label rather than a condition.
      return comparisonAnswer({ ...query, operation }, tables) ?? valueAnswer(query, tables);
  }
}
