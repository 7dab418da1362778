import { existsSync, readFileSync } from "node:fs";
import type { Language, LanguageCode } from "./schema/language.ts";

const built = new URL("languages.json", import.meta.url);

/** Every supported language: a file each in `config/languages/`. */
export const languages: readonly Language[] = existsSync(built)
  ? JSON.parse(readFileSync(built, "utf8"))
  : (await import("./schema/read.ts")).readLanguages();

/** The language with a code. @throws if it is not supported */
export function languageOf(code: LanguageCode): Language {
  const found = languages.find((language) => language.code === code);
  if (found === undefined) throw new Error(`no file config/languages/${code}.yaml`);
  return found;
}

/** A letter found only in Vietnamese, in composed text (NFC). */
const ownLetter = /[ăđơưạ-ỹ]/iu;

/**
 * Whether a text in NFC has letters found only in Vietnamese. A foreign name or symbol may contain one, so
 * longer texts count their share.
 */
export const hasVietnameseLetters = (text: string): boolean => ownLetter.test(text);

type List = string | readonly string[] | undefined;

/** The distinct words of a list. */
export const parseWords = (list: List): string[] => [
  ...new Set([list ?? []].flat().flatMap((group) => group.split(/\s+/).filter((word) => word !== ""))),
];

/** The words of a list in all languages. */
export const allWords = (list: (language: Language) => List): ReadonlySet<string> =>
  new Set(languages.flatMap((language) => parseWords(list(language))));

/** Words that identify a language, because no other one has them. */
function tellingWords(list: (language: Language) => List): ReadonlyMap<string, LanguageCode> {
  const shared = new Set(languages.flatMap(({ sharedWords }) => parseWords(sharedWords)));
  const telling = new Map<string, LanguageCode>();
  for (const language of languages)
    for (const word of parseWords(list(language))) {
      if (telling.has(word)) shared.add(word);
      telling.set(word, language.code);
    }
  for (const word of shared) telling.delete(word);
  return telling;
}

const smallWords = tellingWords(({ functionWords }) => functionWords);
const openingWords = tellingWords(({ phrases = {}, interrogatives = "", answerForms }) => [
  ...Object.values(phrases).map((list) => list.replaceAll("|", " ")),
  interrogatives,
  answerForms?.giving ?? "",
]);

/** The language that most words of a text identify; null for none or a tie. */
function toldLanguage(
  words: readonly string[],
  telling: ReadonlyMap<string, LanguageCode>,
): LanguageCode | null {
  const counts = new Map<LanguageCode, number>();
  for (const code of words.flatMap((word) => telling.get(word) ?? []))
    counts.set(code, (counts.get(code) ?? 0) + 1);
  const [first, second] = [...counts].toSorted(([, left], [, right]) => right - left);
  return first === undefined || first[1] === second?.[1] ? null : first[0];
}

/**
 * The language of a text: by small words that only one language has; by Vietnamese letters; otherwise by
 * words of greetings, questions and requests. English by default.
 */
export function detectLanguage(text: string): LanguageCode {
  const composed = text.normalize("NFC");
  const words = composed.toLowerCase().match(/\p{L}+/gu) ?? [];
  return (
    toldLanguage(words, smallWords) ??
    (hasVietnameseLetters(composed) ? "vi" : (toldLanguage(words, openingWords) ?? "en"))
  );
}

/** Whether a text is German. Even a three-word question has a word that identifies it. */
export const isGerman = (text: string): boolean => detectLanguage(text) === "de";

/** The alternatives of a list in all languages, for a pattern. */
export const alternatives = (list: (language: Language) => string | undefined): string =>
  languages.flatMap((language) => list(language) ?? []).join("|");

/** A pattern for any of these alternatives, not as part of a longer word. */
export const alternation = (forms: string): RegExp =>
  new RegExp(`(?<![\\p{L}])(?:${forms})(?![\\p{L}])`, "iu");

/** A pattern for any of these alternatives, next to neither a letter nor a digit. */
export const wordPattern = (forms: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms})(?![\\p{L}\\p{N}])`, "iu");

/** Alternatives for what joins two numbers of a list: `and`, `or`. */
export const conjunctions = (): string =>
  `${alternatives(({ and }) => and)}|${alternatives((language) => language.or)}`;

/** Alternatives for what joins the ends of a span, except those that also join a list. */
export function rangeConnectors(): string {
  const joining = alternatives(({ and }) => and).split("|");
  return alternatives(({ until }) => until)
    .split("|")
    .filter((word) => !joining.includes(word))
    .join("|");
}

/**
 * The language or script of a text, as far as passages and answers are distinguished by it: `vi`, `cjk`,
 * `latin` or `other`. Scripts count by their share of the letters. So does Vietnamese by its special letters,
 * because a foreign name or symbol may have a few.
 */
export function detectScript(text: string): string {
  const letters = text.normalize("NFC").match(/\p{L}/gu) ?? [];
  const share = (matches: (letter: string) => boolean): number =>
    letters.filter(matches).length / Math.max(1, letters.length);
  if (share(hasVietnameseLetters) > 0.05) return "vi";
  const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
  if (share((letter) => eastAsian.test(letter)) > 0.3) return "cjk";
  return share((letter) => /\p{Script=Latin}/u.test(letter)) > 0.5 ? "latin" : "other";
}
