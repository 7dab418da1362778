import { alternatives, wordPattern } from "../../language/languages.ts";
import { contentTerms } from "../../language/terms.ts";
import type { Column, TableSchema } from "../schema.ts";
import { type Candidate, listInterpretations } from "./candidates.ts";
import { conditionsOf, rowName } from "./conditions.ts";
import {
  figurePatterns,
  isComparison,
  lessWords,
  mentionsDifference,
  moreWords,
  orWords,
  superlativesIn,
} from "./figures.ts";
import { findQuestionValues } from "./match.ts";
import { alternativesOf, type Condition, type TableQuery } from "./query.ts";
import { type LocaleRules, localeRules } from "./reading.ts";
import { buildSelect } from "./select.ts";

const notPlain = wordPattern(alternatives(({ sheets }) => sheets.beyond));

/** Whether conditions leave two values of one column, each of one row or group. */
const isPair = (conditions: readonly Condition[]): boolean =>
  alternativesOf(conditions).filter((each) => each.length === 2).length === 1;

/** Which extreme of two alternatives a question asks for, `A or B`; null for other questions. */
function comparedOf(conditions: readonly Condition[], question: string): "max" | "min" | null {
  if (!isPair(conditions) || !orWords.test(question)) return null;
  const isMore =
    moreWords.test(question) ||
    figurePatterns.some(([form, pattern]) => form === "max" && pattern.test(question));
  const isLess =
    lessWords.test(question) ||
    figurePatterns.some(([form, pattern]) => form === "min" && pattern.test(question));
  return isMore === isLess ? null : isMore ? "max" : "min";
}

/** Whether a question asks for the difference between two values: two years, or two rows. */
const changeOf = (conditions: readonly Condition[], question: string): "change" | null =>
  isPair(conditions) && mentionsDifference(question) ? "change" : null;

/** A question without complete column headings: `per capita` may be one. */
const withoutTitles = (question: string, columns: readonly Column[]): string =>
  columns.reduce((rest, { title }) => {
    const at = rest.toLowerCase().indexOf(title.toLowerCase());
    return at < 0 ? rest : `${rest.slice(0, at)}${rest.slice(at + title.length)}`;
  }, question);

/** A query of one table; null if it cannot express the question. */
function queryOver(
  { table, matched, ...entry }: Candidate,
  question: string,
  isOnlyTable: boolean,
): TableQuery | null {
  const named = entry.columns.map(({ column }) => column);
  if (notPlain.test(withoutTitles(question, named))) return null;
  const set = conditionsOf(question, matched, table, named);
  if (set === null) return null;
  const { conditions, free, asked, isCompared } = set;
  // `A higher pressure than P-101` is no condition of a simple selection.
  const pair = comparedOf(set.conditions, question);
  const change = pair === null ? changeOf(set.conditions, question) : null;
  const isOpen = isComparison(question) || mentionsDifference(withoutTitles(question, named));
  if (!isCompared && pair === null && change === null && isOpen) return null;
  const form = figurePatterns.find(([, pattern]) => pattern.test(asked))?.[0] ?? "rows";
  const wanted = change ?? pair ?? (isCompared && (form === "max" || form === "min") ? "rows" : form);
  const { reading } = matched;
  const chosen = buildSelect(wanted, {
    ...entry,
    table,
    matched,
    question,
    reading,
    conditions,
    free,
    isOnlyTable,
  });
  const label = rowName(table, reading);
  return chosen && { ...chosen, table, conditions, label, language: reading.language };
}

/** A question and the tables it may refer to. */
interface Asked {
  readonly question: string;
  readonly tables: readonly TableSchema[];
}

/**
 * A file named in a question: its position, including words that introduce it (`according to`, `using the`).
 */
interface FilePlace {
  readonly from: number;
  readonly to: number;
  /** Whether it is named verbatim, including its extension. */
  readonly isWritten: boolean;
}

/** Where a question names a file: verbatim or, if the name has several words, without its extension. */
function placeOf(file: string, question: string): FilePlace | null {
  const parts = file.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const ending = parts.length > 2 ? `(?:\\.${parts.pop() ?? ""})?` : "";
  const pattern = `(?<![\\p{L}\\p{N}])${parts.join("[\\s._-]{1,3}")}${ending}(?![\\p{L}\\p{N}])`;
  const written = question.toLowerCase().indexOf(file.toLowerCase());
  const found = written < 0 ? new RegExp(pattern, "iu").exec(question) : { index: written, 0: file };
  if (found === null) return null;
  const leading = [...question.slice(0, found.index).matchAll(/[\p{L}\p{M}\p{N}]+/gu)];
  const telling = leading.findLast(([word]) => contentTerms(word).length > 0 || notPlain.test(word));
  return {
    from: telling === undefined ? 0 : telling.index + telling[0].length,
    to: found.index + found[0].length,
    isWritten: written >= 0,
  };
}

/**
 * What a question may refer to, likeliest first: the tables of a file named verbatim, with the name removed
 * from the question; all tables; the tables of a file only whose words occur, as those may be ordinary words.
 */
function readingsOf(question: string, tables: readonly TableSchema[]): readonly Asked[] {
  const fileOf = ({ title }: TableSchema): string => (title.split(" › ")[0] ?? "").replace(/^.*[\\/]/, "");
  const whole: Asked = { question, tables };
  const [named] = [...new Set(tables.map(fileOf))]
    .filter((file) => /\.\w{1,5}$/.test(file))
    .flatMap((file) => {
      const place = placeOf(file, question);
      return place === null ? [] : [{ file, ...place }];
    })
    .toSorted((a, b) => b.file.length - a.file.length);
  if (named === undefined) return [whole];
  const { file, from, to, isWritten } = named;
  const within: Asked = {
    question: `${question.slice(0, from)} ${question.slice(to)}`,
    tables: tables.filter((table) => fileOf(table) === file),
  };
  return isWritten ? [within] : [whole, within];
}

/** The first query for one interpretation of a question. */
function queryIn({ question: asked, tables }: Asked, reading: LocaleRules): TableQuery | null {
  const question = reading.apart(asked);
  // Two superlatives mean nested rankings.
  if (superlativesIn(question) > 1) return null;
  const matched = findQuestionValues(question, tables, reading);
  for (const entry of listInterpretations(matched, tables)) {
    const query = queryOver(entry, question, tables.length === 1);
    if (query !== null) return query;
  }
  return null;
}

/**
 * Reads a question as a query of one table: a count, sum, average, largest, smallest, or columns of the rows
 * that a value in the question selects. Null unless that table explains every meaningful word.
 */
export function readTableQuery(asked: string, all: readonly TableSchema[]): TableQuery | null {
  const reading = localeRules(asked);
  for (const each of readingsOf(asked.normalize("NFC"), all)) {
    const query = queryIn(each, reading);
    if (query !== null) return query;
  }
  return null;
}
