import { lazy } from "../../core/lazy.ts";
import type { Hit } from "../../core/retrieval.ts";
import {
  indexNames,
  type Misspelling,
  mayContainMisspeltName,
  withCorrectedNames,
} from "../../language/asking/spelling.ts";
import { namesIn } from "../../language/names.ts";
import { isStopWord, normalize, stem, yearsIn } from "../../language/terms.ts";
import {
  asksForLatest,
  comparePeriods,
  type Period,
  partsOfYears,
  periodEnd,
  periodsIn,
} from "../../language/time/periods.ts";

/** A document and its names. */
export interface CatalogueEntry {
  readonly id: string;
  /** Name of the file as shown. */
  readonly name: string;
  readonly title: string;
  /** Number of pages; 0 if its format has none. Default 0. */
  readonly pages?: number;
}

/** How well a question names a document. */
export interface Naming {
  /** Name of the file as shown. */
  readonly name: string;
  /** Σ over the shared words of their rarity among the names, each in [0, 1]. */
  readonly words: number;
  /**
   * 1: they share a year, and the quarter if both have one, or the question asks for the newest and this is
   * the newest of those it names; −1: the periods differ; 0: one of them has no year, the document lies
   * between two periods asked for, it is from the following year and matches the name better than any
   * document of the year itself, or the question has a name that other documents have and this one lacks.
   */
  readonly year: -1 | 0 | 1;
}

export interface NamingWeights {
  /** Added to a hit's score for a word of the question that only its document's name has. */
  readonly nameWeight: number;
  /** Added for a shared year, subtracted for a different one. */
  readonly yearWeight: number;
}

/** The names of the documents. */
export interface Catalogue {
  /** Document id → how well the question names it; documents it does not name are absent. */
  name(question: string): ReadonlyMap<string, Naming>;
  /**
   * The question without the words that name these documents, because nearly every page of a document has
   * them. Documents without pages keep theirs: a short text is found by its name. Unchanged if fewer than two
   * content words would remain.
   */
  without(question: string, documentIds: readonly string[]): string;
  /**
   * The question with one-letter misspellings of document names corrected, except the words in `right`, which
   * are in lower case.
   */
  spelt(question: string, right?: ReadonlySet<string>): SpeltQuestion;
  /** Analysed names and titles, so that the next catalogue need only analyse new ones. */
  readonly read: ReadNames;
}

/** A question with corrected document names. */
export interface SpeltQuestion {
  readonly text: string;
  /** The corrections; empty for none. Each has the ids of the documents with that name. */
  readonly misspelt: readonly (Misspelling & { readonly documents: readonly string[] })[];
}

/** Analysed names by file name and title. */
type ReadNames = ReadonlyMap<string, Called>;

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** Most words of a question that a name may join: `American Water Works` in `AMERICANWATERWORKS_2021`. */
const mostJoined = 4;
const leastJoined = 6;

/** Splits words, numbers and camel case: `HP200Manual` → `HP 200 Manual`; `3M` stays. */
function apart(text: string): string {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{L})(\p{N})/gu, "$1 $2")
    .replace(/(\p{N})(\p{L}{2})/gu, "$1 $2");
}

function wordsOf(text: string): string[] {
  return (normalize(apart(text)).match(wordPattern) ?? []).filter((word) => !isStopWord(word));
}

/** A hexadecimal identifier, whose parts carry no meaning. */
const identifier = /^[0-9a-f]{12,}$/i;

/**
 * The analysed name of a document: words of its name and title as roots and as written, the file name also as
 * one word, and the years.
 */
interface Called {
  readonly terms: ReadonlySet<string>;
  /** Its words as written, in lower case. */
  readonly words: ReadonlySet<string>;
  readonly years: ReadonlySet<string>;
  /** Its quarters and half-years. */
  readonly parts: readonly Period[];
  /** End of its latest period, in years; undefined if it has none. */
  readonly ends: number | undefined;
}

