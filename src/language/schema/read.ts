import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Language, languageSchema } from "./language.ts";

const folder = new URL("../../../config/languages/", import.meta.url);

/** Pieces of every language: word boundaries for any alphabet, as `\b` knows only ASCII letters. */
const boundaries = { start: "(?<![\\p{L}\\p{M}])", end: "(?![\\p{L}\\p{M}])" };

/** Puts the pieces of patterns in the places that name them. */
function expand(value: unknown, pieces: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string")
    return value.replace(/(?<!\(\?)<(\w+)>/g, (place, name: string) => pieces.get(name) ?? place);
  if (Array.isArray(value)) return value.map((item) => expand(item, pieces));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expand(inner, pieces)]));
}

/** A language by the content of its file. @throws if the content does not match the schema */
function parseLanguage(code: string, content: string): Language {
  const language = languageSchema.parse(parse(content));
  const pieces = new Map(Object.entries(boundaries));
  for (const [name, piece] of Object.entries(language.parts ?? {}))
    pieces.set(name, String(expand(piece, pieces)));
  return { ...languageSchema.parse(expand(language, pieces)), code } as Language;
}

/** Every language of `config/languages/`. A build keeps them as `languages.json`, which is read faster. */
export const readLanguages = (): readonly Language[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => parseLanguage(name.replace(/\.yaml$/, ""), readFileSync(new URL(name, folder), "utf8")));
