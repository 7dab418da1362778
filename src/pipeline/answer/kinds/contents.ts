import type { ContentSearch, Draft } from "../../../core/answers/agent.ts";
import type { ContentPart, Verdict } from "../../../core/answers/answer.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import { sectionsOf } from "../../../core/documents/sections.ts";
import { chunkContaining, type Hit } from "../../../core/retrieval.ts";
import { alternatives } from "../../../language/languages.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { cleanLine } from "../clean.ts";
import { isPromptInjection } from "../injection/injection.ts";
import { type ListedPlace, listingDraft, truncateLine } from "./listing.ts";

/** A heading or a caption of a document. */
interface Place {
  readonly text: string;
  readonly chunk: Chunk;
  /** Number of headings above it. */
  readonly depth: number;
}

/** The headings of a document in reading order; each only at its first occurrence under the same parents. */
function headingsOf(chunks: readonly Chunk[]): readonly Place[] {
  const found = new Map<string, Place>();
  for (const chunk of chunks)
    for (const { headings } of sectionsOf(chunk))
      for (const [depth, text] of headings.entries()) {
        const path = JSON.stringify(headings.slice(0, depth + 1));
        if (!found.has(path) && !isPromptInjection(text)) found.set(path, { text, chunk, depth });
      }
  return [...found.values()];
}

/** The first place for each label that the pattern captures. */
function byLabel(places: readonly Place[], pattern: RegExp): readonly Place[] {
  const found = new Map<string, Place>();
  for (const place of places) {
    const label = pattern.exec(place.text)?.groups?.["label"]?.toUpperCase();
    if (label !== undefined && !found.has(label)) found.set(label, place);
  }
  return [...found.values()];
}

const chapterNames = alternatives(({ headed }) => headed?.chapters);
const appendixNames = alternatives(({ headed }) => headed?.appendices);

/**
 * A numbered top-level heading: `3 Tightening torques`, `Chapter IV`, `Item 1A.`; not `3.1` and not a year.
 */
const numbered = new RegExp(
  `^(?:(?:${chapterNames}|${alternatives(({ headed }) => headed?.sections)})\\s)?(?<label>\\d{1,2}[A-Z]?|[IVX]{1,5})(?:[.:)]?\\s|[.:)]?$|\\s?[–—-]\\s)`,
  "iu",
);

/** A line that begins with the word chapter and a number, even if it is no heading. */
const namedChapter = new RegExp(`^(?:${chapterNames})\\s(?<label>\\d{1,2})(?![\\p{L}\\p{N}.])`, "iu");

/** Longest line accepted as a heading, in characters. */
const longestHeading = 100;

const numberOf = (pattern: RegExp, { text }: Place): number =>
  Number(pattern.exec(text)?.groups?.["label"] ?? Number.NaN);

/** Whether places are numbered consecutively from one. */
const isRow = (pattern: RegExp, places: readonly Place[]): boolean =>
  places.every((place, at) => numberOf(pattern, place) === at + 1);

/**
 * Fills gaps in numbered headings with lines between them that have the missing numbers: a heading followed
 * directly by another has no text of its own, so it may not be recorded.
 */
function withMissing(headings: readonly Place[], lines: readonly Place[]): readonly Place[] {
  return headings.flatMap((heading, at) => {
    const next = headings[at + 1];
    const [from, to] = [numberOf(numbered, heading), next === undefined ? 0 : numberOf(numbered, next)];
    const between = lines.filter(
      ({ text, chunk }) =>
        text.length <= longestHeading &&
        chunk.ordinal >= heading.chunk.ordinal &&
        chunk.ordinal <= (next?.chunk.ordinal ?? 0),
    );
    const missing = byLabel(between, numbered).filter((line) => {
      const own = numberOf(numbered, line);
      return own > from && own < to;
    });
    return [heading, ...missing];
  });
}

/**
 * The headings that divide a document: chapters named as such, otherwise top-level numbers, otherwise the
 * first heading level with several. In a PDF heading levels are guessed, so the last is skipped.
 */
function divisionsOf(headings: readonly Place[], lines: readonly Place[]): readonly Place[] {
  const chapters = byLabel([...headings, ...lines], namedChapter);
  if (chapters.length > 1 && isRow(namedChapter, chapters)) return chapters;
  const labelled = byLabel(headings, numbered);
  // Lettered appendices may share the level of numbered sections.
  const isArabic = (place: Place): boolean => !Number.isNaN(numberOf(numbered, place));
  const byNumber = labelled.some(isArabic) ? labelled.filter(isArabic) : labelled;
  if (byNumber.length > 1) return withMissing(byNumber, lines);
  if (headings.some(({ chunk }) => chunk.format === "pdf")) return [];
  const depths = [...new Set(headings.map(({ depth }) => depth))].toSorted((left, right) => left - right);
  return (
    depths
      .map((depth) => headings.filter((heading) => heading.depth === depth))
      .find((level) => level.length > 1) ?? headings
  );
}

