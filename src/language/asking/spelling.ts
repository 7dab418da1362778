import { capitalizesNouns, languageOfText } from "../languages.ts";
import { isStopWord } from "../terms.ts";

/** Most words that a name may join. */
const mostJoined = 4;
/** Most words considered, and most positions where a name may begin; a longer text is not a question. */
const mostRuns = 12;
/** Shortest name that is recognisable with one wrong letter. */
const leastLetters = 6;

const wordPattern = /[\p{L}\p{M}]+/gu;

/** The typo in `written`: one letter added, missing or different, or two swapped. */
interface Slip {
  /** Index of the first different letter. */
  readonly at: number;
  /** Number of wrong letters of `written` from there. */
  readonly wrong: number;
  /** The name's letters at that position. */
  readonly right: string;
}

/**
 * The single typo (Damerau, 1964) between two words; null if they differ by more, in the first letter, or
 * only at the end, like inflections: `German`, `Germany`.
 */
function slipBetween(written: string, name: string): Slip | null {
  let at = 0;
  while (at < written.length && written[at] === name[at]) at += 1;
  const [rest, wanted] = [written.slice(at), name.slice(at)];
  if (at === 0 || rest.length === 0 || wanted.length === 0) return null;
  const slip = (wrong: number, right: number): Slip | null =>
    rest.slice(wrong) === wanted.slice(right) ? { at, wrong, right: wanted.slice(0, right) } : null;
  const swapped = rest[0] === wanted[1] && rest[1] === wanted[0] ? slip(2, 2) : null;
  if (swapped !== null) return swapped;
  if (rest.length === 1 && wanted.length === 1) return null;
  return slip(0, 1) ?? slip(1, 0) ?? slip(1, 1);
}

/** A word of a question and its position. */
interface Written {
  readonly text: string;
  readonly at: number;
}

const isCapitalised = ({ text }: Written): boolean => /^\p{Lu}/u.test(text);

const endOf = ({ text, at }: Written): number => at + text.length;

/**
 * Positions where a name can begin, last first: a capitalised word and those that follow it after a space.
 * Excludes the beginning of a sentence, where every word is capitalised, quotations and file names.
 */
function runsIn(question: string): readonly (readonly Written[])[] {
  const words = Array.from(question.matchAll(wordPattern), ({ 0: text, index: at }) => ({ text, at }));
  const isBetween = (from: number, to: number, text: string): boolean => question.slice(from, to) === text;
  return words
    .flatMap((first, place) => {
      const before = question.slice(0, first.at).trimEnd();
      const after = question.slice(endOf(first), endOf(first) + 2);
      const isLiteral = /["“„«‹']$/u.test(before) || /^["”»›]|^\.\p{L}/u.test(after);
      if (!isCapitalised(first) || isLiteral || /^$|[.?!:]$/.test(before) || isStopWord(first.text))
        return [];
      const run = words.slice(place, place + mostJoined);
      const end = run.findIndex((word, at) => at > 0 && !isBetween(endOf(run[at - 1] ?? word), word.at, " "));
      return [end === -1 ? run : run.slice(0, end)];
    })
    .slice(0, mostRuns)
    .reverse();
}

/** Whether a question has a word that could be a misspelt name. */
export const mayContainMisspeltName = (question: string): boolean => runsIn(question).length > 0;

/** Names by their first letter and length. */
export interface NameIndex {
  has(name: string): boolean;
  /** Names with the same first letter whose length differs by at most one. */
  near(written: string): readonly string[];
}

/** Indexes names in lower case; only those of six letters or more are ever found. */
export function indexNames(names: ReadonlySet<string>): NameIndex {
  const keyOf = (first: string, length: number): string => `${first}${length}`;
  const groups = Map.groupBy(
    [...names].filter((name) => name.length >= leastLetters && /^\p{L}+$/u.test(name)),
    (name) => keyOf(name[0] ?? "", name.length),
  );
  return {
    has: (name) => names.has(name),
    near: (written) =>
      [-1, 0, 1].flatMap((more) => groups.get(keyOf(written[0] ?? "", written.length + more)) ?? []),
  };
}

/** The only name that is one typo away from a word; null for none or several. */
function slipIn(written: string, names: NameIndex): NamedSlip | null {
  if (written.length < leastLetters || names.has(written)) return null;
  const slips = names.near(written).flatMap((name) => {
    const slip = slipBetween(written, name);
    return slip === null ? [] : [{ ...slip, name }];
  });
  return slips.length === 1 ? (slips[0] ?? null) : null;
}

