import { saysApart } from "../../../language/asking/changes.ts";
import { saysAggregate } from "../../../language/asking/values.ts";
import { quantitiesIn, stands } from "../../../language/quantities.ts";
import { contentTerms, isNumber, normalize, squash, words } from "../../../language/terms.ts";
import { datesIn, monthsIn, sameDate } from "../../../language/time/dates.ts";
import { termsOfUnit } from "../../../language/units.ts";
import type { Table, TableRow } from "../../tables/read.ts";
import { type Value, valuesOf, withoutMarkup } from "./values.ts";

/** A statement with its words and values. */
interface Said {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly squashed: string;
  readonly values: readonly Value[];
}

/** A row of a table that a statement names, and the columns whose cells it repeats. */
interface NamedRow {
  readonly row: TableRow;
  readonly table: Table;
  readonly columns: readonly number[];
}

/** What a row says about a statement that names it. */
export interface RowFinding {
  readonly row: TableRow;
  readonly table: Table;
  /** The value that the row contradicts, and its own; null if the row has every value of the statement. */
  readonly other: {
    readonly value: Value;
    readonly cell: string;
    /** Whether another row has the value in the same column. */
    readonly isOfColumn: boolean;
  } | null;
}

/** Whether a statement gives the content of a cell: all its words, or an equal number or date. */
function repeats(cell: string, { text, terms, words: all, squashed, values }: Said): boolean {
  if (cell === "") return false;
  const own = contentTerms(cell);
  // `IT` is also a small word.
  if (own.length === 0) return text.split(/[^\p{L}\p{M}\p{N}]+/u).includes(cell);
  if (own.every((term) => terms.has(term) || all.has(term))) return true;
  const joined = squash(cell);
  if (/\p{L}/u.test(cell) && /\p{N}/u.test(cell) && joined.length > 3 && squashed.includes(joined))
    return true;
  return values.some((value) => gives(cell, value));
}

/** Whether a cell gives a value. */
function gives(cell: string, value: Value): boolean {
  switch (value.kind) {
    case "number":
      return stands(value.quantity, quantitiesIn(normalize(cell)), [], false) !== "no";
    case "date":
      return datesIn(cell)
        .dates.flat()
        .some((date) => value.readings.some((reading) => sameDate(reading, date)));
    case "name":
    case "code":
      return squash(cell).includes(squash(value.text));
  }
}

/** Rows with most cells that a statement repeats; of equals those whose first such cell is leftmost. */
function namedRows(said: Said, tables: readonly Table[]): readonly NamedRow[] {
  const named = tables.flatMap((table) =>
    table.rows.map((row) => {
      const columns = row.cells.flatMap((cell, at) => (repeats(cell, said) ? [at] : []));
      return { row, table, columns };
    }),
  );
  const most = Math.max(1, ...named.map(({ columns }) => columns.length));
  const best = named.filter(({ columns }) => columns.length === most);
  const leftmost = Math.min(...best.map(({ columns }) => columns[0] ?? Infinity));
  return best.filter(({ columns }) => columns[0] === leftmost);
}

const headOf = ({ heads }: Table, column: number): string => heads[column]?.join(" ") ?? "";

/** Whether a statement names the column: by words of its header, or its month. */
function namesColumn({ text, terms }: Said, table: Table, column: number): boolean {
  const head = headOf(table, column);
  const own = contentTerms(head);
  return (
    (own.length > 0 && own.every((term) => terms.has(term))) || !monthsIn(head).isDisjointFrom(monthsIn(text))
  );
}

/** Whether a cell of another row in the column gives the value, so that the value is one of this column. */
const isOfColumn = (value: Value, { table, row }: NamedRow, column: number): boolean =>
  table.rows.some((other) => other !== row && gives(other.cells[column] ?? "", value));

const hasNumber = (cell: string): boolean => quantitiesIn(normalize(cell)).length > 0;

/** Columns of a row that may hold a value instead of which the statement gives it. */
function columnsFor(value: Value, said: Said, named: NamedRow): readonly number[] {
  const { row, table, columns } = named;
  const isFit = (cell: string): boolean =>
    value.kind === "number"
      ? hasNumber(cell) && datesIn(cell).dates.length === 0
      : value.kind === "date"
        ? datesIn(cell).dates.length > 0
        : /\p{L}/u.test(cell);
  const open = row.cells.flatMap((cell, at) =>
    !columns.includes(at) && cell !== "" && isFit(cell) ? [at] : [],
  );
  const own = open.filter((at) => namesColumn(said, table, at));
  if (own.length > 0) return own;
  const alike = open.filter((at) => isOfColumn(value, named, at));
  const isTold = (at: number): boolean => {
    const ofUnit = value.kind === "number" ? termsOfUnit(value.quantity.unit) : new Set<string>();
    const told = contentTerms(`${headOf(table, at)} ${table.around} ${table.headings}`);
    return told.some((term) => said.terms.has(term) && !ofUnit.has(term) && !isNumber(term));
  };
  if (value.kind !== "number") return alike;
  return [...new Set([...alike, ...(open.length === 1 ? open : [])])].filter(isTold);
}

/** Whether a row's cells, its table's header or the text around it give a value. */
const isGiven = (value: Value, { row, table }: NamedRow, heads: string): boolean =>
  [...row.cells, row.group, ...table.heads.flat(), table.around, table.headings, heads].some((text) =>
    gives(text, value),
  ) ||
  (value.kind === "date" &&
    value.readings.some(
      ({ month, day }) => day === null && monthsIn(`${row.text} ${table.header.join(" ")}`).has(month),
    ));

/**
 * What the row that a statement names says about it. Null if it names none, or several, or a value of it that is not in the
 * row has no column: a number may then be of anything. `heads`: title and headings of the passage.
 */
export function rowNamedBy(statement: string, tables: readonly Table[], heads: string): RowFinding | null {
  const text = withoutMarkup(statement);
  const said: Said = {
    text,
    terms: new Set(contentTerms(text)),
    words: new Set(words(text)),
    squashed: squash(text),
    values: valuesOf(text),
  };
  const rows = namedRows(said, tables);
  const agreeing = rows.find((named) => said.values.every((value) => isGiven(value, named, heads)));
  if (agreeing !== undefined) return { row: agreeing.row, table: agreeing.table, other: null };
  const [named] = rows;
  if (named === undefined || rows.length > 1 || saysApart(text) || saysAggregate(text)) return null;
  for (const value of said.values.filter((each) => !isGiven(each, named, heads))) {
    const [column, ...others] = columnsFor(value, said, named);
    if (column === undefined || others.length > 0) continue;
    const cell = named.row.cells[column] ?? "";
    const other = { value, cell, isOfColumn: isOfColumn(value, named, column) };
    return { row: named.row, table: named.table, other };
  }
  return null;
}
