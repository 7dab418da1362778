import type { LanguageCode } from "../../language/schema/language.ts";
import type { Notes } from "../../language/schema/notes.ts";
import type { Figure } from "../../language/schema/questions.ts";
import { quotedIfNeeded } from "../names.ts";
import { type Column, isNumeric, isYearColumn, type TableSchema } from "../schema.ts";

/** Comparison operator. */
export type Sign = keyof Notes["sheets"]["conditions"];

/** A condition on a column. */
export interface Condition {
  readonly column: Column;
  readonly sign: Sign;
  /** A text, a number, or the column to compare with. */
  readonly value: string | Column;
}

/** What to find out about the rows of a table that meet conditions. */
export interface TableQuery {
  readonly table: TableSchema;
  readonly conditions: readonly Condition[];
  /** A figure, the row with the largest or smallest value, the rows themselves, or two of them to compare. */
  readonly wanted: Figure | "rows" | "change";
  /** The columns of the result, in order; none for a count. */
  readonly columns: readonly Column[];
  /** The column that names a row. */
  readonly label: Column | undefined;
  /** The language of the question. */
  readonly language: LanguageCode;
}

type Alternatives = readonly [Condition, ...Condition[]];

/** Groups equality conditions on the same column, which are alternatives; the groups must all hold. */
export function alternativesOf(conditions: readonly Condition[]): readonly Alternatives[] {
  const groups = Map.groupBy(conditions, (condition) =>
    condition.sign === "=" ? condition.column : condition,
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}

/** The columns used by conditions. */
export const columnsOf = (conditions: readonly Condition[]): readonly Column[] =>
  conditions.flatMap(({ column, value }) => (typeof value === "string" ? [column] : [column, value]));

const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const listOf = (columns: readonly Column[]): string =>
  [...new Set(columns)].map((column) => quotedIfNeeded(column.name)).join(", ");

function conditionSql([{ column, sign, value }, ...others]: Alternatives): string {
  const plain = quotedIfNeeded(column.name);
  // A time of the last day comes after that day.
  const name = column.hasTime === true ? `date(${plain})` : plain;
  if (others.length > 0)
    return `${name} IN (${[value, ...others.map((other) => other.value)].map((each) => literal(String(each))).join(", ")})`;
  const isText = typeof value === "string" && (sign === "=" || !isNumeric(column));
  const other = isText ? literal(value) : typeof value === "string" ? value : quotedIfNeeded(value.name);
  return `${name} ${sign} ${other}`;
}

/** `FROM … WHERE …`, with further conditions in SQL. */
function fromClause({ table, conditions }: TableQuery, ...more: readonly string[]): string {
  const all = [...alternativesOf(conditions).map(conditionSql), ...more];
  return `FROM ${quotedIfNeeded(table.name)}${all.length === 0 ? "" : ` WHERE ${all.join(" AND ")}`}`;
}

/** The SELECT of a query, for SQLite and PostgreSQL. */
export function toSql(query: TableQuery): string {
  const { table, wanted, columns, conditions, label } = query;
  const last = columns.at(-1);
  const from = fromClause(query);
  if (wanted === "count" || last === undefined) return `SELECT count(*) ${from}`;
  const name = quotedIfNeeded(last.name);
  if (wanted === "sum" || wanted === "avg") return `SELECT ${wanted}(${name}) ${from}`;
  if (wanted === "max" || wanted === "min")
    return `SELECT ${listOf(columns)} ${fromClause(query, `${name} = (SELECT ${wanted}(${name}) ${from})`)}`;
  const [first = last] = columns;
  if (wanted === "change")
    return `SELECT ${listOf(columns)} ${from}${isYearColumn(first, table) ? ` ORDER BY ${quotedIfNeeded(first.name)}` : ""}`;
  const isOneRow = alternativesOf(conditions).some(
    ([{ column, sign }, ...others]) => sign === "=" && column === label && others.length === 0,
  );
  const isOnce = isOneRow || columns.every((column) => !isNumeric(column));
  return `SELECT ${isOnce ? "DISTINCT " : ""}${listOf(columns)} ${from}`;
}

/**
 * Selects the rows behind a count, a sum or an average: their label, the figure and the columns of the
 * conditions; null for other results, which show their rows.
 */
export function supportingRowsSql(query: TableQuery): string | null {
  const { wanted, columns, conditions, label } = query;
  if (wanted !== "count" && wanted !== "sum" && wanted !== "avg") return null;
  const shown = [...(label === undefined ? [] : [label]), ...columns, ...columnsOf(conditions)];
  const filled = columns.map(({ name }) => `${quotedIfNeeded(name)} IS NOT NULL`);
  return shown.length === 0 ? null : `SELECT ${listOf(shown)} ${fromClause(query, ...filled)}`;
}
