import { renderMarkdown } from "../app/verify/export-markdown.ts";
import type { DocumentSummary } from "../core/app.ts";
import type { Block, ParsedContent } from "../core/documents/document.ts";
import { RagctlError } from "../core/errors.ts";
import { didYouMean } from "../core/nearest.ts";
import { z } from "../core/schema.ts";
import { document } from "../shapes/documents.ts";
import { printer } from "../shapes/shape.ts";
import { checkOffset, describeMissing, pageBreakOffset } from "./reading.ts";

const count = z.int().min(0);
const section = z.object({
  id: z.string().describe("Id to pass to read_section."),
  heading: z.string().describe("Empty for the text before the first heading."),
  level: count.describe("Heading level, 1 to 6; 0 for the text before the first heading."),
  pages: z.array(z.int().min(1)).describe("First and last page; empty if the format has no pages."),
  characters: count.describe("Length in characters, including subsections."),
});
export const outlineDocument = z.object({
  document,
  page_count: count.describe("0 if the format has no pages."),
  characters: count.describe("Length of the whole document as Markdown."),
  total: count.describe("Total number of sections."),
  sections: z.array(section),
  next_offset: count.nullable().describe("Offset for the next call; null at the end."),
});
/** A section, or a piece of one that is long. */
export const sectionDocument = z.object({
  document,
  section,
  offset: count.describe("Character offset in the section where the text starts."),
  text: z.string().describe("Markdown."),
  note: z.string().describe("Parts that could not be read; empty if nothing is missing."),
  next: z
    .object({ section: z.string(), offset: count })
    .nullable()
    .describe("Arguments of the next call; null at the end of the section."),
});

export type Outline = z.output<typeof outlineDocument>;
export type SectionPiece = z.output<typeof sectionDocument>;
type Section = z.output<typeof section>;

const printOutline = printer(outlineDocument);
const printSection = printer(sectionDocument);

/** A heading, or the beginning of a document, with the blocks up to the next heading that is not below it. */
interface Part extends Pick<Section, "id" | "heading" | "level"> {
  readonly blocks: readonly Block[];
}

function partsOf({ blocks }: ParsedContent): readonly Part[] {
  const starts = blocks.flatMap(({ kind, level = 1, text }, at) =>
    kind === "heading" ? [{ at, level, heading: text }] : [],
  );
  if (blocks.length > 0 && starts[0]?.at !== 0) starts.unshift({ at: 0, level: 0, heading: "" });
  return starts.map(({ at, level, heading }, index) => {
    const end = starts.find((next) => next.at > at && (level === 0 || next.level <= level));
    return { id: `s${index + 1}`, heading, level, blocks: blocks.slice(at, end?.at) };
  });
}

/** A part with its text, for display. */
function rendered({ blocks, ...facts }: Part, content: ParsedContent) {
  const text = renderMarkdown({ ...content, blocks });
  const pages = blocks.flatMap((block) => block.pages).toSorted((one, other) => one - other);
  const range = [pages.at(0), pages.at(-1)].filter((page) => page !== undefined);
  const section: Section = { ...facts, pages: range, characters: text.length };
  return { section, text };
}

/** The headings of a document from `offset` on, at most `limit` of them. */
export function outlineOf(
  document: DocumentSummary,
  content: ParsedContent,
  offset: number,
  limit: number,
): Outline {
  const parts = partsOf(content);
  const end = offset + limit;
  return printOutline({
    document,
    pageCount: content.pageCount,
    characters: renderMarkdown(content).length,
    total: parts.length,
    sections: parts.slice(offset, end).map((part) => rendered(part, content).section),
    nextOffset: end < parts.length ? end : null,
  });
}

/** A section by its id or heading. @throws NOT_FOUND, USAGE_INVALID for an offset that is not there */
export function sectionOf(
  document: DocumentSummary,
  content: ParsedContent,
  reference: string,
  offset: number,
): SectionPiece {
  const { section, text } = rendered(partNamed(document, partsOf(content), reference), content);
  checkOffset(`section ${section.id}`, text, offset);
  const end = pageBreakOffset(text, offset);
  const [first = 0, last = 0] = section.pages;
  return printSection({
    document,
    section,
    offset,
    text: text.slice(offset, end),
    note: describeMissing(content, (page) => page >= first && page <= last),
    next: end < text.length ? { section: section.id, offset: end } : null,
  });
}

const folded = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();

/**
 * The part of that id, else of that heading, else the only one whose heading holds those words. @throws
 * NOT_FOUND
 */
function partNamed({ name }: DocumentSummary, parts: readonly Part[], reference: string): Part {
  const wanted = folded(reference);
  const byId = parts.filter(({ id }) => id === wanted);
  const called = parts.filter(({ heading }) => folded(heading) === wanted);
  const holding = parts.filter(({ heading }) => folded(heading).includes(wanted));
  const matches = [byId, called, holding].find(({ length }) => length > 0) ?? [];
  const [part] = matches;
  if (part === undefined) {
    const near = didYouMean(
      reference,
      parts.map(({ heading }) => heading),
    );
    throw new RagctlError("NOT_FOUND", `${name} has no section "${reference}"${near}`, {
      hint: "`outline` lists the sections with their ids",
    });
  }
  if (matches.length > 1) {
    const ids = matches.slice(0, 5).map(({ id }) => id);
    const more = matches.length > 5 ? ` and ${matches.length - 5} more` : "";
    throw new RagctlError(
      "NOT_FOUND",
      `"${reference}" matches ${matches.length} sections: ${ids.join(", ")}${more}`,
      { hint: "use an id; outline lists them" },
    );
  }
  return part;
}
