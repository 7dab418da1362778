import { isGerman, spokenLanguage } from "../languages.ts";
import { isStopWord } from "../terms.ts";

/** Words that a name may join. */
const mostJoined = 4;
/** Words of a question that are looked at, and places where a name can begin: a longer text is no question. */
const mostRuns = 12;
/** Letters from which one wrong letter leaves a name recognisable. */
const leastLetters = 6;

const wordPattern = /[\p{L}\p{M}]+/gu;

/** What is wrong with `written`, which has one letter more, less or another, or two swapped. */
interface Slip {
  /** The first letter that differs, from 0. */
  readonly at: number;
  /** Letters of `written` from there that are wrong. */
  readonly wrong: number;
  /** What stands there in the name. */
  readonly right: string;
}

/**
 * The one slip (Damerau, 1964) between two words; null where they differ by more, in the first letter, or only
 * at the end, as other forms of a word do: `German`, `Germany`.
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

/** A word of a question, and where it stands. */
interface Written {
  readonly text: string;
  readonly at: number;
}

const isCapitalised = ({ text }: Written): boolean => /^\p{Lu}/u.test(text);

const endOf = ({ text, at }: Written): number => at + text.length;

/**
 * Where a name can begin, the last first: the capitalised word and those that follow it after a blank. Not at
 * the beginning of a sentence, where every word is capitalised, nor what is quoted or the name of a file.
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

/** Whether a question has a word that a misspelt name could be. */
export const mayNameMisspelt = (question: string): boolean => runsIn(question).length > 0;

/** Names by their first letter and length. */
export interface NameIndex {
  has(name: string): boolean;
  /** Names that begin with this letter and have a length of at most one more or less. */
  near(written: string): readonly string[];
}

/** Reads names, in lower case; only those of six letters or more are ever near. */
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

/** The one name that a word is a slip away from; null for none or several. */
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

/** A question with a slip in a run of its words mended, and the word it was in; null where it lies between two. */
function mended(
  question: string,
  run: readonly Written[],
  { at, wrong, right }: Slip,
): { readonly text: string; readonly word: string } | null {
  let before = 0;
  for (const { text, at: start } of run) {
    const inside = at - before;
    // A letter that is missing where two words meet is the last of the first one.
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

/** A name of a document that was misspelt. */
export interface Misspelling {
  /** The word with the slip, as it stands in the question. */
  readonly typed: string;
  /** As the document is called, in lower case. */
  readonly name: string;
}

/** A question with its names as documents are called. */
export interface Spelt {
  readonly text: string;
  /** Empty where nothing was changed. */
  readonly misspelt: readonly Misspelling[];
}

/**
 * The question with names of documents that are misspelt by one letter as they are called: `Neflix` →
 * `Netflix`. Capitalised words of at least six letters alone, also several that a name joins, which are near
 * one name only. German, which capitalises every noun, stays as it is, and so do the words of `right`, in lower case.
 */
export function withCorrectedNames(
  question: string,
  names: NameIndex,
  right: ReadonlySet<string> = new Set(),
): Spelt {
  let text = question;
  let done = question.length;
  const misspelt: Misspelling[] = [];
  for (const run of isGerman(question) ? [] : runsIn(question)) {
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

/** The question with one name mended, which these words of it are meant to be; null where they are none. */
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

/** A word in lower case, by itself: none of an address, a path, an identifier or what is quoted by itself. */
const plainWord =
  /(?<![\p{L}\p{M}\p{N}_\-@./\\:#"“„«‹`])[a-z]+(?![\p{L}\p{M}\p{N}_\-@/\\"”»›`(]|[.:]\p{L})/gu;

/**
 * The first words of a question that are no names: of six letters or more, in lower case and without accents. None
 * of a German or Vietnamese one, where one letter more often makes another word.
 */
export function plainWordsIn(question: string): readonly string[] {
  if (["de", "vi"].includes(spokenLanguage(question))) return [];
  const words = (question.match(plainWord) ?? []).filter(
    (word) => word.length >= leastLetters && !isStopWord(word),
  );
  return [...new Set(words)].slice(0, mostRuns);
}

/** The question with these words of it as the one of `known` is spelt that each is a slip away from. */
export function withCorrectedWords(question: string, wrong: readonly string[], known: NameIndex): Spelt {
  const misspelt = wrong.flatMap((typed) => {
    const slip = slipIn(typed, known);
    return slip === null ? [] : [{ typed, name: slip.name }];
  });
  const names = new Map(misspelt.map(({ typed, name }) => [typed, name]));
  return { text: question.replace(plainWord, (word) => names.get(word) ?? word), misspelt };
}