function calledBy({ name, title }: Pick<CatalogueEntry, "name" | "title">): Called {
  const base = name.slice(name.lastIndexOf("/") + 1).replace(/\.[A-Za-z0-9]{1,8}$/, "");
  const inWords = base.replaceAll("_", " ");
  const whole = normalize(inWords).match(wordPattern) ?? [];
  const words = [...(identifier.test(base) ? [] : wordsOf(inWords)), ...wordsOf(title)];
  const years = yearsIn(apart(`${name.replaceAll("_", " ")} ${title}`));
  const parts = partsOfYears(periodsIn(`${inWords} ${title}`)).filter((part) => part.years.length > 0);
  const ends =
    parts.length > 0
      ? parts.flatMap((part) => periodEnd(part) ?? [])
      : [...years].map((year) => Number(year) + 1);
  return {
    terms: new Set([...whole, ...words, ...words.map(stem)]),
    words: new Set([...whole, ...words]),
    years,
    parts,
    ends: ends.length === 0 ? undefined : Math.max(...ends),
  };
}

/** Separates name and title; no file name can contain it. */
const separator = "\0";

function termsOfQuestion(question: string): ReadonlySet<string> {
  const all = normalize(apart(question)).match(wordPattern) ?? [];
  const whole = normalize(question).match(wordPattern) ?? [];
  const words = [...whole, ...all].filter((word) => !isStopWord(word));
  const joined = Array.from({ length: mostJoined - 1 }, (_, extra) =>
    all.map((_, at) => all.slice(at, at + extra + 2).join("")),
  );
  return new Set([
    ...words,
    ...words.map(stem),
    ...joined.flat().filter((word) => word.length >= leastJoined),
  ]);
}

/** The analysed names of a catalogue; indexes are those of `entries`. */
interface Names {
  readonly entries: readonly CatalogueEntry[];
  readonly called: readonly Called[];
  /** Term → indexes of the documents whose names have it, ascending. */
  readonly holders: ReadonlyMap<string, readonly number[]>;
}

/** Analyses the names of documents. `before`: results of an earlier catalogue. */
export function buildNameIndex(entries: readonly CatalogueEntry[], before: ReadNames = new Map()): Catalogue {
  const read = new Map<string, Called>();
  const called = entries.map((entry) => {
    const key = `${entry.name}${separator}${entry.title}`;
    const own = read.get(key) ?? before.get(key) ?? calledBy(entry);
    read.set(key, own);
    return own;
  });
  const names: Names = { entries, called, holders: holdersByTerm(called) };
  const places = new Map(entries.map(({ id }, at) => [id, at]));
  const index = lazy(() => indexNames(new Set(called.flatMap(({ words }) => [...words]))));
  return {
    read,
    spelt(question, right) {
      if (!mayContainMisspeltName(question)) return { text: question, misspelt: [] };
      const { text, misspelt } = withCorrectedNames(question, index(), right);
      const documentsOf = (name: string): readonly string[] =>
        (names.holders.get(name) ?? []).flatMap((at) => entries[at]?.id ?? []);
      return { text, misspelt: misspelt.map((each) => ({ ...each, documents: documentsOf(each.name) })) };
    },
    without(question, documentIds) {
      const terms = documentIds.flatMap((id) => {
        const at = places.get(id) ?? -1;
        const { terms: own = new Set<string>() } = called[at] ?? {};
        return (entries[at]?.pages ?? 0) > 0 ? [own] : [];
      });
      return withoutNames(question, (word) => terms.some((all) => all.has(word)));
    },
    name: (question) => namingsOf(question, names),
  };
}

