import { lazyMap } from "../../core/lazy.ts";
import { detectLanguage, languageOf, languages, parseWords } from "../../language/languages.ts";
import { replacer } from "../../language/replacer.ts";
import type { LanguageCode } from "../../language/schema/language.ts";
import { stem } from "../../language/terms.ts";

/** How the words of a question and of table names are interpreted in a language. */
export interface LocaleRules {
  readonly language: LanguageCode;
  /** Decimal separator. */
  readonly decimal: "." | ",";
  readonly apart: (text: string) => string;
  readonly hasCompounds: boolean;
  /** The root of a word, for comparing names and questions. */
  readonly rootOf: (word: string) => string;
  /** Roots of a name or question, in order. */
  readonly rootsOf: (text: string) => readonly string[];
  /**
   * Whether a word or root names neither a column nor a value: grammar, and general words for querying
   * tables.
   */
  readonly isSilent: (word: string) => boolean;
  /** Other names a column with this meaning may have. */
  readonly meaningsOf: (root: string) => ReadonlySet<string>;
  /** Roots of headings for names and for mere row numbers, in all languages. */
  readonly names: ReadonlySet<string>;
  readonly identifiers: ReadonlySet<string>;
}

const word =
  /(?:\p{Lu}[\p{Lu}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)(?:\d{1,3}(?!\d))?|\d[\d.,]*\d|\d/gu;

/** Words and numbers of a text in lower case, with their positions; `unitPrice` is two words, `CO2` one. */
export const wordPlaces = (text: string) =>
  [...text.normalize("NFC").matchAll(word)].map(({ 0: found, index }) => ({
    text: found.toLowerCase(),
    from: index,
    to: index + found.length,
  }));

/** The words without positions. */
export const positionlessWords = (text: string): readonly string[] =>
  wordPlaces(text).map(({ text: found }) => found);

/** The reading of a language. */
export const rulesForLanguage = lazyMap((language: LanguageCode): LocaleRules => {
  const { decimal, hasCompounds = false, silent, meanings, ...sheets } = languageOf(language).sheets;
  const apart = replacer(sheets.apart ?? []);
  const rootOf = sheets.roots === undefined ? stem : replacer(sheets.roots);
  const words = parseWords(silent);
  const silentWords = new Set([...words, ...words.map(rootOf)]);
  const byRoot = new Map(
    Object.entries(meanings).map(([word, names]) => [rootOf(word), new Set(parseWords(names).map(rootOf))]),
  );
  const rootsIn = (list: "names" | "identifiers"): ReadonlySet<string> =>
    new Set(languages.flatMap((each) => parseWords(each.sheets[list])).map(rootOf));
  return {
    language,
    decimal,
    apart,
    hasCompounds,
    rootOf,
    rootsOf: (text) => positionlessWords(apart(text)).map(rootOf),
    isSilent: (word) => silentWords.has(word),
    meaningsOf: (root) => byRoot.get(root) ?? new Set(),
    names: rootsIn("names"),
    identifiers: rootsIn("identifiers"),
  };
});

/**
 * The reading for a question's language. A short question may have no words that identify one (`Höchster
 * Preis?`): then the language that knows most of its words.
 */
export function localeRules(question: string): LocaleRules {
  const spoken = detectLanguage(question);
  if (spoken !== "en") return rulesForLanguage(spoken);
  const words = positionlessWords(question);
  const knownTo = (code: LanguageCode): number => {
    const { isSilent, rootOf, meaningsOf } = rulesForLanguage(code);
    const roots = words.map(rootOf);
    return words.reduce((sum, word, at) => {
      const root = roots[at] ?? word;
      return sum + Number(isSilent(word)) + Number(isSilent(root)) + Number(meaningsOf(root).size > 0);
    }, 0);
  };
  return rulesForLanguage(
    languages.reduce((best, { code }) => (knownTo(code) > knownTo(best) ? code : best), spoken),
  );
}

/** Numbers in groups of three digits, by decimal separator. */
const grouped = {
  ".": /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/,
  ",": /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/,
} as const;

/** A number in this language's notation, as plain digits; null if it cannot be parsed. */
export function numberIn({ decimal }: LocaleRules, written: string): string | null {
  const isGrouped = grouped[decimal].test(written);
  const plain = (isGrouped ? written.replaceAll(decimal === "," ? "." : ",", "") : written).replace(",", ".");
  return /^\d+(?:\.\d+)?$/.test(plain) ? plain : null;
}
