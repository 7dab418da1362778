import { alternatives, languages, wordPattern } from "../../language/languages.ts";
import { type Column, isNumeric, isYearColumn, type TableSchema } from "../schema.ts";
import type { Candidate } from "./candidates.ts";
import { labelOf, rowName } from "./conditions.ts";
import { whichYear } from "./figures.ts";
import { nameRoots, tableStems } from "./match.ts";
import { alternativesOf, type Condition, columnsOf, type TableQuery } from "./query.ts";
import type { LocaleRules } from "./reading.ts";

/** What to find out, from which columns. */
export type Chosen = Pick<TableQuery, "wanted" | "columns">;

/** The superlatives of each language. */
const ranking = languages.flatMap(({ sheets, cells }) =>
  cells === undefined ? [] : [{ ...sheets, extremes: `${cells.most}|${cells.least}` }],
);

/** The inputs of a SELECT over one table. */
export interface Selection extends Candidate {
  readonly question: string;
  readonly reading: LocaleRules;
  readonly conditions: readonly Condition[];
  /** Columns that the question names without a condition: those it asks for. */
  readonly free: readonly Column[];
  /** Whether there is no other table. */
  readonly isOnlyTable: boolean;
}

/** Before the thing counted: `how many meters`. */
const counting = wordPattern(alternatives(({ sheets }) => sheets.counting));

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
      isNumeric(column) &&
      column !== rowName(table, reading) &&
      (isCounted(roots) || (free.includes(column) && isNumber(roots))) &&
      !columnsOf(conditions).includes(column)
    );
  });
}

function counted(selection: Selection): Chosen | null {
  const { table, tableNamed, columns, free, conditions, reading } = selection;
  const column = countedColumn(selection);
  const isOneRow = conditions.some((one) => one.sign === "=" && one.column === labelOf(table, reading));
  if (column !== undefined && !isOneRow) return { wanted: "sum", columns: [column] };
  const asked = column ?? (tableNamed ? undefined : free[0]);
  if (asked !== undefined && isNumeric(asked)) return { wanted: "rows", columns: [asked] };
  return tableNamed || (columns.length > 0 && conditions.length > 0)
    ? { wanted: "count", columns: [] }
    : null;
}

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
  const own = tableStems(table, reading);
  const next = nameRoots(question.slice(opening.length), reading).find((word) => !own.includes(word));
  const title = nameRoots(column.title, reading);
  const isSaid = nameRoots(opening, reading).some((word) => title.includes(word) && !reading.isSilent(word));
  return isSaid || (next !== undefined && title.includes(next));
}

/** The column to rank rows by; null if the question leaves it open. */
function rankedColumn(selection: Selection): Column | null {
  const { table, tableNamed, isTold, question, free, isOnlyTable, reading } = selection;
  const measures = free.filter((column) => isNumeric(column) && !isYearColumn(column, table));
  if (measures.length > 1 || !(isTold || isOnlyTable)) return null;
  const [measured] = measures;
  const isAsked = measured === undefined || asksExtremeOf(measured, selection);
  if (!isAsked && tableNamed && ranksAnother.some((pattern) => pattern.test(question))) return null;
  const time = free.find((column) => column.type === "date" || isYearColumn(column, table));
  const only = onlyMeasure(table, reading);
  // `In which year was it highest` ranks by the table's measure.
  return measured ?? (time !== undefined && whichYear.test(question) ? only : null) ?? time ?? only;
}

/** The rows with the largest or smallest value. */
function extreme(wanted: "max" | "min", selection: Selection): Chosen | null {
  const { table, free, reading } = selection;
  const ranked = rankedColumn(selection);
  if (ranked === null) return null;
  const others = free.filter(
    (column) => column !== ranked && (!isNumeric(column) || isYearColumn(column, table)),
  );
  const label = rowName(table, reading) ?? ranked;
  const time = whichYear.test(selection.question)
    ? table.columns.find((column) => isYearColumn(column, table))
    : undefined;
  const asked = others.length > 0 ? others : [label];
  return { wanted, columns: [...new Set([...(time === undefined ? [] : [time]), ...asked, ranked])] };
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
function found(selection: Selection): Chosen | null {
  const { table, tableNamed, free, conditions, reading } = selection;
  if (conditions.length === 0) return null;
  const label = rowName(table, reading);
  const isRow = conditions.some(({ column, sign }) => sign === "=" && column === label);
  const isPlain = isRow && tableNamed && free.length === 0 && !asksElse(selection);
  const measure = isPlain ? onlyMeasure(table, reading) : null;
  const asked =
    measure !== null ? [measure] : free.length > 0 || !tableNamed || label === undefined ? free : [label];
  const shown = [...asked, ...columnsOf(conditions.filter(({ value }) => typeof value !== "string"))];
  if (shown.length === 0) return null;
  return { wanted: "rows", columns: [...new Set(shown)] };
}

/** The two values to compare, with the column that distinguishes them. */
function compared(selection: Selection): Chosen | null {
  const { table, free, conditions, reading } = selection;
  const [pair] = alternativesOf(conditions).filter((each) => each.length === 2);
  const measures = free.filter((column) => isMeasure(column, table, reading));
  const measured = measures.length > 1 ? null : (measures[0] ?? onlyMeasure(table, reading));
  if (pair === undefined || measured === null) return null;
  return { wanted: "change", columns: [pair[0].column, measured] };
}

/** The columns for this result; null if the question asks for something else. */
export function buildSelect(wanted: TableQuery["wanted"], selection: Selection): Chosen | null {
  if (wanted === "count") return counted(selection);
  if (wanted === "max" || wanted === "min") return extreme(wanted, selection);
  if (wanted === "rows") return found(selection);
  if (wanted === "change") return compared(selection);
  const { free, table, reading } = selection;
  const measured = free.find((column) => isMeasure(column, table, reading)) ?? onlyMeasure(table, reading);
  return measured === null ? null : { wanted, columns: [measured] };
}

/** Whether a column is a measure: its numbers are neither years nor row numbers. */
const isMeasure = (column: Column, table: TableSchema, reading: LocaleRules): boolean =>
  isNumeric(column) &&
  !isYearColumn(column, table) &&
  !reading.identifiers.has(nameRoots(column.title, reading).at(-1) ?? "");

function onlyMeasure(table: TableSchema, reading: LocaleRules): Column | null {
  const [only, ...others] = table.columns.filter((column) => isMeasure(column, table, reading));
  return only !== undefined && others.length === 0 ? only : null;
}