/** How well a question names each document that it names at all, by id. */
function namingsOf(question: string, names: Names): ReadonlyMap<string, Naming> {
  const { entries, called } = names;
  const time = readTime(question);
  const { words, whose } = sharedWords(question, time.years, names);
  const years = sharedYears(question, time, whose, names);
  const next = new Set([...time.years].map((year) => String(Number(year) + 1)));
  const best = years.reduce<number>(
    (most, year, at) => (year === 1 ? Math.max(most, whose.get(at) ?? 0) : most),
    0,
  );
  return new Map(
    entries.flatMap(({ id, name }, at) => {
      const naming = { words: words.get(at) ?? 0, year: years[at] ?? 0 };
      if (naming.words === 0 && naming.year === 0) return [];
      // A report also covers the year before its own, so it is acceptable if that year has none of the name.
      const isNext = naming.year < 0 && !next.isDisjointFrom(called[at]?.years ?? next);
      const isBest = (whose.get(at) ?? 0) > best;
      return [[id, { name, ...naming, ...(isNext && isBest ? { year: 0 } : {}) }] as const];
    }),
  );
}

/**
 * Index of a document → summed weights of the words it shares with a question; `whose` leaves out the years
 * asked for, which do not identify an organisation. A word's weight is its inverse document frequency among
 * the names (as in BM25), divided by that of a word in a single name, so that it means the same in small and
 * large collections.
 */
function sharedWords(question: string, years: ReadonlySet<string>, { entries, holders }: Names) {
  const rarity = (count: number): number => Math.log(1 + (entries.length - count + 0.5) / (count + 0.5));
  const rarest = Math.max(rarity(1), Number.EPSILON);
  const words = new Map<number, number>();
  const whose = new Map<number, number>();
  for (const term of termsOfQuestion(question)) {
    const places = holders.get(term) ?? [];
    const worth = rarity(places.length) / rarest;
    for (const at of places) {
      words.set(at, (words.get(at) ?? 0) + worth);
      if (!years.has(term)) whose.set(at, (whose.get(at) ?? 0) + worth);
    }
  }
  return { words, whose };
}

/** Whether each document is from the period that a question asks for. Shape [entries]. */
function sharedYears(
  question: string,
  time: AskedTime,
  whose: ReadonlyMap<number, number>,
  { called, holders }: Names,
): readonly Naming["year"][] {
  const named = new Set(
    [...termsOfQuestion(namesIn(question).join(" "))].flatMap((term) => holders.get(term) ?? []),
  );
  const newest = time.years.size === 0 && asksForLatest(question) ? newestOf(called, whose) : undefined;
  return called.map((own, at) => {
    const year = newest === undefined ? compareTimes(time, own) : (newest.get(at) ?? 0);
    // Every company has a report for that quarter.
    const isOfOthers = year > 0 && named.size > 0 && !named.has(at);
    return isOfOthers ? 0 : year;
  });
}

/** The period that a question asks for. */
interface AskedTime {
  readonly years: ReadonlySet<string>;
  readonly periods: readonly Period[];
  /** Whether it asks for a quarter or a half-year. */
  readonly isPart: boolean;
  /** Ends of its first and last period, in years; no document lies between if it has none. */
  readonly first: number;
  readonly last: number;
}

function readTime(question: string): AskedTime {
  const periods = periodsIn(question);
  const ends = periods.flatMap((period) => periodEnd(period) ?? []);
  return {
    years: yearsIn(apart(question)),
    periods,
    isPart: partsOfYears(periods).length > 0,
    first: Math.min(...ends),
    last: Math.max(...ends),
  };
}

/**
 * Whether a document is from the period asked for: by quarters or half-years if both have one, otherwise by
 * years. A document between two periods asked for (`from 2019 to 2022`) is not wrong.
 */
function compareTimes(asked: AskedTime, own: Called): Naming["year"] {
  const time = sameTime(asked, own);
  return time < 0 && own.ends !== undefined && asked.first < own.ends && own.ends < asked.last ? 0 : time;
}

function sameTime(asked: AskedTime, { years, parts }: Called): Naming["year"] {
  if (parts.length > 0 && asked.isPart) {
    const compared = asked.periods.flatMap((period) => parts.map((part) => comparePeriods(period, part)));
    if (compared.includes("same")) return 1;
    if (compared.every((result) => result === "different")) return -1;
  }
  if (asked.years.size === 0 || years.size === 0) return 0;
  return asked.years.isDisjointFrom(years) ? -1 : 1;
}

