import { scaleNamed } from "../../../language/quantities.ts";
import { squash } from "../../../language/terms.ts";
import { datesIn } from "../../../language/time/dates.ts";
import { unitNamed, unitsNamed } from "../../../language/units.ts";
import type { Column, TableSchema } from "../source.ts";
import { type Reading, readingOf, wordPlaces, wordsOf } from "./reading.ts";

export interface NamedValue {
  readonly table: string;
  readonly column: string;
  /** As it stands in the column. */
  readonly value: string;
}

/** A text of the data that the question names, with every column it stands in. */
export interface ValueMatch {
  readonly phrase: string;
  readonly places: readonly NamedValue[];
  /** Where it stands in the question, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
}

/** A word of a question, and where it stands there. */
interface Word {
  readonly root: string;
  readonly from: number;
  readonly to: number;
}

/** What a question names of a schema. */
export interface Matched {
  readonly reading: Reading;
  readonly question: string;
  readonly values: readonly ValueMatch[];
  /** The words that no value covers, in order. */
  readonly words: readonly Word[];
  /** Their roots. */
  readonly roots: readonly string[];
  readonly numbers: readonly string[];
  /** Canonical units by the roots that name one. */
  readonly units: ReadonlyMap<string, string>;
  /** Where the words of a date begin: `March 1980`. */
  readonly times: ReadonlySet<number>;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Where the values of text columns may stand in a question, by the text itself. */
function placesIn(
  lower: string,
  tables: readonly TableSchema[],
  { isSilent }: Reading,
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
 * Finds the values of text columns that stand in the question as whole words, longest first, none inside
 * another.
 */
export function matchQuestion(
  asked: string,
  tables: readonly TableSchema[],
  reading: Reading = readingOf(asked),
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
function wordsLeft(question: string, values: readonly Pick<ValueMatch, "from" | "to">[], reading: Reading) {
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
    units: new Map(named.map(({ text }) => [reading.rootOf(text), unitNamed(text)])),
  };
}

/** The same with these values alone: what others cover are words again. */
export const withValues = (matched: Matched, values: readonly ValueMatch[]): Matched => ({
  ...matched,
  ...wordsLeft(matched.question, values, matched.reading),
  values,
});

/** A text as names are compared: letters and digits alone, and one blank between words. */
const plainName = (text: string): string => ` ${wordsOf(text).join(" ")} `;

/**
 * The one value of a table that these words, next to each other in a question, are part of or are written as, such as
 * `France` for `FRANCE (INCLUDING MONACO)`: a name begins with a capital, or is all of the value but for its number.
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
  const joined = squash(phrase);
  const isName = /^[\p{Lu}\p{N}]/u.test(phrase);
  const isCalled = (value: string): boolean => {
    const called = plainName(value);
    return (
      (isName && called.includes(name)) ||
      called.replace(/^ [\d. ]+/, " ") === name ||
      squash(value) === joined
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

/** Roots of a column's or table's name, unit and brackets left out. */
export const nameRoots = (name: string, { rootsOf }: Reading): readonly string[] =>
  rootsOf(name.replaceAll("_", " ").replaceAll(/[([][^()[\]]*[)\]]/g, " "));

/** Letters that a compound has before what it is, and letters of that, at least. */
const compound = { modifier: 3, head: 4 };

/** Whether a word of a heading is what a question calls it, or a compound of that. */
const isCalled = (word: string, asked: string): boolean =>
  word === asked ||
  (asked.length >= compound.head && word.length >= asked.length + compound.modifier && word.endsWith(asked));

/** Whether a word of a question names that of a heading, or what only one column of the table is. */
function names(asked: string, word: string, table: TableSchema, reading: Reading): boolean {
  const called = [asked, ...reading.meaningsOf(asked)];
  if (called.includes(word)) return true;
  const [kind] = reading.hasCompounds ? called.filter((each) => isCalled(word, each)) : [];
  return (
    kind !== undefined &&
    table.columns.filter(({ title }) => nameRoots(title, reading).some((other) => isCalled(other, kind)))
      .length === 1
  );
}

/** Roots of what a table is called: SQL has its name without accents. */
export function tableRoots({ name, title }: TableSchema, reading: Reading): readonly string[] {
  const called = (title.split(" › ").at(-1) ?? title).replace(/^.*[\\/]/, "").replace(/\.\w{1,5}$/, "");
  return [...new Set([...nameRoots(name, reading), ...nameRoots(called, reading)])];
}

/** Whether a word of a heading says in what its numbers are: `Price EUR`, `gdp_trillion`. */
const isUnit = (word: string): boolean => unitsNamed(word).size > 0 || scaleNamed(word) !== 1;

/**
 * The words by which a question names a column; empty when it does not, and for a column that is called only
 * after its table.
 */
export function namedBy(
  column: Column,
  table: TableSchema,
  roots: readonly string[],
  reading: Reading,
): readonly string[] {
  const own = tableRoots(table, reading);
  for (const name of new Set([column.title, column.name])) {
    const all = nameRoots(name, reading);
    const beside = all.filter((word) => !own.includes(word) && !reading.names.has(word) && word !== "id");
    // `Price EUR` of the sheet `Prices` is more than its unit.
    const distinct = beside.length > 0 && beside.every(isUnit) ? all : beside;
    const said = distinct.filter((word) => !reading.isSilent(word));
    const wanted = said.length > 0 ? said : distinct;
    // A question need not say the unit that a heading ends in: `Price EUR`.
    const units = wanted.filter(isUnit);
    const needed = units.length < wanted.length ? wanted.filter((word) => !units.includes(word)) : wanted;
    const used = needed.map((word) => roots.filter((asked) => names(asked, word, table, reading)));
    if (needed.length > 0 && used.every((found) => found.length > 0))
      return [...used.flat(), ...units.filter((unit) => roots.includes(unit))];
  }
  return [];
}
