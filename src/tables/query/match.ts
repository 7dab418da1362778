import { scaleFactorFor } from "../../language/quantities.ts";
import { alphanumeric } from "../../language/terms.ts";
import { datesIn } from "../../language/time/dates.ts";
import { canonicalUnit, unitsInLabel } from "../../language/units.ts";
import type { Column, TableSchema } from "../schema.ts";
import { type LocaleRules, localeRules, positionlessWords, wordPlaces } from "./reading.ts";

export interface NamedValue {
  readonly table: string;
  readonly column: string;
  /** As written in the column. */
  readonly value: string;
}

/** A text of the data that the question names, with every column that has it. */
export interface ValueMatch {
  readonly phrase: string;
  readonly places: readonly NamedValue[];
  /** Position in the question, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
}

/** A word of a question and its position. */
interface Word {
  readonly root: string;
  readonly from: number;
  readonly to: number;
}

/** The parts of a schema that a question names. */
export interface Matched {
  readonly reading: LocaleRules;
  readonly question: string;
  readonly values: readonly ValueMatch[];
  /** The words that no value covers, in order. */
  readonly words: readonly Word[];
  /** Their roots. */
  readonly roots: readonly string[];
  readonly numbers: readonly string[];
  /** Canonical units by the roots that name one. */
  readonly units: ReadonlyMap<string, string>;
  /** Positions where a date begins: `March 1980`. */
  readonly times: ReadonlySet<number>;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Values of text columns that may occur in a question, keyed by their text. */
function placesIn(
  lower: string,
  tables: readonly TableSchema[],
  { isSilent }: LocaleRules,
): ReadonlyMap<string, readonly NamedValue[]> {
  const places = new Map<string, NamedValue[]>();
  const all = tables.flatMap(({ name, columns }) =>
    columns.flatMap((column) => column.values.map((value) => ({ table: name, column: column.name, value }))),
  );
  for (const place of all) {
    const key = place.value.trim().toLowerCase();
    if (key.length < 2 || !lower.includes(key) || isSilent(key)) continue;
    const found = places.get(key);
    if (found === undefined) places.set(key, [place]);
    else found.push(place);
  }
  return places;
}

/**
 * Finds the values of text columns that occur in the question as whole words, longest first, without
 * overlaps.
 */
export function findQuestionValues(
  asked: string,
  tables: readonly TableSchema[],
  reading: LocaleRules = localeRules(asked),
): Matched {
  const question = asked.normalize("NFC");
  const lower = question.toLowerCase();
  let rest = question;
  const values: ValueMatch[] = [];
  const places = placesIn(lower, tables, reading);
  for (const [phrase, found] of [...places].toSorted(([a], [b]) => b.length - a.length)) {
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(phrase)}(?:['’]s)?(?![\\p{L}\\p{N}])`, "iu");
    const from = pattern.exec(rest);
    if (from === null) continue;
    const to = from.index + from[0].length;
    rest = `${rest.slice(0, from.index)}${" ".repeat(from[0].length)}${rest.slice(to)}`;
    values.push({ phrase, places: found, from: from.index, to });
  }
  return { ...wordsLeft(question, values, reading), reading, question, values };
}

/** The words of a question that none of these values covers. */
function wordsLeft(
  question: string,
  values: readonly Pick<ValueMatch, "from" | "to">[],
  reading: LocaleRules,
) {
  const left = wordPlaces(question).filter(
    (word) => !values.some(({ from, to }) => word.from < to && from < word.to),
  );
  const named = left.filter(({ text }) => !/^\d/.test(text));
  const words = left.map(({ text, from, to }) => ({ root: reading.rootOf(text), from, to }));
  const lower = question.toLowerCase();
  const times = datesIn(question).dates.flatMap(([date]) => {
    const from = date === undefined ? -1 : lower.indexOf(date.text);
    return from < 0
      ? []
      : words.filter((each) => each.from >= from && each.to <= from + (date?.text.length ?? 0));
  });
  return {
    words,
    times: new Set(times.map(({ from }) => from)),
    roots: words.map(({ root }) => root),
    numbers: left.map(({ text }) => text).filter((text) => /^\d/.test(text)),
    units: new Map(named.map(({ text }) => [reading.rootOf(text), canonicalUnit(text)])),
  };
}

/** Same match with only these values; words covered by others become plain words again. */
export const withValues = (matched: Matched, values: readonly ValueMatch[]): Matched => ({
  ...matched,
  ...wordsLeft(matched.question, values, matched.reading),
  values,
});

/** A text normalised for comparing names: letters and digits only, with single spaces. */
const plainName = (text: string): string => ` ${positionlessWords(text).join(" ")} `;

/**
 * The value, unique in its column, that contains or equals these adjacent words, such as `FRANCE (INCLUDING
 * MONACO)` for `France`: the words begin with a capital or digit, or are all of the value except its leading
 * number.
 */
export function partialValue(
  { question }: Matched,
  table: TableSchema,
  words: readonly Word[],
): ValueMatch | null {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return null;
  const phrase = question.slice(first.from, last.to);
  const name = plainName(phrase);
  const joined = alphanumeric(phrase);
  const isName = /^[\p{Lu}\p{N}]/u.test(phrase);
  const isCalled = (value: string): boolean => {
    const called = plainName(value);
    return (
      (isName && called.includes(name)) ||
      called.replace(/^ [\d. ]+/, " ") === name ||
      alphanumeric(value) === joined
    );
  };
  const places = table.columns.flatMap((column): NamedValue[] => {
    const [value, ...others] = column.values.filter(isCalled);
    return value === undefined || others.length > 0
      ? []
      : [{ table: table.name, column: column.name, value }];
  });
  return places.length === 0 ? null : { phrase: phrase.toLowerCase(), places, from: first.from, to: last.to };
}

/** Roots of a column's or table's name, without units and brackets. */
export const nameRoots = (name: string, { rootsOf }: LocaleRules): readonly string[] =>
  rootsOf(name.replaceAll("_", " ").replaceAll(/[([][^()[\]]*[)\]]/g, " "));

/** Fewest letters of a compound's modifier and head. */
const compound = { modifier: 3, head: 4 };

/** Whether a heading word equals a word of the question or is a compound of it. */
const isCalled = (word: string, asked: string): boolean =>
  word === asked ||
  (asked.length >= compound.head && word.length >= asked.length + compound.modifier && word.endsWith(asked));

/**
 * Whether a word of a question matches a heading word: directly, by another name for it, or as a compound
 * whose head only one column has.
 */
function names(asked: string, word: string, table: TableSchema, reading: LocaleRules): boolean {
  const called = [asked, ...reading.meaningsOf(asked)];
  if (called.includes(word)) return true;
  const [kind] = reading.hasCompounds ? called.filter((each) => isCalled(word, each)) : [];
  return (
    kind !== undefined &&
    table.columns.filter(({ title }) => nameRoots(title, reading).some((other) => isCalled(other, kind)))
      .length === 1
  );
}

/** Roots of a table's names; its SQL name has no accents. */
export function tableStems({ name, title }: TableSchema, reading: LocaleRules): readonly string[] {
  const called = (title.split(" › ").at(-1) ?? title).replace(/^.*[\\/]/, "").replace(/\.\w{1,5}$/, "");
  return [...new Set([...nameRoots(name, reading), ...nameRoots(called, reading)])];
}

/** Whether a heading word is a unit or scale: `Price EUR`, `gdp_trillion`. */
const isUnit = (word: string): boolean => unitsInLabel(word).size > 0 || scaleFactorFor(word) !== 1;

/**
 * The words by which a question names a column; empty if it does not, or if the column is only named after
 * its table.
 */
export function columnMentionTerms(
  column: Column,
  table: TableSchema,
  roots: readonly string[],
  reading: LocaleRules,
): readonly string[] {
  const own = tableStems(table, reading);
  for (const name of new Set([column.title, column.name])) {
    const all = nameRoots(name, reading);
    const beside = all.filter((word) => !own.includes(word) && !reading.names.has(word) && word !== "id");
    // `Price EUR` of the sheet `Prices` is more than its unit.
    const distinct = beside.length > 0 && beside.every(isUnit) ? all : beside;
    const said = distinct.filter((word) => !reading.isSilent(word));
    const wanted = said.length > 0 ? said : distinct;
    // A question need not repeat the unit at the end of a heading: `Price EUR`.
    const units = wanted.filter(isUnit);
    const needed = units.length < wanted.length ? wanted.filter((word) => !units.includes(word)) : wanted;
    const used = needed.map((word) => roots.filter((asked) => names(asked, word, table, reading)));
    if (needed.length > 0 && used.every((found) => found.length > 0))
      return [...used.flat(), ...units.filter((unit) => roots.includes(unit))];
  }
  return [];
}
