import { german } from "./lexicons/de.ts";
import { english } from "./lexicons/en.ts";
import { french } from "./lexicons/fr.ts";
import type { Language } from "./lexicons/language.ts";
import { hasVietnameseLetters, vietnamese } from "./lexicons/vi.ts";

/** Every language whose words are known; a new one is a file like `fr.ts` and its name here. */
export const languages: readonly Language[] = [english, vietnamese, french, german];

type List = string | readonly string[] | undefined;

/** The words of a list, none twice. */
export const listed = (list: List): string[] => [
  ...new Set([list ?? []].flat().flatMap((group) => group.split(/\s+/).filter((word) => word !== ""))),
];

/** The words that one list holds in any language. */
export const wordsIn = (list: (language: Language) => List): ReadonlySet<string> =>
  new Set(languages.flatMap((language) => listed(list(language))));

const smallWords = languages.map(({ code, functionWords }) => ({
  code,
  words: new Set(listed(functionWords)),
}));

/**
 * Whether a text is German, by the small words that only German has: more of them than of those that only
 * other languages have. A question of three words has one.
 */
export function isGerman(text: string): boolean {
  let balance = 0;
  for (const word of text
    .normalize("NFC")
    .toLowerCase()
    .match(/\p{L}+/gu) ?? []) {
    const codes = smallWords.filter(({ words }) => words.has(word)).map(({ code }) => code);
    const isOwn = codes.includes("de");
    if (codes.length > 0 && !(isOwn && codes.length > 1)) balance += isOwn ? 1 : -1;
  }
  return balance > 0;
}

/** The alternatives that one list holds in any language, for a pattern. */
export const alternatives = (list: (language: Language) => string | undefined): string =>
  languages.flatMap((language) => list(language) ?? []).join("|");

/** Alternatives of what stands between two numbers that are listed: `and`, `or`. */
export const conjunctions = (): string =>
  `${alternatives(({ and }) => and)}|${alternatives((language) => language.or)}`;

/** Alternatives of what stands between the ends of a span, but for those that join two numbers as well. */
export function spanWords(): string {
  const joining = alternatives(({ and }) => and).split("|");
  return alternatives(({ until }) => until)
    .split("|")
    .filter((word) => !joining.includes(word))
    .join("|");
}

/**
 * The language or script of a text, as far as passages and answers are told apart by it: `vi`, `cjk`, `latin`
 * or `other`. Scripts count by their share of the letters; Vietnamese by its own letters, which a foreign
 * name or symbol alone does not make.
 */
export function languageOf(text: string): string {
  const letters = text.normalize("NFC").match(/\p{L}/gu) ?? [];
  const share = (matches: (letter: string) => boolean): number =>
    letters.filter(matches).length / Math.max(1, letters.length);
  if (share(hasVietnameseLetters) > 0.05) return "vi";
  const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
  if (share((letter) => eastAsian.test(letter)) > 0.3) return "cjk";
  return share((letter) => /\p{Script=Latin}/u.test(letter)) > 0.5 ? "latin" : "other";
}
