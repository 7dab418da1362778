import { alternatives, anyApart, languages } from "../../../language/languages.ts";
import { sheetWords } from "../../../language/sheets/sheets.ts";
import type { Figure } from "../../../language/sheets/words.ts";
import { quotedIfNeeded } from "../../../tables/names.ts";
import { type Column, numeric, type TableSchema } from "../../../tables/schema.ts";
import type { Candidate } from "./candidates.ts";
import { alternativesOf, type Condition, columnsOf, labelOf, numbersYears, rowName } from "./conditions.ts";
import { nameRoots, tableRoots } from "./match.ts";
import type { Reading } from "./reading.ts";

/** What to compute from the rows. */
export type Wanted = Figure | "rows" | "change";

/** The result that a question asks for. */
export interface Chosen {
  readonly sql: string;
  readonly wanted: Wanted;
  /** The columns of the result, in order; none for a count. */
  readonly columns: readonly Column[];
}

/** The superlatives of each language. */
const ranking = languages.flatMap(({ code, cells }) =>
  cells === undefined ? [] : [{ ...sheetWords[code], extremes: `${cells.most}|${cells.least}` }],
);

/** The inputs of a SELECT over one table. */
export interface Selection extends Candidate {
  readonly question: string;
  readonly reading: Reading;
  readonly conditions: readonly Condition[];
  /** ` WHERE …`; "" for all rows. */
  readonly where: string;
  /** Columns that the question names without a condition: those it asks for. */
  readonly free: readonly Column[];
  /** Whether there is no other table. */
  readonly isOnlyTable: boolean;
}

const fromClause = ({ table, where }: Selection): string => `FROM ${quotedIfNeeded(table.name)}${where}`;
const listOf = (columns: readonly Column[]): string =>
  [...new Set(columns)].map((column) => quotedIfNeeded(column.name)).join(", ");

/** Before the thing counted: `how many meters`. */
const counting = anyApart(
  Object.values(sheetWords)
    .map((each) => each.counting)
    .join("|"),
);

/**
 * The numeric column named after the thing counted, whose value is then used instead of the number of rows.
 */
function countedColumn({ question, table, conditions, reading, free }: Selection): Column | undefined {
  const found = counting.exec(question);
  if (found === null) return undefined;
  const behind = `${nameRoots(question.slice(found.index + found[0].length), reading).join(" ")} `;
  const isCounted = (roots: readonly string[]): boolean => behind.startsWith(`${roots.join(" ")} `);
  /** `Anzahl` may be a column heading. */
  const isNumber = (roots: readonly string[]): boolean =>
    roots.length > 0 && roots.every(reading.isSilent) && !reading.identifiers.has(roots.at(-1) ?? "");
  return table.columns.find((column) => {
    const roots = nameRoots(column.title, reading);
    return (
      numeric(column) &&
      column !== rowName(table, reading) &&
      (isCounted(roots) || (free.includes(column) && isNumber(roots))) &&
      !columnsOf(conditions).includes(column)
    );
  });
}

function countSql(selection: Selection): Chosen | null {
  const { table, tableNamed, columns, where, free, conditions, reading } = selection;
  const counted = countedColumn(selection);
  const isOneRow = conditions.some(({ column, sign }) => sign === "=" && column === labelOf(table, reading));
  if (counted !== undefined && !isOneRow) return figureSql("sum", counted, selection);
  const asked = counted ?? (tableNamed ? undefined : free[0]);
  if (asked !== undefined && numeric(asked))
    return {
      sql: `SELECT ${quotedIfNeeded(asked.name)} ${fromClause(selection)}`,
      wanted: "rows",
      columns: [asked],
    };
  return tableNamed || (columns.length > 0 && where !== "")
    ? { sql: `SELECT count(*) ${fromClause(selection)}`, wanted: "count", columns: [] }
    : null;
}

const figureSql = (wanted: "sum" | "avg", column: Column, selection: Selection): Chosen => ({
  sql: `SELECT ${wanted}(${quotedIfNeeded(column.name)}) ${fromClause(selection)}`,
  wanted,
  columns: [column],
});

const whichYear = anyApart(alternatives(({ cells }) => cells?.whichYear));
/** "the population of the largest state" ranks by something other than what it asks for. */
const ranksAnother = ranking.map(
  ({ beforeRanked, extremes }) => new RegExp(`(?<!\\p{L})(?:${beforeRanked})(?:${extremes})(?!\\p{L})`, "iu"),
);
const extremeAsked = ranking.map(
  ({ asksExtreme, extremes }) => new RegExp(`^\\s{0,2}(?:${asksExtreme})(?:${extremes})(?!\\p{L})`, "iu"),
);

/** Whether a question opens by asking for an extreme of this column: `What is the highest order amount`. */
function asksExtremeOf(column: Column, { question, table, reading }: Selection): boolean {
  const opening = extremeAsked
    .map((pattern) => pattern.exec(question)?.[0])
    .find((found) => found !== undefined);
  if (opening === undefined) return false;
  const own = tableRoots(table, reading);
  const next = nameRoots(question.slice(opening.length), reading).find((word) => !own.includes(word));
  const title = nameRoots(column.title, reading);
  const isSaid = nameRoots(opening, reading).some((word) => title.includes(word) && !reading.isSilent(word));
  return isSaid || (next !== undefined && title.includes(next));
}

