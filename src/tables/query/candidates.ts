import { languageOf } from "../../language/languages.ts";
import { canonicalUnit } from "../../language/units.ts";
import { type Column, isNumeric, type TableSchema } from "../schema.ts";
import { isLocation, labelOf } from "./conditions.ts";
import { asksForFigure, lessWords, mentionsDifference, moreWords } from "./figures.ts";
import {
  columnMentionTerms,
  type Matched,
  nameRoots,
  partialValue,
  tableStems,
  type ValueMatch,
  withValues,
} from "./match.ts";
import type { LocaleRules } from "./reading.ts";

/** Whether a word expresses a comparison of two values. */
const isComparing = ({ question }: Matched, { from, to }: Matched["words"][number]): boolean => {
  const word = question.slice(from, to);
  return moreWords.test(word) || lessWords.test(word) || mentionsDifference(word);
};
/** A table that may have the answer. */
export interface Candidate {
  readonly table: TableSchema;
  /** The question matched against this table, with only its values. */
  readonly matched: Matched;
  readonly columns: readonly { readonly column: Column; readonly by: readonly string[] }[];
  readonly tableNamed: boolean;
  /** Whether the question identifies the table: by its name, or by two columns. */
  readonly isTold: boolean;
  /** Words that match none of its columns, values or names. */
  readonly unexplained: Matched["words"];
  /** Whether every value identifies a row, such as a state in the table of states. */
  readonly valuesAreRows: boolean;
}

/** Whether a word of the question has a meaning that a query would have to express. */
const isTelling = (word: string, { isSilent }: LocaleRules): boolean =>
  !isSilent(word) && word.length > 1 && !/^\d/.test(word);

function candidate(table: TableSchema, matched: Matched, tables: readonly TableSchema[]): Candidate {
  const { reading, roots } = matched;
  const columns = table.columns
    .map((column) => ({ column, by: columnMentionTerms(column, table, roots, reading) }))
    .filter(({ by }) => by.length > 0);
  const own = tableStems(table, reading);
  const telling = own.filter((word) => isTelling(word, reading));
  const tableNamed = (telling.length > 0 ? telling : own).some((word) => roots.includes(word));
  const units = new Set(
    columns
      .filter(({ column }) => isNumeric(column))
      .map(({ column }) => canonicalUnit(column.unit.toLowerCase())),
  );
  const isUnit = (word: string): boolean => units.has(matched.units.get(word) || "none");
  const valueColumns = matched.values.flatMap(({ places }) =>
    places
      .filter((place) => place.table === table.name)
      .flatMap(({ column: name }) => table.columns.filter((column) => column.name === name)),
  );
  const explained = new Set([
    ...columns.flatMap(({ by }) => by),
    ...own,
    ...valueColumns.flatMap(({ title, name }) => [...nameRoots(title, reading), ...nameRoots(name, reading)]),
  ]);
  const unexplained = matched.words.filter(
    (word) =>
      isTelling(word.root, reading) &&
      !isUnit(word.root) &&
      !explained.has(word.root) &&
      !matched.times.has(word.from) &&
      !isComparing(matched, word),
  );
  const label = labelOf(table, reading)?.name;
  const valuesAreRows = matched.values.every(({ places }) =>
    places.some((place) => place.table === table.name && place.column === label),
  );
  // A column named after another table, such as `state_name`, does not decide between the two.
  const named = new Set(
    tables.filter((other) => other !== table).flatMap((other) => tableStems(other, reading)),
  );
  const words = columns.map(({ by }) => by.filter((word) => !named.has(word)).join(" "));
  const isTold = tableNamed || new Set(words.filter((word) => word !== "")).size > 1;
  return { table, matched, columns, tableNamed, isTold, unexplained, valuesAreRows };
}

