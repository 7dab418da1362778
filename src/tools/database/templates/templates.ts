import { alternatives, anyApart, languages } from "../../../language/languages.ts";
import type { LanguageCode } from "../../../language/lexicons/language.ts";
import { sheetWords } from "../../../language/sheets/sheets.ts";
import type { Figure } from "../../../language/sheets/words.ts";
import { unitNamed } from "../../../language/units.ts";
import { quotedIfNeeded } from "../names.ts";
import { type Column, numeric, type TableSchema } from "../source.ts";
import { type Condition, columnsOf, conditionsOf, labelOf, rowName, whereOf } from "./conditions.ts";
import { type Matched, matchQuestion, namedBy, nameRoots, tableRoots } from "./match.ts";
import { type Reading, readingOf } from "./reading.ts";

/** How a question wants its rows put together. */
export type Wanted = Figure | "rows";

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
  /** The language of the question. */
  readonly language: LanguageCode;
}

/** What a question wants of a selection. */
type Chosen = Pick<Template, "sql" | "wanted" | "columns">;

const allWords = Object.values(sheetWords);
const most = alternatives(({ cells }) => cells?.most);
const least = alternatives(({ cells }) => cells?.least);
const superlative = `${most}|${least}`;

/** The words of each language's questions, with its superlatives. */
const ranking = languages.flatMap(({ code, cells }) =>
  cells === undefined ? [] : [{ ...sheetWords[code], extremes: `${cells.most}|${cells.least}` }],
);

