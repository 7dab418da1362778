import { allWords } from "./languages.ts";
import { stemWord } from "./words.ts";

const stopWords = allWords((language) => language.stopWords);

/** Whether a word, in any case, is irrelevant to the subject. */
export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase());

const wordPattern = /[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*/gu;

/** Letters and digits only, to find `Best Buy` in `BESTBUY_2023_10K`. */
export const alphanumeric = (text: string): string => normalize(text).replace(/[^\p{L}\p{N}\p{M}]+/gu, "");

/** Superscript digits after a number as a power, so that NFKC does not turn 10¹¹ into 1011. */
export const superscriptsToPowers = (text: string): string =>
  text.replace(
    /(?<=\d)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}/g,
    (raised) => `^${raised.normalize("NFKC").replace("−", "-")}`,
  );

/**
 * Text normalised for comparing words: NFKC, lower case, fiscal years and quarters as plain years (`FY22` →
 * `2022`).
 */
export function normalize(text: string): string {
  return superscriptsToPowers(text)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\bfy[\s']?(?=(?:19|20)\d\d\b)/g, " ")
    .replace(/\bfy[\s']?(\d\d)\b/g, " 20$1 ")
    .replace(/\bq([1-4])[\s']?((?:19|20)\d\d)\b/g, " q $1 $2 ");
}

/** Whether a word or term begins with a digit. */
export const isNumber = (term: string): boolean => /^\p{N}/u.test(term);

/** The distinct years from 1900 to 2099 in a text, including fiscal ones. */
export const yearsIn = (text: string): ReadonlySet<string> =>
  new Set(normalize(text).match(/(?<!\p{N})(?:19|20)\d\d(?!\p{N})/gu));

/** Whether a term is a year from 1900 to 2099. */
export const isYear = (term: string): boolean => /^(?:19|20)\d\d$/.test(term);

/**
 * A word normalised as a term: its root, with double letters reduced; numbers without commas. `fold` for
 * questions keeps double letters.
 */
export function stem(word: string): string {
  return isNumber(word) ? word.replaceAll(",", "") : stemWord(word, true);
}

/** Every word of a text, normalised, in order, including stop words. */
export function words(text: string): string[] {
  return (normalize(text).match(wordPattern) ?? []).map(stem);
}

/** The distinct subject words of a text. */
export function contentTerms(text: string): string[] {
  const terms = (normalize(text).match(wordPattern) ?? []).filter((word) => !stopWords.has(word)).map(stem);
  return [...new Set(terms.filter((term) => term.length > 1 || /[\p{N}\p{Lo}]/u.test(term)))];
}