interface NamedSlip extends Slip {
  readonly name: string;
}

/**
 * A question with the typo in a run of its words corrected, and the word that had it; null if it is between
 * two words.
 */
function mended(
  question: string,
  run: readonly Written[],
  { at, wrong, right }: Slip,
): { readonly text: string; readonly word: string } | null {
  let before = 0;
  for (const { text, at: start } of run) {
    const inside = at - before;
    // A missing letter at the boundary of two words belongs to the first.
    if (inside < text.length || (inside === text.length && wrong === 0)) {
      if (inside + wrong > text.length) return null;
      const letters = text === text.toUpperCase() ? right.toUpperCase() : right;
      const mendedText = question.slice(0, start + inside) + letters + question.slice(start + inside + wrong);
      return { text: mendedText, word: text };
    }
    before += text.length;
  }
  return null;
}

/** A misspelt name of a document. */
export interface Misspelling {
  /** The misspelt word, as typed. */
  readonly typed: string;
  /** The document's name, in lower case. */
  readonly name: string;
}

/** A question with corrected document names. */
export interface Spelt {
  readonly text: string;
  /** Empty if nothing was changed. */
  readonly misspelt: readonly Misspelling[];
}

/**
 * Corrects one-letter misspellings of document names: `Neflix` → `Netflix`. Only capitalised words of at
 * least six letters, or several that a name joins, close to exactly one name. Unchanged are a language that
 * capitalises every noun, and the words in `right`, which are in lower case.
 */
export function withCorrectedNames(
  question: string,
  names: NameIndex,
  right: ReadonlySet<string> = new Set(),
): Spelt {
  let text = question;
  let done = question.length;
  const misspelt: Misspelling[] = [];
  for (const run of capitalizesNouns(question) ? [] : runsIn(question)) {
    const open = run.filter(({ at }) => at < done);
    for (const count of open.keys()) {
      const words = open.slice(0, count + 1);
      const better = withCorrectedName(text, words, names);
      if (better === null || right.has(better.typed.toLowerCase())) continue;
      text = better.text;
      misspelt.push({ typed: better.typed, name: better.name });
      done = open[0]?.at ?? 0;
      break;
    }
  }
  return { text, misspelt };
}

/** The question with one name corrected, if these of its words are a misspelling of it; otherwise null. */
function withCorrectedName(
  question: string,
  run: readonly Written[],
  names: NameIndex,
): (Misspelling & { readonly text: string }) | null {
  const joined = run.map(({ text }) => text).join("");
  const written = joined.toLowerCase();
  const isName = names.has(run.at(-1)?.text.toLowerCase() ?? "");
  const slip = isName || written.length !== joined.length ? null : slipIn(written, names);
  const better = slip === null ? null : mended(question, run, slip);
  return slip === null || better === null ? null : { text: better.text, typed: better.word, name: slip.name };
}

/** A separate lower-case word, not part of an address, a path, an identifier or a quotation. */
const plainWord =
  /(?<![\p{L}\p{M}\p{N}_\-@./\\:#"“„«‹`])[a-z]+(?![\p{L}\p{M}\p{N}_\-@/\\"”»›`(]|[.:]\p{L})/gu;

/**
 * The first words of a question that are not names: at least six letters, in lower case, without accents.
 * None in a language where one letter often makes another word.
 */
export function plainWordsIn(question: string): readonly string[] {
  if (languageOfText(question).closeWords === true) return [];
  const words = (question.match(plainWord) ?? []).filter(
    (word) => word.length >= leastLetters && !isStopWord(word),
  );
  return [...new Set(words)].slice(0, mostRuns);
}

/** Replaces the words in `wrong` by the word of `known` that each is one typo away from. */
export function withCorrectedWords(question: string, wrong: readonly string[], known: NameIndex): Spelt {
  const misspelt = wrong.flatMap((typed) => {
    const slip = slipIn(typed, known);
    return slip === null ? [] : [{ typed, name: slip.name }];
  });
  const names = new Map(misspelt.map(({ typed, name }) => [typed, name]));
  return { text: question.replace(plainWord, (word) => names.get(word) ?? word), misspelt };
}
