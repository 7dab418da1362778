import { mentionsChange } from "../../../language/asking/changes.ts";
import { mentionsAggregate } from "../../../language/asking/values.ts";
import { numberOccurrence, quantitiesIn } from "../../../language/quantities.ts";
import { alphanumeric, contentTerms, isNumber, isYear, normalize, words } from "../../../language/terms.ts";
import { datesIn, isAmongDates, monthsIn } from "../../../language/time/dates.ts";
import { termsOfUnit } from "../../../language/units.ts";
import type { TableRow, TextTable } from "../../tables/read.ts";
import { agreeingRowShare } from "./thresholds.ts";
import { codesWritten, type Value, valuesOf, withoutMarkup } from "./values.ts";

/** A statement with its words and values. */
interface Said {
  readonly text: string;
  /** Its words, with and without small ones. */
  readonly words: ReadonlySet<string>;
  readonly squashed: string;
  readonly values: readonly Value[];
}

/** A row of a table that a statement names, and the cells by which it does. */
interface NamedRow {
  readonly row: TableRow;
  readonly table: TextTable;
  readonly labels: readonly number[];
  /** Words of its labels that the statement has, and words of these labels that it lacks. */
  readonly held: number;
  readonly missing: number;
}

/** What a row says about a statement that names it. */
export interface RowFinding {
  readonly row: TableRow;
  readonly table: TextTable;
  /** The value that the row contradicts, and its own; null if the row has every value of the statement. */
  readonly other: {
    readonly value: Value;
    readonly cell: string;
    /** Whether another cell of the table has the value, which then is of that cell. */
    readonly isOfTable: boolean;
  } | null;
}

/** Whether a text gives a value. */
export function hasValue(text: string, value: Value): boolean {
  switch (value.kind) {
    case "number":
      return numberOccurrence(value.quantity, quantitiesIn(normalize(text)), [], false) !== "no";
    case "date":
      return isAmongDates(value.readings, datesIn(text).dates.flat());
    case "name":
    case "code":
      return alphanumeric(text).includes(alphanumeric(value.text));
  }
}