/** The column to rank rows by; null if the question leaves it open. */
function rankedColumn(selection: Selection): Column | null {
  const { table, tableNamed, isTold, question, free, isOnlyTable, reading } = selection;
  const measures = free.filter((column) => numeric(column) && !numbersYears(column, table));
  if (measures.length > 1 || !(isTold || isOnlyTable)) return null;
  const [measured] = measures;
  const isAsked = measured === undefined || asksExtremeOf(measured, selection);
  if (!isAsked && tableNamed && ranksAnother.some((pattern) => pattern.test(question))) return null;
  const time = free.find((column) => column.type === "date" || numbersYears(column, table));
  const only = onlyMeasure(table, reading);
  // `In which year was it highest` ranks by the table's measure.
  return measured ?? (time !== undefined && whichYear.test(question) ? only : null) ?? time ?? only;
}

/** The rows with the largest or smallest value. */
function extremeSql(wanted: "max" | "min", selection: Selection): Chosen | null {
  const { table, where, free, reading } = selection;
  const ranked = rankedColumn(selection);
  if (ranked === null) return null;
  const name = quotedIfNeeded(ranked.name);
  const from = fromClause(selection);
  const others = free.filter(
    (column) => column !== ranked && (!numeric(column) || numbersYears(column, table)),
  );
  const label = rowName(table, reading) ?? ranked;
  const time = whichYear.test(selection.question)
    ? table.columns.find((column) => numbersYears(column, table))
    : undefined;
  const columns = [
    ...new Set([...(time === undefined ? [] : [time]), ...(others.length > 0 ? others : [label]), ranked]),
  ];
  const condition = `${name} = (SELECT ${wanted}(${name}) ${from})`;
  const sql = `SELECT ${listOf(columns)} ${from}${where === "" ? " WHERE " : " AND "}${condition}`;
  return { sql, wanted, columns };
}

/** Whether a question opens with a word such as `where` that no column answers. */
const asksElse = ({ matched: { words, reading }, columns }: Selection): boolean =>
  words.some(
    ({ root }) =>
      reading.isSilent(root) &&
      reading.meaningsOf(root).size > 0 &&
      !columns.some(({ by }) => by.includes(root)),
  );

/** The requested columns of the rows that meet the conditions, including compared columns. */
function rowsSql(selection: Selection): Chosen | null {
  const { table, tableNamed, where, free, conditions, reading } = selection;
  if (where === "") return null;
  const label = rowName(table, reading);
  const isRow = conditions.some(({ column, sign }) => sign === "=" && column === label);
  const isPlain = isRow && tableNamed && free.length === 0 && !asksElse(selection);
  const measure = isPlain ? onlyMeasure(table, reading) : null;
  const asked =
    measure !== null ? [measure] : free.length > 0 || !tableNamed || label === undefined ? free : [label];
  const shown = [...asked, ...columnsOf(conditions.filter(({ value }) => typeof value !== "string"))];
  if (shown.length === 0) return null;
  const once =
    shown.every((column) => !numeric(column)) ||
    (label !== undefined && where.includes(` ${quotedIfNeeded(label.name)} = `));
  const sql = `SELECT ${once ? "DISTINCT " : ""}${listOf(shown)} ${fromClause(selection)}`;
  return { sql, wanted: "rows", columns: [...new Set(shown)] };
}

/** The two values to compare, with the column that distinguishes them. */
function changeSql(selection: Selection): Chosen | null {
  const { table, free, conditions, reading } = selection;
  const [pair] = alternativesOf(conditions).filter((each) => each.length === 2);
  const measures = free.filter((column) => isMeasure(column, table, reading));
  const measured = measures.length > 1 ? null : (measures[0] ?? onlyMeasure(table, reading));
  if (pair === undefined || measured === null) return null;
  const columns = [pair[0].column, measured];
  const order = numbersYears(pair[0].column, table) ? ` ORDER BY ${quotedIfNeeded(pair[0].column.name)}` : "";
  return { sql: `SELECT ${listOf(columns)} ${fromClause(selection)}${order}`, wanted: "change", columns };
}

/** The SELECT for this result; null if the question asks for something else. */
export function choose(wanted: Wanted, selection: Selection): Chosen | null {
  if (wanted === "count") return countSql(selection);
  if (wanted === "max" || wanted === "min") return extremeSql(wanted, selection);
  if (wanted === "rows") return rowsSql(selection);
  if (wanted === "change") return changeSql(selection);
  const { free, table, reading } = selection;
  const measured = free.find((column) => isMeasure(column, table, reading)) ?? onlyMeasure(table, reading);
  return measured === null ? null : figureSql(wanted, measured, selection);
}

/**
 * Selects the rows behind a count, a sum or an average: their label, the figure and the columns of the
 * conditions.
 */
export function basisSql({ wanted, columns }: Chosen, selection: Selection): string | null {
  if (wanted !== "count" && wanted !== "sum" && wanted !== "avg") return null;
  const label = rowName(selection.table, selection.reading);
  const shown = listOf([
    ...(label === undefined ? [] : [label]),
    ...columns,
    ...columnsOf(selection.conditions),
  ]);
  const [measured] = columns;
  const filled =
    measured === undefined
      ? ""
      : `${selection.where === "" ? " WHERE" : " AND"} ${quotedIfNeeded(measured.name)} IS NOT NULL`;
  return shown === "" ? null : `SELECT ${shown} ${fromClause(selection)}${filled}`;
}

/** Whether a column is a measure: its numbers are neither years nor row numbers. */
const isMeasure = (column: Column, table: TableSchema, reading: Reading): boolean =>
  numeric(column) &&
  !numbersYears(column, table) &&
  !reading.identifiers.has(nameRoots(column.title, reading).at(-1) ?? "");

function onlyMeasure(table: TableSchema, reading: Reading): Column | null {
  const [only, ...others] = table.columns.filter((column) => isMeasure(column, table, reading));
  return only !== undefined && others.length === 0 ? only : null;
}
