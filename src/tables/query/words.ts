import { allWords, alternatives, languageOfText, languages, parseWords } from "../../language/languages.ts";
import { isStopWord, normalize, stem } from "../../language/terms.ts";
import { isFunctionWord } from "../../language/words.ts";

const roots = (list: Parameters<typeof allWords>[0]): ReadonlySet<string> =>
  new Set([...allWords(list)].map(stem));

/** Only say that a cell exists, or that something has it: `score`, `achieves`. */
export const neutralWords = roots(({ cells }) => cells?.neutral);
/** Kinds of value that all numbers of a table may have, and that its headers may omit: `accuracy`. */
export const kindsOfValues = roots(({ cells }) => cells?.kinds);
/** Words that distinguish otherwise identical labels. */
export const distinguishingWords = roots(({ cells }) => cells?.turning);
/** Words for a year. */
export const yearWords = roots(({ cells }) => cells?.years);
const turningWords = allWords(({ cells }) => cells?.turning);
const ways = allWords(({ cells }) => cells?.ways);
const shares = new Set(languages.flatMap(({ cells }) => parseWords(cells?.shares)));

/** Prefix of words that only distinguish labels: `Loans from directors`. */
const wayMark = "~";
/** Whether a word only distinguishes labels, so that nothing needs to match it. */
export const isLabelQualifier = (token: string): boolean => token.startsWith(wayMark);

const wordPattern = /[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*|%/gu;
/** A single capital letter: `Pump A`, `[W]`. */
const capital = /(?<![\p{L}\p{M}\p{N}'’.-])\p{Lu}(?![\p{L}\p{M}\p{N}'’.-])/gu;

/** A letter attached to a digit: `4o`, `P-103`. */
const besideDigit = /(?<=\p{N})\p{L}(?![\p{L}\p{M}])|(?<![\p{L}\p{M}\p{N}])\p{L}(?=-?\p{N})/gu;

/**
 * The distinct meaningful words of a text, normalised: roots, numbers, `%`, and single capitals, with a
 * prefix.
 */
export function contentTokens(text: string): ReadonlySet<string> {
  const plain = (normalize(text).match(wordPattern) ?? []).flatMap((word) => {
    if (shares.has(word)) return ["%"];
    if (ways.has(word)) return [`${wayMark}${word}`];
    if (isStopWord(word) && !turningWords.has(word)) return [];
    return word.length > 1 || /[\p{N}\p{Lo}%]/u.test(word) ? [stem(word)] : [];
  });
  const codes = normalize(text).match(besideDigit) ?? [];
  const letters = (text.normalize("NFKC").match(capital) ?? []).map((letter) => `=${letter}`);
  return new Set([...plain, ...codes, ...letters]);
}

const asksAmount = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:${alternatives(({ cells }) => cells?.asksAmount)})(?![\\p{L}\\p{M}])`,
  "giu",
);

/** The meaningful words of a question; an article that opens a sentence is not a single capital. */
export function questionTokens(question: string): ReadonlySet<string> {
  const plain = question.replace(/(?<=^|[.?!,:]\s)A(?=\s)/gu, "a").replace(asksAmount, " ");
  if (languageOfText(question).falseFriends !== true) return contentTokens(plain);
  const isSmall = (word: string): boolean =>
    isFunctionWord(word) && !turningWords.has(word.toLowerCase()) && !/^\p{Lu}$/u.test(word);
  return contentTokens(
    plain
      .split(/\s+/)
      .filter((word) => !isSmall(word))
      .join(" "),
  );
}

/** Whether all members of one set are in another. */
export const isSubset = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean =>
  some.isSubsetOf(all);

/** Words of limits: `more`, `above`. */
export const limitWords = contentTokens(
  alternatives(({ limits }) => (limits === undefined ? undefined : Object.values(limits).join("|"))).replace(
    /[^\p{L}\p{M}]+/gu,
    " ",
  ),
);
