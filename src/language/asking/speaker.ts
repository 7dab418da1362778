import { allWords } from "../languages.ts";
import { splitWords } from "../words.ts";

const speakers = allWords(({ pronouns }) => pronouns?.speakers);
const hearers = allWords(({ pronouns }) => pronouns?.hearers);

/** Words in lower case, cut at an apostrophe: `I'm` gives `i`, `Ada's` gives `ada`. */
const bareWords = (text: string): readonly string[] =>
  splitWords(text).map((word) => word.toLowerCase().split(/['’]/, 1)[0] ?? "");

/** Whether a text addresses a listener. */
export const addressesHearer = (text: string): boolean => bareWords(text).some((word) => hearers.has(word));

/** Whether a text mentions its speaker and no listener. */
export function isSelfReferential(text: string): boolean {
  const words = bareWords(text);
  return words.some((word) => speakers.has(word)) && !words.some((word) => hearers.has(word));
}

/** Those of the names that a text has with a capital. */
export function mentionedNames(text: string, names: Iterable<string>): ReadonlySet<string> {
  const capitalised = new Set(bareWords((text.match(/\p{Lu}[\p{L}\p{M}\p{N}]*/gu) ?? []).join(" ")));
  return new Set([...names].filter((name) => capitalised.has(name.toLowerCase())));
}
