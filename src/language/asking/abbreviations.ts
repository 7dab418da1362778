import { longFormOf } from "../synonyms.ts";
import { fold, isFunctionWord, wordsOf } from "../words.ts";

/** Characters before a bracketed abbreviation that may contain its long form. */
const longestForm = 120;

const bracketed = /\((\p{Lu}[\p{Lu}\p{N}&-]{1,7})s?\)/gu;

/**
 * Abbreviations with the long forms given in the texts: `Lock-out/tag-out (LOTO)` → `Lock out tag out LOTO`.
 * The words right before the brackets are a long form if their initials spell the abbreviation.
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

/** The distinct words of a list that are neither function words nor among `others`. */
function newWords(words: readonly string[], others: readonly string[]): readonly string[] {
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
 * Possible abbreviations in lower case, with `SG&A` and `R&D` kept whole. Two letters must be capitals,
 * because `un` and `ai` are words of other languages.
 */
export const shortForms = (question: string): string[] =>
  (question.normalize("NFKC").match(/[\p{L}\p{M}\p{N}]+(?:&[\p{L}]+)?/gu) ?? [])
    .filter((word) => word.length > 2 || word === word.toUpperCase())
    .map((word) => word.toLowerCase());

/** A query followed by the long forms of its abbreviations, since a document may only have those. */
export function spelledOut(query: string): string {
  const long = shortForms(query).flatMap(longFormOf);
  return [query, ...newWords(long, wordsOf(query))].join(" ");
}
