import { listed } from "../../../language/languages.ts";
import { courtesies, questionGrammar } from "../../../language/lexicons/en.ts";
import { unitsNamed } from "../../../language/units.ts";
import type { Column, TableSchema } from "../source.ts";

const tableWords = `list show find get all every value number count total sum average mean avg maximum max minimum min
highest lowest largest smallest biggest least greatest longest shortest tallest cheapest oldest newest
latest combined altogether overall name names called record records row rows entry entries table sheet
data less greater below above fewer exceed exceeds per same its their located found stand listed kind type amount`;

/**
 * Words of a question that name neither a column nor a value: its grammar, and what is asked of tables in
 * general.
 */
const silent: ReadonlySet<string> = new Set(listed([questionGrammar, courtesies, tableWords]));

/** Adjective or verb → nouns that a column may be called. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  people: ["population"],
  citizen: ["population"],
  inhabitant: ["population"],
  resident: ["population"],
  populous: ["population"],
  populated: ["population"],
  live: ["population"],
  long: ["length"],
  longest: ["length"],
  shortest: ["length"],
  tall: ["height", "altitude"],
  tallest: ["height", "altitude"],
  high: ["height", "altitude", "elevation"],
  height: ["altitude", "elevation"],
  highest: ["altitude", "height"],
  expensive: ["price", "cost"],
  cheap: ["price", "cost"],
  cheapest: ["price", "cost"],
  cost: ["price"],
  price: ["cost"],
  pay: ["salary", "price", "cost"],
  earn: ["salary"],
  heavy: ["weight", "mass"],
  heaviest: ["weight", "mass"],
  weigh: ["weight", "mass"],
  old: ["age", "date"],
  oldest: ["age", "date"],
  newest: ["date"],
  latest: ["date"],
  size: ["area"],
  large: ["area"],
  big: ["area"],
  stock: ["quantity"],
  dense: ["density"],
  crowded: ["density"],
  fast: ["speed"],
  fastest: ["speed"],
  supplier: ["vendor"],
  vendor: ["supplier"],
  pressure: ["pressure"],
  staff: ["headcount", "employee"],
};

/** A word without its plural or verbal ending, enough for comparing names with questions. */
export function stem(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length > 4 && lower.endsWith("ies")) return `${lower.slice(0, -3)}y`;
  if (lower.length > 4 && /(?:s|x|z|ch|sh)es$/.test(lower)) return lower.slice(0, -2);
  return lower.length > 3 && lower.endsWith("s") && !lower.endsWith("ss") ? lower.slice(0, -1) : lower;
}

const words = (text: string): readonly string[] =>
  text
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .normalize("NFC")
    .toLowerCase()
    .match(/[\p{L}\p{M}]+|\d[\d.,]*\d|\d/gu) ?? [];

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
  readonly values: readonly ValueMatch[];
  /** Stems of the words that no value covers, in order. */
  readonly stems: readonly string[];
  readonly numbers: readonly string[];
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Finds the values of text columns that stand in the question as whole words, longest first, none inside
 * another.
 */
export function matchQuestion(question: string, tables: readonly TableSchema[]): Matched {
  let rest = ` ${question.normalize("NFC")} `;
  const lower = rest.toLowerCase();
  const places = new Map<string, NamedValue[]>();
  for (const table of tables) {
    for (const column of table.columns) {
      for (const value of column.values) {
        const key = value.trim().toLowerCase();
        if (key.length < 2 || silent.has(key) || !lower.includes(key)) continue;
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
  const left = words(rest);
  return {
    values,
    stems: left.filter((word) => !/^\d/.test(word)).map(stem),
    numbers: left.filter((word) => /^\d/.test(word)),
  };
}

/** Words of a column's or table's name, unit and brackets left out. */
export const nameStems = (name: string): readonly string[] =>
  words(name.replaceAll("_", " ").replaceAll(/[([][^()[\]]*[)\]]/g, " ")).map(stem);

const isUnit = (word: string): boolean => unitsNamed(word).size > 0;

/**
 * The words by which a question names a column; empty when it does not, and for a column that is called only
 * after its table.
 */
export function namedBy(column: Column, table: TableSchema, stems: readonly string[]): readonly string[] {
  const own = nameStems(table.name);
  for (const name of new Set([column.title, column.name])) {
    const all = nameStems(name);
    const beside = all.filter((word) => !own.includes(word) && word !== "name" && word !== "id");
    // `Price EUR` of the sheet `Prices` is more than its unit.
    const distinct = beside.length > 0 && beside.every(isUnit) ? all : beside;
    const said = distinct.filter((word) => !silent.has(word));
    const wanted = said.length > 0 ? said : distinct;
    // A question need not say the unit that a heading ends in: `Price EUR`.
    const units = wanted.filter(isUnit);
    const needed = units.length < wanted.length ? wanted.filter((word) => !units.includes(word)) : wanted;
    const used = needed.map((word) =>
      stems.find((asked) => asked === word || (meanings[asked] ?? []).includes(word)),
    );
    if (needed.length > 0 && used.every((word) => word !== undefined))
      return [...used.filter((word) => word !== undefined), ...units.filter((unit) => stems.includes(unit))];
  }
  return [];
}

/** Whether a word of the question says something that a query would have to express. */
export const telling = (word: string): boolean => !silent.has(word) && word.length > 1;
