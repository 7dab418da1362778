import { isGerman } from "../../../language/languages.ts";
import { namesIn } from "../../../language/names.ts";
import { quantitiesIn } from "../../../language/quantities.ts";
import { contentTerms, isNumber, normalize, squash, words } from "../../../language/terms.ts";

/** Share of what a statement is about that a sentence or a row must have to be about the same. */
export const sameMatter = 0.75;

/** Part numbers, tags and the like, as written: words with a capital or more before a digit. */
export const identifiersIn = (text: string): readonly string[] =>
  (text.match(/(?<![\p{L}\p{N}-])\p{Lu}[\p{L}\p{N}-]{1,40}/gu) ?? []).filter((word) => /\p{N}/u.test(word));

/** What a statement is about: its terms without numbers and without the words of its value. */
export const matterOf = (statement: string, value: Iterable<string> = []): readonly string[] => {
  const values = new Set(value);
  return contentTerms(statement).filter((term) => !isNumber(term) && !values.has(term));
};

/**
 * What a sentence writes with a capital inside, names and days of the week among them; in German, where every noun has
 * one, names alone.
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

/** A text in the form that it is compared in, with numbers above one in digits. */
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
