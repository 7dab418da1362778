import { alternatives, isGerman, languages, listed, wordsIn } from "../../language/languages.ts";
import { isStopWord, normalize, stem } from "../../language/terms.ts";
import { isFunctionWord } from "../../language/words.ts";

const roots = (list: Parameters<typeof wordsIn>[0]): ReadonlySet<string> =>
  new Set([...wordsIn(list)].map(stem));

/** Say of a cell that it is one, or that something has it: `score`, `achieves`. */
export const neutral = roots(({ cells }) => cells?.neutral);
/** What all numbers of a table may be of, which its headers need not say: `accuracy`. */
export const kindsOfValues = roots(({ cells }) => cells?.kinds);
/** Words that make another row of one that is called alike otherwise. */
export const turning = roots(({ cells }) => cells?.turning);
/** Words that say that all columns count together. */
export const sums = roots(({ cells }) => cells?.sums);
/** Words for a year. */
export const yearWords = roots(({ cells }) => cells?.years);
const turningWords = wordsIn(({ cells }) => cells?.turning);
const ways = wordsIn(({ cells }) => cells?.ways);
const shares = new Set(languages.flatMap(({ cells }) => listed(cells?.shares)));

/** Before words that only tell one label from another: `Loans from directors`. */
const wayMark = "~";
/** Whether a word only tells one label from another, and need not be said of anything. */
export const isWay = (token: string): boolean => token.startsWith(wayMark);

const wordPattern = /[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*|%/gu;
/** A capital that stands alone: `Pump A`, `[W]`. */
const capital = /(?<![\p{L}\p{M}\p{N}'’.-])\p{Lu}(?![\p{L}\p{M}\p{N}'’.-])/gu;

/** A letter that belongs to a digit: `4o`, `P-103`. */
const besideDigit = /(?<=\p{N})\p{L}(?![\p{L}\p{M}])|(?<![\p{L}\p{M}\p{N}])\p{L}(?=-?\p{N})/gu;

/**
 * The words of a text that tell what it is of, each once, as they are compared: roots, numbers, `%`, and capitals
 * that stand alone, with a mark.
 */
export function tellingTokens(text: string): ReadonlySet<string> {
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

/** The telling words of a question; the article that opens a sentence is no name. */
export function tokensAsked(question: string): ReadonlySet<string> {
  const plain = question.replace(/(?<=^|[.?!,:]\s)A(?=\s)/gu, "a").replace(asksAmount, " ");
  if (!isGerman(question)) return tellingTokens(plain);
  // `die` and `hat` tell something in other languages.
  const isSmall = (word: string): boolean =>
    isFunctionWord(word) && !turningWords.has(word.toLowerCase()) && !/^\p{Lu}$/u.test(word);
  return tellingTokens(
    plain
      .split(/\s+/)
      .filter((word) => !isSmall(word))
      .join(" "),
  );
}

/** Whether all of one set are in another. */
export const isWithin = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean =>
  some.isSubsetOf(all);

/** The words by which a limit is told: `more`, `above`. */
export const limitWords = tellingTokens(
  alternatives(({ limits }) => (limits === undefined ? undefined : Object.values(limits).join("|"))).replace(
    /[^\p{L}\p{M}]+/gu,
    " ",
  ),
);