const namedAppendix = new RegExp(
  `^(?:${appendixNames})\\s(?<label>[A-Z]|\\d{1,2}|[IVX]{1,4})(?![\\p{L}\\p{N}])`,
  "iu",
);
/** Papers use the letter alone: `A Prompts`. */
const letteredAppendix = /^(?<label>[A-Z])\.?\s(?=\p{Lu})/u;
const plainAppendix = new RegExp(`^(?<label>(?:${appendixNames})(?![\\p{L}]).{0,80})`, "iu");

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The appendices, by letter or number if they have one. */
function appendicesOf(headings: readonly Place[], lines: readonly Place[]): readonly Place[] {
  const byName = byLabel([...headings, ...lines], namedAppendix);
  if (byName.length > 0) return byName;
  const lettered = byLabel(headings, letteredAppendix);
  const letters = lettered.map(({ text }) => text[0]).join("");
  return lettered.length > 1 && alphabet.startsWith(letters) ? lettered : byLabel(headings, plainAppendix);
}

const label = String.raw`\s(?<label>[A-Z]?\.?\d{1,3}(?:[.-]\d{1,3})?|[IVX]{1,5})(?![\p{L}\p{N}])`;
const captions: Partial<Record<ContentPart, RegExp>> = {
  tables: new RegExp(`^(?:${alternatives(({ headed }) => headed?.tables)})${label}`, "iu"),
  figures: new RegExp(`^(?:${alternatives(({ headed }) => headed?.figures)})${label}`, "iu"),
};

function linesOf(chunks: readonly Chunk[]): readonly Place[] {
  return chunks.flatMap((chunk) =>
    chunk.text.split("\n").flatMap((line) => {
      const text = line.trim();
      return text === "" || isPromptInjection(text) ? [] : [{ text, chunk, depth: 0 }];
    }),
  );
}

function placesOf(part: ContentPart, chunks: readonly Chunk[]): readonly Place[] {
  const headings = headingsOf(chunks);
  const lines = linesOf(chunks);
  if (part === "headings") return headings;
  if (part === "chapters" || part === "sections") return divisionsOf(headings, lines);
  if (part === "appendices") return appendicesOf(headings, lines);
  const caption = captions[part];
  return caption === undefined ? [] : byLabel(lines, caption);
}

/** The pages of a document as one place: its first line, citing all of them. */
function pagesPlace(chunk: Chunk, pages: number): ListedPlace {
  const quote = chunk.title === "" ? (chunk.text.split("\n")[0] ?? "") : chunk.title;
  return { chunk, quote, pages: pages === 1 ? [1] : [1, pages], line: "" };
}

/**
 * Answers a question about a document's structure: the number of its pages, chapters, tables or figures, and
 * the place of each. Counted from headings and captions, without a model. Refused if the question does not
 * identify the document, or nothing of the kind is found.
 */
export function contentsDraft(
  { part, document, documents }: ContentSearch,
  hits: readonly Hit[],
  question: string,
  base: Pick<Verdict, "threshold" | "grounded">,
): Draft {
  const notes = notesFor(question);
  const called = notes.contents.called[part];
  const [first] = hits;
  if (document === null || first === undefined) {
    const head = notes.contents.which(documents);
    return listingDraft({ head, places: [], reason: head }, question, base);
  }
  const name = cleanLine(document.name);
  const chunks = hits.map(({ chunk }) => chunk).toSorted((left, right) => left.ordinal - right.ordinal);
  const found = placesOf(part, chunks).map(({ text, chunk, depth }): ListedPlace => {
    const [page] = chunkContaining({ chunk }, text).pages;
    const where = page === undefined ? "" : `, ${notes.mentions.pages(`${page}`, true)}`;
    return {
      chunk,
      quote: text,
      pages: page === undefined ? [] : [page],
      depth: part === "headings" ? depth : 0,
      line: `${truncateLine(text)}${where}`,
    };
  });
  const isPaged = part === "pages" || part === "slides";
  const places = !isPaged ? found : document.pages === 0 ? [] : [pagesPlace(first.chunk, document.pages)];
  const count = isPaged ? document.pages : found.length;
  const countText = notes.contents.some(name, count, called(count));
  const head = count === 0 ? notes.contents.none(name, called(0)) : `${countText}${isPaged ? "." : ":"}`;
  const reason = notes.reasons.readOff(chunks.length, name);
  return listingDraft({ head, places, reason }, question, base);
}
