import { unitNamed, unitsNamed } from "../../../language/units.ts";
import type { Column, TableSchema } from "../source.ts";
import { type Reading, readingOf, wordsOf } from "./reading.ts";

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
}

/** What a question names of a schema. */
export interface Matched {
  readonly reading: Reading;
  readonly values: readonly ValueMatch[];
  /** Roots of the words that no value covers, in order. */
  readonly roots: readonly string[];
  readonly numbers: readonly string[];
  /** Canonical units by the roots that name one. */
  readonly units: ReadonlyMap<string, string>;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Finds the values of text columns that stand in the question as whole words, longest first, none inside
 * another.
 */
export function matchQuestion(
  question: string,
  tables: readonly TableSchema[],
  reading: Reading = readingOf(question),
): Matched {
  let rest = ` ${question.normalize("NFC")} `;
  const lower = rest.toLowerCase();
  const places = new Map<string, NamedValue[]>();
  for (const table of tables) {
    for (const column of table.columns) {
      for (const value of column.values) {
        const key = value.trim().toLowerCase();
        if (key.length < 2 || reading.isSilent(key) || !lower.includes(key)) continue;
        places.set(key, [...(places.get(key) ?? []), { table: table.name, column: column.name, value }]);
      }
    }
  }
  const values: ValueMatch[] = [];
  for (const [phrase, found] of [...places].toSorted(([a], [b]) => b.length - a.length)) {
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(phrase)}(?:['’]s)?(?![\\p{L}\\p{N}])`, "iu");
    if (!pattern.test(rest)) continue;
    rest = rest.replace(pattern, " ");
    values.push({ phrase, places: found });
  }
  const left = wordsOf(rest);
  const named = left.filter((word) => !/^\d/.test(word));
  return {
    reading,
    values,
    roots: named.map(reading.rootOf),
    numbers: left.filter((word) => /^\d/.test(word)),
    units: new Map(named.map((word) => [reading.rootOf(word), unitNamed(word)])),
  };
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

const isUnit = (word: string): boolean => unitsNamed(word).size > 0;

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
    const used = needed.map((word) => roots.find((asked) => names(asked, word, table, reading)));
    if (needed.length > 0 && used.every((word) => word !== undefined))
      return [...used.filter((word) => word !== undefined), ...units.filter((unit) => roots.includes(unit))];
  }
  return [];
}
