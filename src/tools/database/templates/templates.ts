import { quotedIfNeeded } from "../names.ts";
import { type Column, numeric, type TableSchema } from "../source.ts";
import { type Condition, columnsOf, conditionsOf, labelOf, rowName, whereOf } from "./conditions.ts";
import { type Matched, matchQuestion, namedBy, nameStems, stem, telling } from "./match.ts";

/** How a question wants its rows put together. */
export type Wanted = "count" | "sum" | "avg" | "max" | "min" | "rows";

/** A SELECT with what it says, for telling its result in words. */
export interface Template {
  readonly sql: string;
  /** The rows that a figure rests on, where the result does not show them. */
  readonly basis?: string;
  readonly wanted: Wanted;
  readonly table: TableSchema;
  readonly conditions: readonly Condition[];
  /** The columns of the result in order; of a count none. */
  readonly columns: readonly Column[];
}

/** What a question wants of a selection. */
type Chosen = Pick<Template, "sql" | "wanted" | "columns">;

const forms: readonly (readonly [Wanted, RegExp])[] = [
  ["avg", /\b(average|mean|avg|on average)\b|trung bình/i],
  ["sum", /\b(total|sum|altogether|combined|overall)\b|tổng/i],
  [
    "max",
    /\b(highest|largest|biggest|maximum|max|most|greatest|longest|tallest|latest|newest|heaviest|fastest|top)\b|cao nhất|lớn nhất|nhiều nhất/i,
  ],
  [
    "min",
    /\b(lowest|smallest|minimum|min|least|fewest|shortest|cheapest|oldest|lightest)\b|thấp nhất|nhỏ nhất|ít nhất/i,
  ],
  ["count", /\b(how many|number of|count)\b|bao nhiêu/i],
];

/** Whether a question asks for a count, sum, average or extreme. */
export const asksForFigure = (question: string): boolean =>
  forms.some(([, pattern]) => pattern.test(question.slice(0, 2000)));

interface Candidate {
  readonly table: TableSchema;
  readonly columns: readonly { readonly column: Column; readonly by: readonly string[] }[];
  readonly tableNamed: boolean;
  /** Whether the question tells it from others: by its name, or by two columns. */
  readonly isTold: boolean;
  /** Words that no column, value or table of it explains. */
  readonly unexplained: readonly string[];
  /** Whether every value names a row of it, such as a state in the table of states. */
  readonly valuesAreRows: boolean;
}

function candidate(table: TableSchema, matched: Matched, tables: readonly TableSchema[]): Candidate | null {
  if (!matched.values.every(({ places }) => places.some((place) => place.table === table.name))) return null;
  const columns = table.columns
    .map((column) => ({ column, by: namedBy(column, table, matched.stems) }))
    .filter(({ by }) => by.length > 0);
  const own = nameStems(table.name);
  const tableNamed =
    own.some((word) => matched.stems.includes(word)) ||
    (own.length > 1 && own.slice(0, 1).some((word) => matched.stems.includes(word)));
  const explained = new Set([...columns.flatMap(({ by }) => by), ...(tableNamed ? own : [])]);
  const valueColumns = new Set(
    matched.values.flatMap(({ places }) =>
      places.filter((place) => place.table === table.name).flatMap((place) => nameStems(place.column)),
    ),
  );
  const unexplained = matched.stems.filter(
    (word) => telling(word) && !explained.has(word) && !valueColumns.has(word) && !own.includes(word),
  );
  const label = labelOf(table)?.name;
  const valuesAreRows = matched.values.every(({ places }) =>
    places.some((place) => place.table === table.name && place.column === label),
  );
  // A column called after another table, as `state_name` is, leaves open which of the two is meant.
  const named = new Set(tables.filter((other) => other !== table).flatMap(({ name }) => nameStems(name)));
  const words = columns.map(({ by }) => by.filter((word) => !named.has(word)).join(" "));
  const isTold = tableNamed || new Set(words.filter((word) => word !== "")).size > 1;
  return { table, columns, tableNamed, isTold, unexplained, valuesAreRows };
}

