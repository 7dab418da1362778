import { longFormOf } from "../synonyms.ts";
import { fold, isFunctionWord, wordsOf } from "../words.ts";

/** Characters before an abbreviation in brackets that are looked at for its long form. */
const longestForm = 120;

const bracketed = /\((\p{Lu}[\p{Lu}\p{N}&-]{1,7})s?\)/gu;

/**
 * Abbreviations with the long forms that texts themselves give them: `Lock-out/tag-out (LOTO)` → `Lock out
 * tag out LOTO`. The words right before the brackets are a long form where their first letters are those of
 * the abbreviation.
 */
export function longFormsIn(texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const text of texts)
    for (const match of text.normalize("NFKC").matchAll(bracketed)) {
      const short = match[1] ?? "";
      const letters = short.toLowerCase().replace(/[^\p{L}]/gu, "");
      const before = wordsOf(text.slice(Math.max(0, match.index - longestForm), match.index));
      const words = before.flatMap((word) => word.split(/[-/]/)).slice(-letters.length);
      const initials = words.map((word) => word[0]?.toLowerCase() ?? "").join("");
      if (letters.length > 1 && initials === letters) found.add([...words, short].join(" "));
    }
  return [...found];
}

/** Words of a list, each once, that are neither function words nor among `others`. */
export function newWords(words: readonly string[], others: readonly string[]): readonly string[] {
  const keys = new Set(others.map(fold));
  const additions: string[] = [];
  for (const word of words) {
    const key = fold(word);
    if (isFunctionWord(word) || keys.has(key)) continue;
    keys.add(key);
    additions.push(word);
  }
  return additions;
}

/**
 * Words that may be abbreviations, in lower case, with `SG&A` and `R&D` in one piece. Two letters are one only in
 * capitals: `un` and `ai` are words of other languages.
 */
export const shortForms = (question: string): string[] =>
  (question.normalize("NFKC").match(/[\p{L}\p{M}\p{N}]+(?:&[\p{L}]+)?/gu) ?? [])
    .filter((word) => word.length > 2 || word === word.toUpperCase())
    .map((word) => word.toLowerCase());

/** A query with the long forms of its abbreviations behind it: a document may have only those. */
export function spelledOut(query: string): string {
  const long = shortForms(query).flatMap(longFormOf);
  return [query, ...newWords(long, wordsOf(query))].join(" ");
}
