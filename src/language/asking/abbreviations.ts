import { wordsOf } from "../words.ts";

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
