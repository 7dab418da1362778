import { isGerman } from "../../../language/languages.ts";
import { namesIn } from "../../../language/names.ts";
import { quantitiesIn } from "../../../language/quantities.ts";
import { contentTerms, isNumber, normalize, squash, words } from "../../../language/terms.ts";

/** Share of a statement's subject terms from which a sentence or row is on the same subject. */
export const sameMatter = 0.75;

/** Part numbers, tags and the like, as written: words with a capital or more before a digit. */
export const identifiersIn = (text: string): readonly string[] =>
  (text.match(/(?<![\p{L}\p{N}-])\p{Lu}[\p{L}\p{N}-]{1,40}/gu) ?? []).filter((word) => /\p{N}/u.test(word));

/** The subject of a statement: its terms without numbers and the words of its value. */
export const matterOf = (statement: string, value: Iterable<string> = []): readonly string[] => {
  const values = new Set(value);
  return contentTerms(statement).filter((term) => !isNumber(term) && !values.has(term));
};

/**
 * Capitalised words inside a sentence, mostly names and weekdays; in German, where all nouns are capitalised,
 * only names.
 */
export function namedIn(text: string): readonly string[] {
  const names = namesIn(text);
  if (isGerman(text)) return names;
  const inside = text.match(/(?<=[\p{L}\p{N},;)] )\p{Lu}\p{Ll}[\p{L}-]{0,40}/gu) ?? [];
  return [...new Set([...names, ...inside])];
}

/** Whether a text has every name and identifier of a statement. */
export function hasNames(statement: string, text: string): boolean {
  const [own, squashed] = [new Set(words(text)), squash(text)];
  return (
    identifiersIn(statement).every((each) => squashed.includes(squash(each))) &&
    namedIn(statement).every((name) => words(name).every((word) => own.has(word)))
  );
}

/** A text normalised for comparison, with numbers above one in digits. */
export function withDigits(text: string): string {
  const read = normalize(text);
  const spelt = quantitiesIn(read).filter(({ word, readings }) => word && readings[0] !== 1);
  return spelt
    .toSorted((one, other) => other.at - one.at)
    .reduce(
      (rest, { at, text: word, readings }) =>
        `${rest.slice(0, at)}${readings[0]}${rest.slice(at + word.length)}`,
      read,
    );
}