const forms: readonly (readonly [Figure, RegExp])[] = [
  ["avg", anyApart(allWords.map(({ figures }) => figures.avg).join("|"))],
  ["sum", anyApart(allWords.map(({ figures }) => figures.sum).join("|"))],
  ["max", anyApart(`${most}|${allWords.map(({ figures }) => figures.max).join("|")}`)],
  ["min", anyApart(`${least}|${allWords.map(({ figures }) => figures.min).join("|")}`)],
  ["count", anyApart(allWords.map(({ figures }) => figures.count).join("|"))],
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

/** Whether a word of the question says something that a query would have to express. */
const isTelling = (word: string, { isSilent }: Reading): boolean => !isSilent(word) && word.length > 1;

function candidate(table: TableSchema, matched: Matched, tables: readonly TableSchema[]): Candidate | null {
  if (!matched.values.every(({ places }) => places.some((place) => place.table === table.name))) return null;
  const { reading, roots } = matched;
  const columns = table.columns
    .map((column) => ({ column, by: namedBy(column, table, roots, reading) }))
    .filter(({ by }) => by.length > 0);
  const own = tableRoots(table, reading);
  const telling = own.filter((word) => isTelling(word, reading));
  const tableNamed = (telling.length > 0 ? telling : own).some((word) => roots.includes(word));
  const units = new Set(
    columns.filter(({ column }) => numeric(column)).map(({ column }) => unitNamed(column.unit.toLowerCase())),
  );
  const isUnit = (word: string): boolean => units.has(matched.units.get(word) || "none");
  const explained = new Set([...columns.flatMap(({ by }) => by), ...(tableNamed ? own : [])]);
  const valueColumns = new Set(
    matched.values.flatMap(({ places }) =>
      places
        .filter((place) => place.table === table.name)
        .flatMap((place) => nameRoots(place.column, reading)),
    ),
  );
  const unexplained = roots.filter(
    (word) =>
      isTelling(word, reading) &&
      !isUnit(word) &&
      !explained.has(word) &&
      !valueColumns.has(word) &&
      !own.includes(word),
  );
  const label = labelOf(table, reading)?.name;
  const valuesAreRows = matched.values.every(({ places }) =>
    places.some((place) => place.table === table.name && place.column === label),
  );
  // A column called after another table, as `state_name` is, leaves open which of the two is meant.
  const named = new Set(
    tables.filter((other) => other !== table).flatMap((other) => tableRoots(other, reading)),
  );
  const words = columns.map(({ by }) => by.filter((word) => !named.has(word)).join(" "));
  const isTold = tableNamed || new Set(words.filter((word) => word !== "")).size > 1;
  return { table, columns, tableNamed, isTold, unexplained, valuesAreRows };
}

/** What a SELECT over one table is made from. */
interface Selection extends Candidate {
  readonly question: string;
  readonly reading: Reading;
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

/** What stands before what is counted: `how many meters`. */
const counting = anyApart(allWords.map((each) => each.counting).join("|"));

/** The column of numbers that is called as what a question counts, which is then no number of rows. */
function countedColumn({ question, table, conditions, reading, free }: Selection): Column | undefined {
  const found = counting.exec(question);
  if (found === null) return undefined;
  const behind = `${nameRoots(question.slice(found.index + found[0].length), reading).join(" ")} `;
  const isCounted = (roots: readonly string[]): boolean => behind.startsWith(`${roots.join(" ")} `);
  /** `Anzahl` may head a column. */
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

/** A sum or an average of a column. */
const figureSql = (wanted: "sum" | "avg", column: Column, selection: Selection): Chosen => ({
  sql: `SELECT ${wanted}(${quotedIfNeeded(column.name)}) ${fromClause(selection)}`,
  wanted,
  columns: [column],
});

/** "the population of the largest state" ranks by something else than what it asks for. */
const ranksAnother = ranking.map(
  ({ beforeRanked, extremes }) => new RegExp(`(?<!\\p{L})(?:${beforeRanked})(?:${extremes})(?!\\p{L})`, "iu"),
);
const extremeAsked = ranking.map(
  ({ asksExtreme, extremes }) => new RegExp(`^\\s{0,2}(?:${asksExtreme})(?:${extremes})(?!\\p{L})`, "iu"),
);

/** Whether a question begins with the end of a column that it asks for: `What is the highest order amount`. */
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

/** The column that rows are ranked by; null where the question leaves it open. */
function rankedColumn(selection: Selection): Column | null {
  const { table, tableNamed, isTold, question, free, isOnlyTable, reading } = selection;
  const measures = free.filter(numeric);
  if (measures.length > 1 || !(isTold || isOnlyTable)) return null;
  const [measured] = measures;
  const isAsked = measured === undefined || asksExtremeOf(measured, selection);
  if (!isAsked && tableNamed && ranksAnother.some((pattern) => pattern.test(question))) return null;
  return measured ?? free.find((column) => column.type === "date") ?? onlyMeasure(table, reading);
}

/** The rows that have the largest or smallest value. */
function extremeSql(wanted: "max" | "min", selection: Selection): Chosen | null {
  const { table, where, free, reading } = selection;
  const ranked = rankedColumn(selection);
  if (ranked === null) return null;
  const name = quotedIfNeeded(ranked.name);
  const from = fromClause(selection);
  const others = free.filter((column) => column !== ranked && !numeric(column));
  const label = rowName(table, reading) ?? ranked;
  const columns = [...new Set([...(others.length > 0 ? others : [label]), ranked])];
  const condition = `${name} = (SELECT ${wanted}(${name}) ${from})`;
  const sql = `SELECT ${listOf(columns)} ${from}${where === "" ? " WHERE " : " AND "}${condition}`;
  return { sql, wanted, columns };
}

/** The columns that are asked for, of the rows that the conditions pick, with those that are compared. */
function rowsSql(selection: Selection): Chosen | null {
  const { table, tableNamed, where, free, conditions, reading } = selection;
  if (where === "") return null;
  const label = rowName(table, reading);
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

/** The one number of a table that says how big a row is. */
function onlyMeasure(table: TableSchema, reading: Reading): Column | null {
  const numbers = table.columns.filter(
    (column) => numeric(column) && !reading.identifiers.has(nameRoots(column.title, reading).at(-1) ?? ""),
  );
  return numbers.length === 1 ? (numbers[0] ?? null) : null;
}

const notPlain = anyApart(allWords.map(({ beyond }) => beyond).join("|"));
const superlatives = new RegExp(`(?<!\\p{L})(?:${superlative})(?!\\p{L})`, "giu");
const comparatives = anyApart(
  `${alternatives(({ cells }) => cells?.more)}|${alternatives(({ cells }) => cells?.less)}`,
);

/** Whether a question compares something, be it with an amount or with another row; `plus élevé` also ranks. */
const compares = (question: string): boolean => comparatives.test(question.replaceAll(superlatives, " "));

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
  // `A higher pressure than P-101` is no condition of a plain selection.
  if (!isCompared && compares(question)) return null;
  const form = forms.find(([, pattern]) => pattern.test(asked))?.[0] ?? "rows";
  const wanted = isCompared && (form === "max" || form === "min") ? "rows" : form;
  const where = whereOf(conditions);
  const { reading } = matched;
  const selection = { ...entry, table, question, reading, where, conditions, free, isOnlyTable };
  const chosen = choose(wanted, selection);
  if (chosen === null) return null;
  const basis = basisSql(chosen, selection);
  return { ...chosen, table, conditions, language: reading.language, ...(basis === null ? {} : { basis }) };
}

/**
 * A SELECT for the plain cases, without a model: count, sum, average, largest, smallest, or columns of the
 * rows that a value of the question picks. Null unless one table explains every telling word of the question.
 */
export function templateFor(asked: string, tables: readonly TableSchema[]): Template | null {
  const reading = readingOf(asked);
  const question = reading.apart(asked.normalize("NFC"));
  // Two superlatives rank two things, one inside the other.
  if (notPlain.test(question) || (question.match(superlatives) ?? []).length > 1) return null;
  const matched = matchQuestion(question, tables, reading);
  for (const entry of candidates(matched, tables)) {
    const template = templateOver(entry, question, matched, tables.length === 1);
    if (template !== null) return template;
  }
  return null;
}