const opensWithNumber = /^[\p{Sc}\s(–+-]{0,4}\p{N}/u;

/** Whether a cell names its row: the first one, and each that is not an amount or a date. */
const isLabel = (cell: string, column: number): boolean =>
  cell !== "" && (column === 0 || (/\p{L}/u.test(cell) && !opensWithNumber.test(cell)));

/** Whether the first cells of a table only number its rows: whole numbers in order, each before the row's name. */
const areNumbered = ({ rows }: TextTable): boolean =>
  rows.every(
    ({ cells: [first = "", second = ""] }, at) =>
      /^\d{1,6}$/.test(first) &&
      !isYear(first) &&
      Number(first) > Number(rows[at - 1]?.cells[0] ?? -1) &&
      isLabel(second, 1),
  );

/** Words of a label, and its codes; `IT` is also a small word, so words without content count as they are. */
function termsOf(label: string): readonly string[] {
  const own = contentTerms(label);
  return [...new Set([...(own.length > 0 ? own : words(label)), ...codesWritten(label).map(alphanumeric)])];
}

/** How a statement names a row. */
function named(said: Said, row: TableRow, table: TextTable): NamedRow {
  const all = [...row.cells.entries(), [-1, row.group] as const].filter(([at, cell]) => isLabel(cell, at));
  const told = all.flatMap(([at, cell]) => {
    const own = termsOf(cell);
    const held = own.filter((word) => said.words.has(word));
    const isWhole =
      held.length === own.length || (said.squashed.includes(alphanumeric(cell)) && cell.length > 3);
    return held.length === 0 && !isWhole ? [] : [{ at, own, held: isWhole ? own : held, isWhole }];
  });
  const held = new Set(told.flatMap((each) => each.held));
  const missing = new Set(told.flatMap((each) => each.own)).difference(held);
  return {
    row,
    table,
    labels: told.some(({ isWhole }) => isWhole) ? told.map(({ at }) => at) : [],
    held: held.size,
    missing: missing.size,
  };
}

/** The rows whose labels have most of a statement's words, and of these those with fewest others. */
function bestOf(all: readonly NamedRow[]): readonly NamedRow[] {
  const most = Math.max(0, ...all.map(({ held }) => held));
  const best = all.filter(({ held }) => held === most);
  const least = Math.min(...best.map(({ missing }) => missing));
  return best.filter(({ missing }) => missing === least);
}

const headOf = ({ heads }: TextTable, column: number): string => heads[column]?.join(" ") ?? "";

/** Last month in which a year may end that is called after the year before. */
const lastOfYearBefore = 6;

/** Words of a column's header; the end of a business year is also of the year before. */
function termsOfHead(head: string): ReadonlySet<string> {
  const ends = datesIn(head).dates.flat();
  const before = ends.flatMap(({ year, month, day }) =>
    year !== null && day !== null && month <= lastOfYearBefore ? [`${year - 1}`] : [],
  );
  return new Set([...termsOf(head), ...before]);
}

/** The columns whose headers have most of a statement's words that set them apart; none if it has no such word. */
function namedColumns(
  { text, words: own }: Said,
  { heads }: TextTable,
  open: readonly number[],
): readonly number[] {
  const months = monthsIn(text);
  // A header over several columns may be in the cell of only one of them; it is above those that are in each.
  const lines = Math.min(...open.map((at) => heads[at]?.length ?? 0));
  const columns = open.map((at) => {
    const head = (heads[at] ?? []).slice(-lines).join(" ");
    return { at, terms: termsOfHead(head), months: monthsIn(head) };
  });
  const counted = columns.map(({ at, terms, months: of }) => {
    const apart = [...terms].filter(
      (term) => columns.length === 1 || columns.some((other) => !other.terms.has(term)),
    );
    const held = apart.filter((term) => own.has(term)).length;
    return { at, held: held + (of.isDisjointFrom(months) ? 0 : 1) };
  });
  const most = Math.max(0, ...counted.map(({ held }) => held));
  return most === 0 ? [] : counted.filter(({ held }) => held === most).map(({ at }) => at);
}

/** Whether a cell is one of the kind of a value. */
const isFit = (cell: string, { kind }: Value): boolean =>
  kind === "number"
    ? quantitiesIn(normalize(cell)).length > 0 && datesIn(cell).dates.length === 0
    : kind === "date"
      ? datesIn(cell).dates.length > 0
      : /\p{L}/u.test(cell);

/** Whether another row's cell in a column gives a value. */
const isOfColumn = (value: Value, { table, row }: NamedRow, column: number): boolean =>
  table.rows.some((other) => other !== row && hasValue(other.cells[column] ?? "", value));

/** Whether a statement tells what the cells of a column are, beside naming their unit. */
function tellsColumn(value: Value, { words: own }: Said, table: TextTable, column: number): boolean {
  const ofUnit = value.kind === "number" ? termsOfUnit(value.quantity.unit) : new Set<string>();
  const told = contentTerms(`${headOf(table, column)} ${table.around} ${table.headings}`);
  return told.some((term) => own.has(term) && !ofUnit.has(term) && !isNumber(term));
}

/** Columns of a row that may hold a value instead of which the statement gives it. */
function columnsFor(value: Value, said: Said, of: NamedRow): readonly number[] {
  const { row, table, labels } = of;
  const open = row.cells.flatMap((cell, at) => (!labels.includes(at) && isFit(cell, value) ? [at] : []));
  const own = namedColumns(said, table, open);
  if (own.length > 0) return own;
  const alike = open.filter((at) => isOfColumn(value, of, at));
  if (value.kind !== "number") return alike;
  const [only] = open.length === 1 ? open : [];
  return [...new Set([...alike, ...(only === undefined ? [] : [only])])].filter((at) =>
    tellsColumn(value, said, table, at),
  );
}

/** Whether the labels of a row, its table's header or the text around it give a value. */
const isNaming = (value: Value, { row, table, labels }: NamedRow, heads: string): boolean =>
  [
    ...labels.map((at) => row.cells[at] ?? row.group),
    ...[...table.heads.flat(), table.around, table.headings, heads],
  ].some((text) => hasValue(text, value)) ||
  (value.kind === "date" &&
    value.readings.some(
      ({ month, day }) => day === null && monthsIn(`${row.text} ${table.header.join(" ")}`).has(month),
    ));

/** The cell of a row that has something else than a value; null if its cell has the value, "?" if it has no certain cell. */
function cellAgainst(value: Value, said: Said, of: NamedRow): string | null | undefined {
  const [column, ...others] = columnsFor(value, said, of);
  const has = (at: number): boolean => hasValue(of.row.cells[at] ?? "", value);
  if (column === undefined || others.length > 0)
    return of.row.cells.some((_, at) => has(at)) ? null : undefined;
  return has(column) ? null : of.row.cells[column];
}

/**
 * What the row that a statement names says about it: the one whose labels have most of its words. Null if it names none, or
 * several, or a value of it that is not in the row has no column: a number may then be of anything. `heads`: title and
 * headings of the passage.
 */
export function rowNamedBy(
  statement: string,
  tables: readonly TextTable[],
  heads: string,
): RowFinding | null {
  const text = withoutMarkup(statement);
  const said: Said = {
    text,
    words: new Set([...termsOf(text), ...words(text)]),
    squashed: alphanumeric(text),
    values: valuesOf(text),
  };
  const all = tables
    .flatMap((table) => table.rows.map((row) => named(said, row, table)))
    .filter(({ labels }) => labels.length > 0);
  const read = (of: NamedRow) => {
    const told = said.values.filter((value) => !isNaming(value, of, heads));
    return told.map((value) => ({ value, cell: cellAgainst(value, said, of) }));
  };
  const most = Math.max(0, ...all.map(({ held }) => held));
  const agreeing = all.find(
    (of) => of.held >= most * agreeingRowShare && read(of).every(({ cell }) => cell === null),
  );
  if (agreeing !== undefined) return { row: agreeing.row, table: agreeing.table, other: null };
  const [first, ...others] = bestOf(all);
  if (first === undefined || others.length > 0) return null;
  const { row, table, labels } = first;
  // A sheet's rows are of what its first column names, or the one after their numbers.
  const naming = areNumbered(table) ? 1 : row.cells.findIndex((cell) => cell !== "");
  if (!labels.includes(naming)) return null;
  const names = labels.map((at) => row.cells[at] ?? row.group).join(" ");
  if ([mentionsChange, mentionsAggregate].some((says) => says(text) && !says(names))) return null;
  for (const { value, cell } of read(first)) {
    if (cell === null || cell === undefined) continue;
    // What the row has is given too: the other value is of something else. The name beside a number is its unit.
    const isGiven = (each: Value): boolean => value.kind !== "number" || each.kind !== "name";
    if (said.values.some((each) => isGiven(each) && hasValue(cell, each))) continue;
    const isOfTable = table.rows.some(({ cells }) => cells.some((other) => hasValue(other, value)));
    return { row, table, other: { value, cell, isOfTable } };
  }
  return null;
}
