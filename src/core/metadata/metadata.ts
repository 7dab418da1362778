import { RagctlError } from "../errors.ts";

/** Text, a number, a truth value, a day or time as text (ISO 8601), or a list of texts. */
export type MetadataValue = string | number | boolean | readonly string[];

/** Metadata of a document: from its file's properties, and given by hand. */
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Metadata given by hand; null removes a key. */
export type GivenMetadata = Readonly<Record<string, MetadataValue | null>>;

export type MetadataKind = "text" | "number" | "date" | "boolean" | "list";

/** Of one document: keys from its file as well as keys given by hand, characters, items of a list. */
const metadataLimits = { keys: 50, keyCharacters: 64, valueCharacters: 200, items: 50 };

/** Keys under which filters read the document's own facts: its title, and the parser that read it. */
export const statedKeys = ["title", "method"] as const;

const dayOrTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** A date unchanged, a time in UTC to the second; undefined for any other text and for invalid dates. */
export function isoDate(text: string): string | undefined {
  const [, year = "", month = "", day = "", time, zone = "Z"] = dayOrTime.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  const start = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(start.getTime()) || !start.toJSON().startsWith(date)) return undefined;
  if (time === undefined) return date;
  const moment = new Date(`${date}T${time}${zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2").toUpperCase()}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toJSON().replace(/\.\d{3}Z$/, "Z");
}

/** The kind of a value. */
export function metadataKind(value: MetadataValue): MetadataKind {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "string") return "list";
  return isoDate(value) === undefined ? "text" : "date";
}

/** A value on one line, without characters that show nothing or steer a screen. */
export const cleanText = (text: string): string =>
  text
    // A long text is cut before it is looked at, not after.
    .slice(0, metadataLimits.valueCharacters * 4)
    .replace(/[\s\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu, " ")
    .trim()
    .normalize("NFC")
    .slice(0, metadataLimits.valueCharacters)
    .toWellFormed();

const textValue = (text: string): string => {
  const clean = cleanText(text);
  return isoDate(clean) ?? clean;
};

/**
 * A key in lower case with `_` for blanks and colons; undefined where that leaves none, or one that is too
 * long.
 */
export function metadataKey(text: string): string | undefined {
  const key = text
    .slice(0, 200)
    .normalize("NFC")
    .trim()
    .toLowerCase()
    .replace(/[\s:]+/g, "_");
  return key.length <= metadataLimits.keyCharacters && /^\p{L}[\p{L}\p{M}\p{N}_.-]*$/u.test(key)
    ? key
    : undefined;
}

/** One value of a file; undefined for an empty one and for a kind that is not kept. */
function fileValue(value: unknown): MetadataValue | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "string") return textValue(value) || undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : isoDate(value.toJSON());
  if (!Array.isArray(value)) return undefined;
  const items = value
    .slice(0, metadataLimits.items)
    .filter((item) => ["string", "number", "boolean"].includes(typeof item))
    .map((item) => textValue(String(item)))
    .filter((item) => item !== "");
  return items.length === 0 ? undefined : [...new Set(items)];
}

/** Properties of a file as metadata: bounded, on one line each, and without keys that filters reserve. */
export function fileMetadata(properties: Readonly<Record<string, unknown>>): Metadata {
  const entries = Object.entries(properties).slice(0, metadataLimits.keys * 4);
  const kept = entries.flatMap(([name, given]): readonly (readonly [string, MetadataValue])[] => {
    const key = metadataKey(name);
    const value = fileValue(given);
    return key === undefined || value === undefined || isStated(key) ? [] : [[key, value]];
  });
  return Object.fromEntries(kept.slice(0, metadataLimits.keys));
}

const isStated = (key: string): boolean => (statedKeys as readonly string[]).includes(key);

/** Words of a list as programs write keywords: `pumps; seals, valves`. */
export const keywordList = (text: string): readonly string[] =>
  text
    .slice(0, metadataLimits.items * metadataLimits.valueCharacters)
    .split(/[,;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

const numberText = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** A typed value: a number, true or false, a day or time; in quotes, or in any other form, text. */
function typedValue(text: string): MetadataValue {
  const [, quoted] = /^"(.*)"$/.exec(text) ?? [];
  if (quoted !== undefined) return textValue(quoted);
  if (text === "true" || text === "false") return text === "true";
  return numberText.test(text) ? Number(text) : textValue(text);
}

export const usageError = (message: string, hint: string): RagctlError =>
  new RagctlError("USAGE_INVALID", message, { hint });

/**
 * `key=value` as given at ingest; a key that comes several times is a list, an empty value takes the key away.
 * @throws USAGE_INVALID for a text of another form, a key that the document states itself, and too many or too long
 *   ones
 */
export function parseMetadataArguments(pairs: readonly string[]): GivenMetadata {
  const texts = new Map<string, string[]>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const key = at < 1 ? undefined : metadataKey(pair.slice(0, at));
    if (key === undefined)
      throw usageError(
        `"${pair.slice(0, 100)}" is not KEY=VALUE`,
        "a key is a letter and up to 63 letters, digits, underscores, hyphens and dots, e.g. --meta department=legal",
      );
    if (isStated(key))
      throw usageError(`the metadata key ${key} cannot be set`, "it is read from the document itself");
    const text = pair.slice(at + 1).trim();
    if (text.length > metadataLimits.valueCharacters)
      throw usageError(
        `the value of ${key} has ${text.length} characters`,
        `the limit is ${metadataLimits.valueCharacters}`,
      );
    texts.set(key, [...(texts.get(key) ?? []), text]);
  }
  if (texts.size > metadataLimits.keys) throw tooMany();
  return Object.fromEntries(
    Array.from(texts, ([key, values]) => {
      const kept = values.filter((value) => value !== "");
      const [only] = kept;
      if (only === undefined) return [key, null];
      return [key, kept.length === 1 ? typedValue(only) : (fileValue(kept) ?? null)];
    }),
  );
}

const tooMany = (): RagctlError =>
  usageError(
    `a document can have at most ${metadataLimits.keys} metadata keys`,
    "set fewer keys, or remove some with KEY=",
  );

/** Merges new metadata into a document's earlier ones. @throws USAGE_INVALID for too many keys */
export function mergeMetadata(before: Metadata, given: GivenMetadata): Metadata {
  const entries = Object.entries({ ...before, ...given }).filter(
    (entry): entry is [string, MetadataValue] => entry[1] !== null,
  );
  if (entries.length > metadataLimits.keys) throw tooMany();
  return Object.fromEntries(entries);
}

/** A document's metadata in the syntax of conditions: `author=A. Smith`, `tags=pump, seal`. */
export const metadataLines = (metadata: Metadata): readonly string[] =>
  Object.entries(metadata).map(
    ([key, value]) => `${key}=${typeof value === "object" ? value.join(", ") : value}`,
  );
