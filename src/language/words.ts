import { allWords, languages } from "./languages.ts";

const functionWords = allWords((language) => language.functionWords);
const vagueWords = allWords((language) => language.vagueWords);

/**
 * Words of any script with inner hyphens, apostrophes and dots, and numbers with their separators; e.g.
 * `HP-200`, `3.5`.
 */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:[-–.,'’/][\p{L}\p{M}\p{N}]+)*/gu;

/** Words as written, in order. */
export function splitWords(text: string): string[] {
  return text.normalize("NFKC").match(wordPattern) ?? [];
}

/** Irregular form of a word → its base. */
const irregularForms = new Map(
  languages
    .flatMap(({ irregular = "" }) => irregular.trim().split("\n"))
    .map((line) => line.split(" "))
    .flatMap(([base = "", ...forms]) => forms.map((form) => [form, base] as const)),
);

/**
 * The root of a lower-case word, without English plural or verb endings (`stores` → `stor`, `worn` → `wear`);
 * other words are unchanged. `undouble` reduces a doubled last letter if the root has at least five letters:
 * `stopped` → `stop`.
 */
export function stemWord(form: string, undouble = false): string {
  const word = irregularForms.get(form) ?? form;
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const cut = word.replace(/(?:ies|ied)$/, "y").replace(/(?:ings?|ed|es|s|ly)$/, "");
  const root = cut.length >= 3 ? cut : word;
  const short = root.replace(/e$/, "");
  return undouble && root.length > 4 ? short.replace(/(.)\1$/, "$1") : short;
}

/**
 * A word of a question, normalised: lower case, without possessive and ending; numbers without thousands
 * separators.
 */
export function foldWord(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, "");
  return /\p{N}/u.test(lower) ? lower.replace(/(?<=\d),(?=\d{3})/g, "") : stemWord(lower);
}

/**
 * Words of a text for comparing measures and table headers: lower case, no punctuation except `&`, `%` and
 * `+`.
 */
export const plainWords = (text: string): readonly string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’](?:s\b)?/g, "")
    .match(/[\p{L}\p{M}\p{N}]+(?:&[\p{L}\p{M}]+)*|[%+/]/gu) ?? [];

/** Whether a word carries no subject. */
export function isFunctionWord(word: string): boolean {
  const lower = word.toLowerCase().split(/['’]/, 1)[0] ?? "";
  return functionWords.has(lower) || (lower.length === 1 && /[a-z]/.test(lower));
}

/** Whether a word is too general to be a subject, e.g. `thing`, `report`, `cost`. */
export function isVague(word: string): boolean {
  return vagueWords.has(word.toLowerCase());
}

/** The distinct subject words of a text, as written. */
export function contentWords(text: string): string[] {
  const seen = new Set<string>();
  return splitWords(text).filter((word) => {
    const key = foldWord(word);
    if (isFunctionWord(word) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/**
 * Names and numbers, as written: capitalised inside a sentence, in capitals, or with a digit. Adjacent ones
 * are joined: `Works Council`.
 */
export function namesAndNumbers(text: string): string[] {
  const found: string[] = [];
  for (const sentence of text.normalize("NFKC").split(/(?<=[.!?:;])\s+|\n+/)) {
    const tokens = [...sentence.matchAll(wordPattern)];
    let open: { text: string; end: number } | null = null;
    for (const [index, token] of tokens.entries()) {
      const [word] = token;
      const marked =
        /\p{N}/u.test(word) || /\p{Lu}.*\p{Lu}/u.test(word) || (index > 0 && /^\p{Lu}\p{L}/u.test(word));
      if (!marked || (isFunctionWord(word) && !/\p{N}/u.test(word))) {
        open = null;
        continue;
      }
      if (open !== null && sentence.slice(open.end, token.index) === " " && !/\p{N}/u.test(word)) {
        open = { text: `${open.text} ${word}`, end: token.index + word.length };
        found.splice(-1, 1, open.text);
      } else {
        open = { text: word, end: token.index + word.length };
        found.push(word);
      }
    }
  }
  return [...new Set(found)];
}

/** One line without control or invisible characters, spaces single. */
export function oneLine(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}
