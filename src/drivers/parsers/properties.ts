import type { CheerioAPI } from "cheerio";
import type { ParsedContent } from "../../core/documents/document.ts";
import { fileMetadata, keywordList } from "../../core/metadata/metadata.ts";
import type { Element } from "./dom.ts";
import { isElement } from "./office/xml.ts";

/** The properties that a file states, as a member of its content; empty for none. */
export function definedProperties(
  properties: Readonly<Record<string, unknown>>,
): Pick<ParsedContent, "properties"> {
  const kept = fileMetadata(properties);
  return Object.keys(kept).length === 0 ? {} : { properties: kept };
}

/** Names that programs have for the usual properties; the last of one key that a file has counts. */
const usualNames = new Map(
  Object.entries({
    creator: "author",
    "initial-creator": "author",
    author: "author",
    subject: "subject",
    keyword: "keywords",
    keywords: "keywords",
    description: "description",
    category: "category",
    publisher: "publisher",
    language: "language",
    "creation-date": "created",
    created: "created",
    date: "modified",
    modified: "modified",
  }),
);

/** The properties of XML parts (Office, OpenDocument, EPUB) by the local names of their elements. */
export function xmlProperties(...parts: readonly CheerioAPI[]): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const entries = parts.flatMap(($) =>
    $("*")
      .toArray()
      .flatMap((element) => (isElement(element) ? [propertyOf($, element)] : [])),
  );
  for (const entry of entries) {
    if (entry === undefined) continue;
    const { key, value, isLesser } = entry;
    const before = found[key];
    if (Array.isArray(before) && Array.isArray(value)) before.push(...value);
    else if (before === undefined || !isLesser) found[key] = value;
  }
  return found;
}

interface Property {
  readonly key: string;
  readonly value: unknown;
  /** Yields to another value of the same key: OpenDocument has both the last editor and the author. */
  readonly isLesser: boolean;
}

/** Elements of custom properties, and the attribute that has their key. */
const addedNames = new Map([
  ["user-defined", "meta:name"],
  ["property", "name"],
]);

/** The property of an element; undefined for other elements. */
function propertyOf($: CheerioAPI, element: Element): Property | undefined {
  const local = element.name.slice(element.name.indexOf(":") + 1);
  const text = $(element).text();
  const added = addedNames.get(local);
  if (added !== undefined)
    return { key: element.attribs[added] ?? "", value: addedValue($, element), isLesser: false };
  const key = usualNames.get(local);
  const value = key === "keywords" ? keywordList(text) : text;
  return key === undefined ? undefined : { key, value, isLesser: local === "creator" };
}

/** The value of a custom property: in Office the inner element is named after its type. */
function addedValue($: CheerioAPI, element: Element): unknown {
  const text = $(element).text().trim();
  const type =
    $(element)
      .children()
      .get(0)
      ?.tagName.replace(/^\w{1,20}:/, "") ?? element.attribs["meta:value-type"];
  if (type === "bool" || type === "boolean") return text === "true" || text === "1";
  const isNumber = text !== "" && /^(?:u?i\d|u?int|r\d|decimal|float)$/.test(type ?? "");
  return isNumber ? Number(text) : text;
}

/** Names of `<meta>` about the page's content; those for browsers and robots are not among them. */
const pageNames = new Map(
  Object.entries({
    author: "author",
    description: "description",
    keywords: "keywords",
    subject: "subject",
    date: "created",
    "article:published_time": "created",
    "article:modified_time": "modified",
    "last-modified": "modified",
  }),
);

/**
 * The properties that a web page states: its author, description, keywords and dates, and terms of Dublin
 * Core.
 */
export function pageProperties($: CheerioAPI): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const { attribs } of $("head > meta[content]").toArray()) {
    const name = (attribs["name"] ?? attribs["property"] ?? "").trim().toLowerCase();
    const term = /^(?:dc|dcterms)[.:](\w{1,40})/.exec(name)?.[1];
    const key = pageNames.get(name) ?? (term === "date" ? "created" : usualNames.get(term ?? ""));
    const text = attribs["content"] ?? "";
    if (key !== undefined) found[key] = key === "keywords" ? keywordList(text) : text;
  }
  return found;
}

const pdfDate = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([Zz])|([+-]\d\d)'?(\d\d)?)?/;

/** `D:20240601120000+02'00'` as a day or time of ISO 8601. */
function dateOfPdf(text: unknown): string | undefined {
  const match = typeof text === "string" ? pdfDate.exec(text) : null;
  if (match === null) return undefined;
  const [, year, month = "01", day = "01", hour, minute = "00", second = "00", , offset, minutes = "00"] =
    match;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  return `${date}T${hour}:${minute}:${second}${offset === undefined ? "Z" : `${offset}:${minutes}`}`;
}

/** Times that programs write where they know none: the first second of a count. */
const epochs = ["1970", "1980", "2000"].map((year) => `${year}-01-01T00:00:00`);
/** `(anonymous)`, `(unspecified)`: what a program writes where nothing was stated. */
const placeholder = /^\(\w{1,20}\)$/;

/** A value, unless a program wrote it in place of one. */
function statedValue(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return placeholder.test(value) || epochs.some((epoch) => value.startsWith(epoch)) ? undefined : value;
}

/** The properties of a PDF as pdf.js gives them; programs that made it are left out. */
export function pdfProperties(info: object): Readonly<Record<string, unknown>> {
  const { Author, Subject, Keywords, CreationDate, ModDate, Custom } = info as Readonly<
    Record<string, unknown>
  >;
  return {
    author: statedValue(Author),
    subject: statedValue(Subject),
    keywords: typeof Keywords === "string" ? keywordList(Keywords) : undefined,
    created: statedValue(dateOfPdf(CreationDate)),
    modified: statedValue(dateOfPdf(ModDate)),
    ...(typeof Custom === "object" ? Custom : {}),
  };
}

/** Most of a front matter that is read, characters. */
const longestFront = 20_000;

/** A front matter in YAML as properties; empty where it is not valid, or uses aliases. */
export async function frontProperties(yaml: string): Promise<Readonly<Record<string, unknown>>> {
  if (yaml.trim() === "" || yaml.length > longestFront) return {};
  const { parse } = await import("yaml");
  try {
    const front: unknown = parse(yaml, { maxAliasCount: 0, uniqueKeys: false, logLevel: "error" });
    return typeof front === "object" && front !== null && !Array.isArray(front) ? { ...front } : {};
  } catch {
    // Invalid YAML is still read as plain text.
    return {};
  }
}
