import { timePattern } from "../core/answers/time.ts";
import type { SearchRequest } from "../core/app.ts";
import { blockKinds } from "../core/documents/document.ts";
import { formats } from "../core/documents/formats.ts";
import { type MetadataCondition, metadataCondition } from "../core/metadata/conditions.ts";
import { statedKeys } from "../core/metadata/metadata.ts";
import type { PageRange, TextCondition } from "../core/retrieval.ts";
import { z } from "../core/schema.ts";

/** Pages of one range at most, so that the filter stays small. */
const mostPages = 10_000;

/** `3` or `3-5` as pages. */
export const pageRange = z
  .string()
  .regex(/^\d{1,6}(?:\s?[-–]\s?\d{1,6})?$/, "must be a page or a page range, e.g. 3 or 3-5")
  .transform((text, { issues, value }): PageRange => {
    const [from = 0, to = from] = text.split(/[-–]/).map(Number);
    const report = (message: string): void => void issues.push({ code: "custom", message, input: value });
    if (from < 1 || to < from) report("must be a page or a page range, e.g. 3 or 3-5");
    if (to - from >= mostPages) report(`must be a range of at most ${mostPages} pages`);
    return { from, to };
  });

/** The time that an answer may take, as a request states it. */
export const answerTime = z
  .string()
  .regex(timePattern, "must be a time such as 800ms, 10s or 2m")
  .describe("Time budget of the answer, e.g. 10s. Default: the setting answer.budget.");

/** A day or a time (ISO 8601) as a time; a day begins at midnight UTC. */
export const dayOrTime = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d(?:T[\d:.+Z-]{1,30})?$/,
    "must be a date or time, e.g. 2026-03-01 or 2026-03-01T12:00:00Z",
  )
  .transform((text, { issues, value }): string => {
    const time = new Date(text);
    const day = text.slice(0, 10);
    // A day that no month has would be taken for one of the next.
    const isDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
    if (isDay && !Number.isNaN(time.getTime())) return time.toISOString();
    issues.push({
      code: "custom",
      message: "must be a date or time, e.g. 2026-03-01 or 2026-03-01T12:00:00Z",
      input: value,
    });
    return "";
  });

/** Words to be found in a text, without the control characters that no store can quote. */
const words = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");

/** Words of a heading above the passages. */
export const sectionWords = words.transform((text): TextCondition => condition("headings", text));

/** A condition on a document's title or method, or on its metadata. */
export type MetaCondition = TextCondition | MetadataCondition;

/**
 * `title=VALUE` and `method=VALUE`: the value occurs in the text; `KEY=VALUE`, `KEY>=VALUE` …: a condition on
 * the metadata of documents.
 */
export const metaPair = words.transform((text, { issues, value }): MetaCondition => {
  const found = metadataCondition(text);
  const stated = statedKeys.find((key) => key === found?.key);
  if (found !== undefined && stated === undefined) return found;
  if (found?.operator === "=" && stated !== undefined) return condition(stated, found.value);
  const message =
    stated === undefined
      ? "must be KEY=VALUE, or a range such as KEY>=2020 or KEY<2024-06-01"
      : `must be ${stated}=TEXT: it can only be searched for text it contains`;
  issues.push({ code: "custom", message, input: value });
  return condition("title", text);
});

/**
 * A condition on a text, in the usual ways to write its words: stores compare letter by letter, and headings
 * are as often in capitals as not.
 */
function condition(text: TextCondition["text"], value: string): TextCondition {
  const lower = value.toLowerCase();
  const capital = (word: string): string => word.replace(/\p{L}/u, (letter) => letter.toUpperCase());
  const titled = lower.split(" ").map(capital).join(" ");
  return { text, contains: [...new Set([value, lower, capital(lower), titled, value.toUpperCase()])] };
}

const names = z.array(z.string().min(1).max(500)).max(100);

/** Conditions that narrow a search or a question, under the same names on every surface. */
export const narrowing = {
  collections: names.describe("Names of collections to search. Default: all you can read.").optional(),
  documents: names.describe("Documents to search: id, id prefix, name or path.").optional(),
  department: z.string().min(1).max(500).describe("Search only this department's documents.").optional(),
  formats: z.array(z.enum(formats)).describe("Search only files of these formats.").optional(),
  content_types: z.array(z.enum(blockKinds)).describe("Search only passages of these kinds.").optional(),
  pages: pageRange.describe("Search only these pages or slides, e.g. 3 or 3-5.").optional(),
  since: dayOrTime
    .describe("Search only documents added or changed since this date, e.g. 2026-03-01.")
    .optional(),
  section: sectionWords.describe("Search only below headings that contain these words.").optional(),
  meta: z
    .array(metaPair)
    .max(10)
    .describe(
      "Search only documents whose metadata meets all of these: KEY=VALUE, KEY>=2020, KEY<2024-06-01 (list_documents and GET /v1/documents show the keys). title=TEXT and method=TEXT (the parser) match part of the text.",
    )
    .optional(),
  versions: z
    .union([z.enum(["latest", "all"]), z.int().min(1)])
    .describe("Versions to search; a number requires documents. Default: latest.")
    .optional(),
};

type Checked = z.output<z.ZodObject<typeof narrowing>>;

/** Checked members of `narrowing`. */
export type Narrowing = {
  readonly [Name in keyof Checked]: Checked[Name] extends (infer Item)[] | undefined
    ? readonly Item[] | undefined
    : Checked[Name];
};

/** The members as a search takes them. */
export function toFilters({
  collections = [],
  documents,
  department,
  formats: only,
  content_types: contentTypes,
  pages,
  since,
  section,
  meta = [],
  versions,
}: Narrowing): Omit<SearchRequest, "query" | "topK" | "mode" | "explain"> {
  const ofText = meta.filter((each) => "text" in each);
  const metadata = meta.filter((each) => "key" in each);
  const texts = [...(section === undefined ? [] : [section]), ...ofText];
  return {
    collections,
    ...(documents === undefined ? {} : { documents }),
    ...(department === undefined ? {} : { department }),
    ...(only === undefined ? {} : { formats: only }),
    ...(contentTypes === undefined ? {} : { contentTypes }),
    ...(pages === undefined ? {} : { pages }),
    ...(since === undefined ? {} : { since }),
    ...(texts.length === 0 ? {} : { texts }),
    ...(metadata.length === 0 ? {} : { metadata }),
    ...(versions === undefined ? {} : { versions }),
  };
}
