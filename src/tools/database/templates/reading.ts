import { keyed } from "../../../core/lazy.ts";
import { listed, spokenLanguage } from "../../../language/languages.ts";
import type { LanguageCode } from "../../../language/lexicons/language.ts";
import { sheetWords } from "../../../language/sheets/sheets.ts";

const codes = Object.keys(sheetWords) as readonly LanguageCode[];

/** How the words of a question, and of the tables it is held against, are read. */
export interface Reading {
  readonly language: LanguageCode;
  /** What stands before decimals. */
  readonly decimal: "." | ",";
  readonly apart: (text: string) => string;
  readonly hasCompounds: boolean;
  /** The root of a word, by which names and questions are compared. */
  readonly rootOf: (word: string) => string;
  /** Words of a name or a question, in order. */
  readonly rootsOf: (text: string) => readonly string[];
  /** Whether a word or a root names neither a column nor a value: grammar, and what is asked of tables in general. */
  readonly isSilent: (word: string) => boolean;
  /** What a column may be called besides this root. */
  readonly meaningsOf: (root: string) => ReadonlySet<string>;
  /** Roots of what a column of names is called, and one that only numbers the rows; of every language. */
  readonly names: ReadonlySet<string>;
  readonly identifiers: ReadonlySet<string>;
}

const word =
  /(?:\p{Lu}[\p{Lu}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)(?:\d{1,3}(?!\d))?|\d[\d.,]*\d|\d/gu;

/** Words and numbers of a text in lower case, and where they stand; `unitPrice` is two, `CO2` one. */
export const wordPlaces = (text: string) =>
  [...text.normalize("NFC").matchAll(word)].map(({ 0: found, index }) => ({
    text: found.toLowerCase(),
    from: index,
    to: index + found.length,
  }));

/** The words alone. */
export const wordsOf = (text: string): readonly string[] => wordPlaces(text).map(({ text: found }) => found);

const readingIn = keyed((language: LanguageCode): Reading => {
  const { decimal, apart, hasCompounds, rootOf, silent, meanings } = sheetWords[language];
  const words = listed(silent);
  const silentWords = new Set([...words, ...words.map(rootOf)]);
  const byRoot = new Map(
    Object.entries(meanings).map(([word, names]) => [rootOf(word), new Set(listed(names).map(rootOf))]),
  );
  const rootsIn = (list: "names" | "identifiers"): ReadonlySet<string> =>
    new Set(codes.flatMap((code) => listed(sheetWords[code][list])).map(rootOf));
  return {
    language,
    decimal,
    apart,
    hasCompounds,
    rootOf,
    rootsOf: (text) => wordsOf(apart(text)).map(rootOf),
    isSilent: (word) => silentWords.has(word),
    meaningsOf: (root) => byRoot.get(root) ?? new Set(),
    names: rootsIn("names"),
    identifiers: rootsIn("identifiers"),
  };
});

/**
 * How a question is read: in the language it is in. A short one may have none of the words that tell a language
 * (`Höchster Preis?`): then in the one that has most of its words.
 */
export function readingOf(question: string): Reading {
  const spoken = spokenLanguage(question);
  if (spoken !== "en") return readingIn(spoken);
  const words = wordsOf(question);
  const knownTo = (code: LanguageCode): number => {
    const { isSilent, rootOf, meaningsOf } = readingIn(code);
    const roots = words.map(rootOf);
    return words.reduce((sum, word, at) => {
      const root = roots[at] ?? word;
      return sum + Number(isSilent(word)) + Number(isSilent(root)) + Number(meaningsOf(root).size > 0);
    }, 0);
  };
  return readingIn(codes.reduce((best, code) => (knownTo(code) > knownTo(best) ? code : best), spoken));
}

/** Numbers in groups of three digits, by what stands before their decimals. */
const grouped = {
  ".": /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/,
  ",": /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/,
} as const;

/** A number as people write it in this language, in digits; null where it cannot be read. */
export function numberIn({ decimal }: Reading, written: string): string | null {
  const isGrouped = grouped[decimal].test(written);
  const plain = (isGrouped ? written.replaceAll(decimal === "," ? "." : ",", "") : written).replace(",", ".");
  return /^\d+(?:\.\d+)?$/.test(plain) ? plain : null;
}
