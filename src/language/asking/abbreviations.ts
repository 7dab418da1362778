import { longFormOf, synonymsOf } from "../synonyms.ts";
import { foldWord, isFunctionWord, splitWords } from "../words.ts";

/** The words beside an abbreviation whose initials spell it: `Lock-out (LO)`. Lower case in and out. */
export function wordsGivenFor(short: string, texts: readonly string[]): readonly string[] {
  const given = texts.flatMap((text) => {
    const all = splitWords(text).flatMap((word) => word.split(/[-/]/));
    const places = all.flatMap((word, at) => (word === short.toUpperCase() ? [at] : []));
    return places
      .flatMap((at) => [
        all.slice(Math.max(0, at - short.length), at),
        all.slice(at + 1, at + 1 + short.length),
      ])
      .filter((words) => words.map(([initial = ""]) => initial.toLowerCase()).join("") === short);
  });
  return [...new Set(given.flat().map((word) => word.toLowerCase()))].filter((word) => !isFunctionWord(word));
}

/** As `synonymsOf`, but for a known abbreviation that texts define the words that they give for it. */
export function synonymsIn(texts: readonly string[], word: string, ...beside: [string, string]) {
  const given = longFormOf(word).length === 0 ? [] : wordsGivenFor(word, texts);
  return given.length > 0 ? given : synonymsOf(word, ...beside);
}

/** The distinct words of a list that are neither function words nor among `others`. */
function newWords(words: readonly string[], others: readonly string[]): readonly string[] {
  const keys = new Set(others.map(foldWord));
  const additions: string[] = [];
  for (const word of words) {
    const key = foldWord(word);
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
export function expandAbbreviations(query: string): string {
  const long = shortForms(query).flatMap(longFormOf);
  return [query, ...newWords(long, splitWords(query))].join(" ");
}