/** What a SELECT over one table is made from. */
interface Selection extends Candidate {
  readonly question: string;
  readonly conditions: readonly Condition[];
  /** ` WHERE …`; "" for all rows. */
  readonly where: string;
  /** Columns that are asked for: those the question names and sets no condition on. */
  readonly free: readonly Column[];
  /** Whether there is no other table. */
  readonly isOnlyTable: boolean;
}

const fromClause = ({ table, where }: Selection): string => `FROM ${quotedIfNeeded(table.name)}${where}`;
const listOf = (columns: readonly Column[]): string =>
  [...new Set(columns)].map((column) => quotedIfNeeded(column.name)).join(", ");

/** The words that say what is counted: `how many meters`. */
const countedWord = /\b(?:how many|number of)\s+(\p{L}+)/iu;

/** The column of numbers that is called as what a question counts, which is then no number of rows. */
function countedColumn({ question, table, conditions }: Selection): Column | undefined {
  const word = stem(countedWord.exec(question)?.[1] ?? "");
  return table.columns.find(
    (column) =>
      numeric(column) &&
      column !== rowName(table) &&
      nameStems(column.title).join(" ") === word &&
      !columnsOf(conditions).includes(column),
  );
}

function countSql(selection: Selection): Chosen | null {
  const { table, tableNamed, columns, where, free, conditions } = selection;
  const counted = countedColumn(selection);
  const isOneRow = conditions.some(({ column, sign }) => sign === "=" && column === labelOf(table));
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

/** A sum or an average of a column. */
const figureSql = (wanted: "sum" | "avg", column: Column, selection: Selection): Chosen => ({
  sql: `SELECT ${wanted}(${quotedIfNeeded(column.name)}) ${fromClause(selection)}`,
  wanted,
  columns: [column],
});

/** "the population of the largest state" ranks by something else than what it asks for. */
const ranksAnother =
  /\b(?:of|in|for|does|is|are) (?:the )?(?:highest|lowest|largest|smallest|biggest|greatest|oldest|newest)\b/i;

const asksExtreme =
  /^\s*(?:what|how)(?:'s| is| was| are)?\s+(?:the\s+)?(?:highest|largest|biggest|maximum|lowest|smallest|minimum|most|least)\b/i;

/** Whether a question begins with the end of a column that it asks for: `What is the highest order amount`. */
function asksExtremeOf(column: Column, { question, table }: Selection): boolean {
  const opening = asksExtreme.exec(question)?.[0];
  if (opening === undefined) return false;
  const own = nameStems(table.name);
  const next = nameStems(question.slice(opening.length)).find((word) => !own.includes(word));
  return next !== undefined && nameStems(column.title).includes(next);
}

/** The column that rows are ranked by; null where the question leaves it open. */
function rankedColumn(selection: Selection): Column | null {
  const { table, tableNamed, isTold, question, free, isOnlyTable } = selection;
  const measures = free.filter(numeric);
  if (measures.length > 1 || !(isTold || isOnlyTable)) return null;
  const [measured] = measures;
  const isAsked = measured === undefined || asksExtremeOf(measured, selection);
  if (!isAsked && tableNamed && ranksAnother.test(question)) return null;
  return measured ?? free.find((column) => column.type === "date") ?? onlyMeasure(table);
}

/** The rows that have the largest or smallest value. */
function extremeSql(wanted: "max" | "min", selection: Selection): Chosen | null {
  const { table, where, free } = selection;
  const ranked = rankedColumn(selection);
  if (ranked === null) return null;
  const name = quotedIfNeeded(ranked.name);
  const from = fromClause(selection);
  const others = free.filter((column) => column !== ranked && !numeric(column));
  const label = rowName(table) ?? ranked;
  const columns = [...new Set([...(others.length > 0 ? others : [label]), ranked])];
  const condition = `${name} = (SELECT ${wanted}(${name}) ${from})`;
  const sql = `SELECT ${listOf(columns)} ${from}${where === "" ? " WHERE " : " AND "}${condition}`;
  return { sql, wanted, columns };
}

/** The columns that are asked for, of the rows that the conditions pick, with those that are compared. */
function rowsSql(selection: Selection): Chosen | null {
  const { table, tableNamed, where, free, conditions } = selection;
  if (where === "") return null;
  const label = rowName(table);
  const asked = free.length > 0 || !tableNamed || label === undefined ? free : [label];
  const shown = [...asked, ...columnsOf(conditions.filter(({ value }) => typeof value !== "string"))];
  if (shown.length === 0) return null;
  const once =
    shown.every((column) => !numeric(column)) ||
    (label !== undefined && where.includes(` ${quotedIfNeeded(label.name)} = `));
  const sql = `SELECT ${once ? "DISTINCT " : ""}${listOf(shown)} ${fromClause(selection)}`;
  return { sql, wanted: "rows", columns: [...new Set(shown)] };
}

/** The SELECT of what is wanted; null where the question asks for something else. */
function choose(wanted: Wanted, selection: Selection): Chosen | null {
  if (wanted === "count") return countSql(selection);
  if (wanted === "max" || wanted === "min") return extremeSql(wanted, selection);
  if (wanted === "rows") return rowsSql(selection);
  const measured = selection.free.find(numeric);
  return measured === undefined ? null : figureSql(wanted, measured, selection);
}

/** The rows that a count, a sum or an average is made of, by their label, the figure and what picks them. */
function basisSql({ wanted, columns }: Chosen, selection: Selection): string | null {
  if (wanted !== "count" && wanted !== "sum" && wanted !== "avg") return null;
  const label = rowName(selection.table);
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

/** The one number of a table that says how big a row is. */
function onlyMeasure(table: TableSchema): Column | null {
  const numbers = table.columns.filter(
    (column) => numeric(column) && !/(^|_)(id|no|number|code|year|zip)$/i.test(column.name),
  );
  return numbers.length === 1 ? (numbers[0] ?? null) : null;
}

const notPlain = /\b(not|no|without|except|than the|neither|never|per|each|average of the|other than)\b/i;
const superlatives =
  /\b(?:highest|lowest|largest|smallest|biggest|longest|shortest|most|least|greatest|fewest|tallest|maximum|minimum)\b/gi;

const rank = (entry: Candidate): number =>
  Number(entry.tableNamed) * 4 + entry.columns.length * 2 + Number(entry.valuesAreRows);

/**
 * The tables that explain every telling word, best first; none where two explain the question equally well.
 */
function candidates(matched: Matched, tables: readonly TableSchema[]): readonly Candidate[] {
  const [best, second, ...others] = tables
    .map((table) => candidate(table, matched, tables))
    .filter((entry) => entry !== null)
    .filter(
      (entry) =>
        entry.unexplained.length === 0 &&
        (entry.isTold || (entry.columns.length > 0 && (entry.valuesAreRows || tables.length === 1))),
    )
    .toSorted((a, b) => rank(b) - rank(a));
  if (best === undefined || second === undefined) return best === undefined ? [] : [best];
  return rank(best) === rank(second) ? [] : [best, second, ...others];
}

/** A SELECT over one table; null where it cannot say what the question asks. */
function templateOver(
  { table, ...entry }: Candidate,
  question: string,
  matched: Matched,
  isOnlyTable: boolean,
): Template | null {
  const named = entry.columns.map(({ column }) => column);
  const set = conditionsOf(question, matched, table, named);
  if (set === null) return null;
  const { conditions, free, asked, isCompared } = set;
  const form = forms.find(([, pattern]) => pattern.test(asked))?.[0] ?? "rows";
  const wanted = isCompared && (form === "max" || form === "min") ? "rows" : form;
  const where = whereOf(conditions);
  const selection = { ...entry, table, question, where, conditions, free, isOnlyTable };
  const chosen = choose(wanted, selection);
  if (chosen === null) return null;
  const basis = basisSql(chosen, selection);
  return { ...chosen, table, conditions, ...(basis === null ? {} : { basis }) };
}

/**
 * A SELECT for the plain cases, without a model: count, sum, average, largest, smallest, or columns of the
 * rows that a value of the question picks. Null unless one table explains every telling word of the question.
 */
export function templateFor(question: string, tables: readonly TableSchema[]): Template | null {
  // Two superlatives rank two things, one inside the other.
  if (notPlain.test(question) || (question.match(superlatives) ?? []).length > 1) return null;
  const matched = matchQuestion(question, tables);
  for (const entry of candidates(matched, tables)) {
    const template = templateOver(entry, question, matched, tables.length === 1);
    if (template !== null) return template;
  }
  return null;
}
