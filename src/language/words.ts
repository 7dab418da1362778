import { wordsIn } from "./languages.ts";
import { irregularWords } from "./lexicons/en-irregular.ts";

const functionWords = wordsIn((language) => language.functionWords);
const vagueWords = wordsIn((language) => language.vagueWords);

/**
 * Words of any script with inner hyphens, apostrophes and dots, numbers with their separators; e.g. `HP-200`,
 * `3.5`.
 */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:[-–.,'’/][\p{L}\p{M}\p{N}]+)*/gu;

/** Words as written, in order. */
export function wordsOf(text: string): string[] {
  return text.normalize("NFKC").match(wordPattern) ?? [];
}

/** Each form of an English word that no ending tells → its base. */
const irregularForms = new Map(
  irregularWords.flatMap(([base = "", ...forms]) => forms.map((form) => [form, base] as const)),
);

/**
 * The root of a word in lower case, without its English plural or verb ending (`stores` → `stor`, `worn` → `wear`);
 * other words are returned unchanged. With `undouble` a doubled last letter counts once where the root has five
 * letters or more: `stopped` → `stop`.
 */
export function rootOf(form: string, undouble = false): string {
  const word = irregularForms.get(form) ?? form;
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const cut = word.replace(/(?:ies|ied)$/, "y").replace(/(?:ings?|ed|es|s|ly)$/, "");
  const root = cut.length >= 3 ? cut : word;
  const short = root.replace(/e$/, "");
  return undouble && root.length > 4 ? short.replace(/(.)\1$/, "$1") : short;
}

/**
 * A word of a question as compared: lower case, without possessive and ending; numbers without thousands
 * separators.
 */
export function fold(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, "");
  return /\p{N}/u.test(lower) ? lower.replace(/(?<=\d),(?=\d{3})/g, "") : rootOf(lower);
}

/** Words of a text as measures and headers of tables are compared: lower case, without marks but `&`, `%` and `+`. */
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

/** Whether a word names no subject of its own, e.g. `thing`, `report`, `cost`. */
export function isVague(word: string): boolean {
  return vagueWords.has(word.toLowerCase());
}

/** Words that carry the subject, as written, each once. */
export function contentWords(text: string): string[] {
  const seen = new Set<string>();
  return wordsOf(text).filter((word) => {
    const key = fold(word);
    if (isFunctionWord(word) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/**
 * Names and numbers, as written: capitalised inside a sentence, in capitals, or with a digit. Neighbours
 * join: `Works Council`.
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
