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

/** Languages that are known by a character. */
const lettered = languages.flatMap(({ code, letters, syllables = false }) =>
  letters === undefined ? [] : [{ code, syllables, letters: new RegExp(letters, "iu") }],
);

/**
 * Whether a text in NFC has letters of a language written in syllables. A foreign name or symbol may contain
 * one, so longer texts count their share.
 */
export const isSyllabic = (text: string): boolean =>
  lettered.some(({ syllables, letters }) => syllables && letters.test(text));

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
 * The language of a text: by small words that only one language has; by its letters; otherwise by words of
 * greetings, questions and requests. English by default.
 */
export function detectLanguage(text: string): LanguageCode {
  const composed = text.normalize("NFC");
  const words = composed.toLowerCase().match(/\p{L}+/gu) ?? [];
  return (
    toldLanguage(words, smallWords) ??
    lettered.find(({ letters }) => letters.test(composed))?.code ??
    toldLanguage(words, openingWords) ??
    "en"
  );
}

/** Same, with its words. */
export const languageOfText = (text: string): Language => languageOf(detectLanguage(text));

/** Whether the language of a text capitalises every noun. */
export const capitalizesNouns = (text: string): boolean => languageOfText(text).capitalizesNouns === true;

/** The alternatives of a list in all languages, for a pattern. */
export const alternatives = (list: (language: Language) => string | undefined): string =>
  languages.flatMap((language) => list(language) ?? []).join("|");

/** The patterns of a list in all languages. */
export const patternsOf = (
  list: (language: Language) => readonly string[],
  flags: string,
): readonly RegExp[] =>
  languages.flatMap((language) => list(language).map((source) => new RegExp(source, flags)));

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
 * The language or script of a text, as far as passages and answers are distinguished by it: the code of a
 * language written in syllables, `cjk`, `latin` or `other`. Scripts and the letters of a language count by
 * their share, because a foreign name or symbol may have a few.
 */
export function detectScript(text: string): string {
  const letters = text.normalize("NFC").match(/\p{L}/gu) ?? [];
  const share = (matches: (letter: string) => boolean): number =>
    letters.filter(matches).length / Math.max(1, letters.length);
  const own = lettered.find((each) => each.syllables && share((letter) => each.letters.test(letter)) > 0.05);
  if (own !== undefined) return own.code;
  const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
  if (share((letter) => eastAsian.test(letter)) > 0.3) return "cjk";
  return share((letter) => /\p{Script=Latin}/u.test(letter)) > 0.5 ? "latin" : "other";
}
