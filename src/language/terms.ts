import { wordsIn } from "./languages.ts";
import { rootOf } from "./words.ts";

const stopWords = wordsIn((language) => language.stopWords);

/** Whether a word, in any case, says nothing about the subject. */
export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase());

const wordPattern = /[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*/gu;

/** Letters and digits only, to find `Best Buy` in `BESTBUY_2023_10K`. */
export const squash = (text: string): string => normalize(text).replace(/[^\p{L}\p{N}\p{M}]+/gu, "");

/** Raised digits behind a number as a power, so that NFKC does not write 10¹¹ as 1011. */
export const withPowers = (text: string): string =>
  text.replace(
    /(?<=\d)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}/g,
    (raised) => `^${raised.normalize("NFKC").replace("−", "-")}`,
  );

/**
 * Text in the form words are compared in: NFKC, lower case, fiscal years and quarters as plain years (`FY22`
 * → `2022`).
 */
export function normalize(text: string): string {
  return withPowers(text)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\bfy[\s']?(?=(?:19|20)\d\d\b)/g, " ")
    .replace(/\bfy[\s']?(\d\d)\b/g, " 20$1 ")
    .replace(/\bq([1-4])[\s']?((?:19|20)\d\d)\b/g, " q $1 $2 ");
}

/** Whether a word or term begins as a number does. */
export const isNumber = (term: string): boolean => /^\p{N}/u.test(term);

/** The years from 1900 to 2099 that a text names, fiscal ones among them, each once. */
export const yearsIn = (text: string): ReadonlySet<string> =>
  new Set(normalize(text).match(/(?<!\p{N})(?:19|20)\d\d(?!\p{N})/gu));

/** Whether a term is a year from 1900 to 2099. */
export const isYear = (term: string): boolean => /^(?:19|20)\d\d$/.test(term);

/**
 * A word as terms are compared: its root, doubled letters undone; numbers without commas. `fold` of questions
 * keeps them doubled.
 */
export function stem(word: string): string {
  return isNumber(word) ? word.replaceAll(",", "") : rootOf(word, true);
}

/** Every word of a text as compared, in order, stop words included. */
export function words(text: string): string[] {
  return (normalize(text).match(wordPattern) ?? []).map(stem);
}

/** The words of a text that carry its subject, each once. */
export function contentTerms(text: string): string[] {
  const terms = (normalize(text).match(wordPattern) ?? []).filter((word) => !stopWords.has(word)).map(stem);
  return [...new Set(terms.filter((term) => term.length > 1 || /[\p{N}\p{Lo}]/u.test(term)))];
}