/** The values of a question that occur in a table, and variants without one that matches a column name. */
function valuesOf(table: TableSchema, { values, reading }: Matched): readonly (readonly ValueMatch[])[] {
  const own = values.filter(({ places }) => places.some((place) => place.table === table.name));
  const isHeading = ({ phrase }: ValueMatch): boolean => {
    const roots = nameRoots(phrase, reading);
    return table.columns.some(({ title }) => {
      const all = nameRoots(title, reading);
      return roots.length > 0 && roots.every((root) => all.includes(root));
    });
  };
  const headings = own.filter(isHeading);
  return [own, ...headings.map((one) => own.filter((value) => value !== one))];
}

/** Groups words that are adjacent in the question. */
function runsOf(words: Matched["words"], { question, reading }: Matched): readonly Matched["words"][] {
  const runs: Matched["words"][number][][] = [];
  for (const word of words) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    const between = before === undefined ? "" : question.slice(before.to, word.from);
    if (last !== undefined && reading.rootsOf(between).every((root) => reading.isSilent(root)))
      last.push(word);
    else runs.push([word]);
  }
  return runs;
}

/** Adds values that the question names only in part: `France`. */
function withParts(entry: Candidate, tables: readonly TableSchema[]): Candidate {
  const found = runsOf(entry.unexplained, entry.matched).flatMap(
    (run) => partialValue(entry.matched, entry.table, run) ?? [],
  );
  if (found.length === 0) return entry;
  return candidate(entry.table, withValues(entry.matched, [...entry.matched.values, ...found]), tables);
}

/**
 * Drops a question's opening noun for the rows, such as the companies of `How many companies are in the
 * energy sector`, if nothing in the table has it and it names nothing of another table.
 */
function withoutSubject(entry: Candidate, tables: readonly TableSchema[]): Candidate {
  const { matched, unexplained, table, columns } = entry;
  const { reading } = matched;
  const [subject, ...others] = unexplained;
  const [first] = matched.words.filter(({ root }) => !reading.isSilent(root));
  // A name is no kind of row.
  const isName =
    !languageOf(reading.language).capitalizesNouns &&
    (subject?.from ?? 0) > 0 &&
    /^\p{Lu}/u.test(matched.question.slice(subject?.from));
  if (
    subject === undefined ||
    others.length > 0 ||
    first !== subject ||
    isName ||
    !asksForFigure(matched.question)
  )
    return entry;
  const isElsewhere = tables.some(
    (other) =>
      tableStems(other, reading).includes(subject.root) ||
      other.columns.some(({ title }) => nameRoots(title, reading).includes(subject.root)),
  );
  const isOnly = tables.length === 1 || matched.values.length + columns.length > 1;
  // `How many employees does Microsoft have` counts something without a column, not rows.
  const isOfRows =
    columns.length > 0 || matched.values.some(({ from }) => isLocation(matched.question, from));
  return isElsewhere || !isOnly || !isOfRows || labelOf(table, reading) === undefined
    ? entry
    : { ...entry, unexplained: [], tableNamed: !columns.some(({ column }) => isNumeric(column)) };
}

const rank = (entry: Candidate): number =>
  Number(entry.tableNamed) * 4 + entry.columns.length * 2 + Number(entry.valuesAreRows);

/**
 * The interpretations of a question in which one table explains every meaningful word, best first; none if
 * two tables explain it equally well.
 */
export function listInterpretations(matched: Matched, tables: readonly TableSchema[]): readonly Candidate[] {
  const entries = tables
    .flatMap((table) =>
      valuesOf(table, matched).map((values) => candidate(table, withValues(matched, values), tables)),
    )
    .map((entry) => (entry.unexplained.length === 0 ? entry : withParts(entry, tables)))
    .map((entry) => (entry.unexplained.length === 0 ? entry : withoutSubject(entry, tables)))
    .filter(
      (entry) =>
        entry.unexplained.length === 0 &&
        (entry.isTold ||
          ((entry.columns.length > 0 || entry.matched.values.length > 0) &&
            (entry.valuesAreRows || tables.length === 1))),
    )
    .toSorted((a, b) => rank(b) - rank(a));
  const [best] = entries;
  const second = entries.find(({ table }) => table !== best?.table);
  return best !== undefined && second !== undefined && rank(best) === rank(second) ? [] : entries;
}
