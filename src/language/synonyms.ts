import { languages, parseWords } from "./languages.ts";

/** The groups of words of a text, a line each. */
const groupsIn = (text = ""): readonly (readonly string[])[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" ").map((word) => word.replaceAll("_", " ")));

const longForms = new Map(languages.flatMap(({ longForms: forms = {} }) => Object.entries(forms)));
/** Words of long forms that are too common: alone they do not indicate the same subject. */
const general = new Set(languages.flatMap(({ generalWords }) => parseWords(generalWords)));
const special = new Map(languages.flatMap(({ specialMeanings = {} }) => Object.entries(specialMeanings)));

const saysIn = (long: string): readonly string[] => long.split(/[ /]+/);

const byWord = new Map<string, readonly string[]>([
  ...languages
    .flatMap(({ synonyms }) => groupsIn(synonyms))
    .flatMap((group) => group.map((word) => [word, group.filter((other) => other !== word)] as const)),
  ...[...longForms].map(
    ([short, long]) => [short, saysIn(long).filter((word) => !general.has(word))] as const,
  ),
]);

/** The words of an abbreviation's long form; none for an unlisted one. Lower case in and out. */
export const longFormOf = (word: string): readonly string[] =>
  saysIn(longForms.get(word) ?? "").filter(Boolean);

const holds = (list: string | undefined, word: string): boolean => list?.split(" ").includes(word) === true;

/**
 * Synonyms of a word between the words `before` and `behind`, and the meaningful words of its long form; none
 * for an unlisted word or a special meaning: `parental leave` is no vacation, and `business class` no
 * company. Lower case in and out.
 */
export function synonymsOf(word: string, before = "", behind = ""): readonly string[] {
  const kind = special.get(word);
  return holds(kind?.before, before) || holds(kind?.behind, behind) ? [] : (byWord.get(word) ?? []);
}

/** Name of a country, its people or products → all its names. */
const byForm = new Map(
  languages
    .flatMap(({ peoples }) => groupsIn(peoples))
    .flatMap((group) => group.map((form) => [form, group] as const)),
);

/** Other names for a country, its people or products: `French` → `france …`; none for other words. */
export function demonyms(word: string): readonly string[] {
  const form = word.toLowerCase();
  const group = byForm.get(form) ?? byForm.get(form.replace(/s$/, "")) ?? [];
  return group.filter((other) => other !== form);
}

const states = new Map(languages.flatMap((language) => Object.entries(language.states ?? {})));

/** After a place name: `Madison, WI`; in a text in capitals `, OR` is a word. */
const code = new RegExp(`(?<=\\p{Ll},\\s)(?:${[...states.keys()].join("|")})(?![\\p{L}\\p{N}])`, "gu");

/** Adds the name of a state after its code: `Madison, WI (Wisconsin)`. */
export const expandStateCodes = (text: string): string =>
  text.replace(code, (found) => `${found} (${states.get(found)})`);