/** Share of the best match's weight from which a document counts as having the same name. */
const sameName = 0.5;

/**
 * Of the documents with the same name, those of the newest period and the rest; of all documents if the
 * question names none.
 * @param whose index of a document → how well it is named, ignoring years
 */
function newestOf(
  called: readonly Called[],
  whose: ReadonlyMap<number, number>,
): ReadonlyMap<number, Naming["year"]> {
  const best = whose.values().reduce((most, words) => Math.max(most, words), 0);
  const least = sameName * best;
  const dated = called.flatMap(({ ends }, at) =>
    (whose.get(at) ?? 0) < least || ends === undefined ? [] : [{ at, ends }],
  );
  const newest = dated.reduce((latest, { ends }) => Math.max(latest, ends), 0);
  return new Map(dated.map(({ at, ends }) => [at, ends === newest ? 1 : -1]));
}

/** Indexes of the names that have a term, ascending. */
function holdersByTerm(called: readonly Called[]): ReadonlyMap<string, readonly number[]> {
  const holders = new Map<string, number[]>();
  for (const [at, { terms }] of called.entries())
    for (const term of terms) {
      const places = holders.get(term);
      if (places === undefined) holders.set(term, [at]);
      else places.push(at);
    }
  return holders;
}

/** A word as written, without punctuation around it and a possessive ending. */
const partsOf = (written: string): readonly string[] =>
  normalize(apart(written.replace(/['’]s(?=$|[.,;:?!])/u, ""))).match(wordPattern) ?? [];

function withoutNames(question: string, isName: (word: string) => boolean): string {
  const written = question.split(/\s+/u).filter((word) => word !== "");
  const parts = written.map(partsOf);
  const holds = (word: string): boolean => isName(word) || isName(stem(word));
  const dropped = new Set<number>();
  for (let at = 0; at < written.length; at += 1)
    for (let count = 1; count <= mostJoined && at + count <= written.length; count += 1) {
      const run = parts.slice(at, at + count).flat();
      const joined = run.join("");
      const isJoined = joined.length >= leastJoined && isName(joined);
      const isEach = count === 1 && run.length > 0 && run.every((word) => holds(word) && !isStopWord(word));
      if (isJoined || isEach) for (let each = at; each < at + count; each += 1) dropped.add(each);
    }
  const kept = written.filter((_, at) => !dropped.has(at)).join(" ");
  return wordsOf(kept).length < 2 ? question : kept;
}

/** Most documents searched separately because the question names them. */
export const maxNamedDocuments = 4;
/** Reached by a word that only one document's name has, or by several common ones. */
const leastWords = 0.6;

/** The documents that a question names, best first. */
export function findNamedDocuments(
  namings: ReadonlyMap<string, Naming>,
  weights: NamingWeights,
): readonly { readonly id: string; readonly name: string }[] {
  return [...namings]
    .filter(([, { words, year }]) => words >= leastWords && year >= 0)
    .sort(([, one], [, two]) => worthOf(two, weights) - worthOf(one, weights))
    .slice(0, maxNamedDocuments)
    .map(([id, { name }]) => ({ id, name }));
}

/** Hits with the weight of their documents' naming added to their scores, best first. */
export function boostNamedDocuments(
  hits: readonly Hit[],
  namings: ReadonlyMap<string, Naming>,
  weights: NamingWeights,
): readonly Hit[] {
  if (namings.size === 0) return hits;
  return hits
    .map((hit) => {
      const naming = namings.get(hit.chunk.documentId);
      if (naming === undefined) return hit;
      const { parts = { fused: hit.score } } = hit;
      const name = worthOf(naming, weights);
      return { ...hit, score: hit.score + name, parts: { ...parts, name } };
    })
    .sort((one, two) => two.score - one.score);
}

/** Score added to a document's hits for being named. */
function worthOf({ words, year }: Naming, { nameWeight, yearWeight }: NamingWeights): number {
  return nameWeight * words + yearWeight * year;
}
