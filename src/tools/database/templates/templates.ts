import { anyApart } from "../../../language/languages.ts";
import type { LanguageCode } from "../../../language/lexicons/language.ts";
import { sheetWords } from "../../../language/sheets/sheets.ts";
import type { Column, TableSchema } from "../source.ts";
import { type Candidate, candidates } from "./candidates.ts";
import { alternativesOf, type Condition, conditionsOf, whereOf } from "./conditions.ts";
import { changeWords, compares, forms, lessWords, moreWords, orWords, superlativesIn } from "./figures.ts";
import { matchQuestion } from "./match.ts";
import { readingOf } from "./reading.ts";
import { basisSql, type Chosen, choose } from "./select.ts";

/** A SELECT with what it says, for telling its result in words. */
export interface Template extends Chosen {
  /** The rows that a figure rests on, where the result does not show them. */
  readonly basis?: string;
  readonly table: TableSchema;
  readonly conditions: readonly Condition[];
  /** The language of the question. */
  readonly language: LanguageCode;
}

const notPlain = anyApart(
  Object.values(sheetWords)
    .map(({ beyond }) => beyond)
    .join("|"),
);

/** Whether conditions leave two values of one column open, each of one row or group. */
const isPair = (conditions: readonly Condition[]): boolean =>
  alternativesOf(conditions).filter((each) => each.length === 2).length === 1;

/** Which of two a question asks for, `A or B`; null for another question. */
function comparedOf(conditions: readonly Condition[], question: string): "max" | "min" | null {
  if (!isPair(conditions) || !orWords.test(question)) return null;
  const isMore =
    moreWords.test(question) || forms.some(([form, pattern]) => form === "max" && pattern.test(question));
  const isLess =
    lessWords.test(question) || forms.some(([form, pattern]) => form === "min" && pattern.test(question));
  return isMore === isLess ? null : isMore ? "max" : "min";
}

/** Whether a question asks how far two values lie apart: two years, or two rows. */
const changeOf = (conditions: readonly Condition[], question: string): "change" | null =>
  isPair(conditions) && changeWords.test(question) ? "change" : null;

/** A question without the headings that it says whole: `per capita` is a column. */
const withoutTitles = (question: string, columns: readonly Column[]): string =>
  columns.reduce((rest, { title }) => {
    const at = rest.toLowerCase().indexOf(title.toLowerCase());
    return at < 0 ? rest : `${rest.slice(0, at)}${rest.slice(at + title.length)}`;
  }, question);

/** A SELECT over one table; null where it cannot say what the question asks. */
function templateOver(
  { table, matched, ...entry }: Candidate,
  question: string,
  isOnlyTable: boolean,
): Template | null {
  const named = entry.columns.map(({ column }) => column);
  if (notPlain.test(withoutTitles(question, named))) return null;
  const set = conditionsOf(question, matched, table, named);
  if (set === null) return null;
  const { conditions, free, asked, isCompared } = set;
  // `A higher pressure than P-101` is no condition of a plain selection.
  const pair = comparedOf(set.conditions, question);
  const change = pair === null ? changeOf(set.conditions, question) : null;
  const isOpen = compares(question) || changeWords.test(withoutTitles(question, named));
  if (!isCompared && pair === null && change === null && isOpen) return null;
  const form = forms.find(([, pattern]) => pattern.test(asked))?.[0] ?? "rows";
  const wanted = change ?? pair ?? (isCompared && (form === "max" || form === "min") ? "rows" : form);
  const where = whereOf(conditions);
  const { reading } = matched;
  const selection = { ...entry, table, matched, question, reading, where, conditions, free, isOnlyTable };
  const chosen = choose(wanted, selection);
  if (chosen === null) return null;
  const basis = basisSql(chosen, selection);
  return { ...chosen, table, conditions, language: reading.language, ...(basis === null ? {} : { basis }) };
}

/** The tables of a file that a question names as it is written, and the question without that. */
function withinFile(
  question: string,
  tables: readonly TableSchema[],
): { readonly rest: string; readonly tables: readonly TableSchema[] } {
  const fileOf = ({ title }: TableSchema): string => (title.split(" › ")[0] ?? "").replace(/^.*[\\/]/, "");
  const lower = question.toLowerCase();
  const file = tables
    .map(fileOf)
    .filter((name) => /\.\w{1,5}$/.test(name) && lower.includes(name.toLowerCase()))
    .toSorted((a, b) => b.length - a.length)[0];
  if (file === undefined) return { rest: question, tables };
  const at = lower.indexOf(file.toLowerCase());
  return {
    rest: `${question.slice(0, at)}${question.slice(at + file.length)}`,
    tables: tables.filter((table) => fileOf(table) === file),
  };
}

/**
 * A SELECT for the plain cases, without a model: count, sum, average, largest, smallest, or columns of the
 * rows that a value of the question picks. Null unless one table explains every telling word of the question.
 */
export function templateFor(asked: string, all: readonly TableSchema[]): Template | null {
  const reading = readingOf(asked);
  const { rest, tables } = withinFile(asked.normalize("NFC"), all);
  const question = reading.apart(rest);
  // Two superlatives rank two things, one inside the other.
  if (superlativesIn(question) > 1) return null;
  const matched = matchQuestion(question, tables, reading);
  for (const entry of candidates(matched, tables)) {
    const template = templateOver(entry, question, tables.length === 1);
    if (template !== null) return template;
  }
  return null;
}
