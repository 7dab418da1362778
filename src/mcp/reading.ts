import { renderMarkdown } from "../app/verify/export-markdown.ts";
import type { DocumentSummary } from "../core/app.ts";
import type { Block, ParsedContent } from "../core/documents/document.ts";
import { resolveDocument } from "../core/documents/reference.ts";
import { RagctlError } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import { document } from "../shapes/documents.ts";
import { printer } from "../shapes/shape.ts";
import type { Call } from "./tool.ts";

/**
 * Characters of one reply: some 5 000 tokens, which a small context window still holds. A choice, not a
 * measurement.
 */
const maxCharacters = 20_000;

/** How far before its end a piece of a page looks for the end of a line, in characters. */
const lineSearch = 2000;

const count = z.int().min(0);
const ordinal = z.int().min(1);
/** A page of a document, or a piece of one that is long. */
export const pageDocument = z.object({
  document,
  page: ordinal,
  page_count: ordinal.describe("1 if the format has no pages."),
  offset: count.describe("Character offset in the page where the text starts."),
  page_characters: count.describe("Length of the whole page."),
  text: z.string().describe("Markdown."),
  note: z.string().describe("Parts that could not be read; empty if nothing is missing."),
  next: z
    .object({ page: ordinal, offset: count })
    .nullable()
    .describe("Arguments of the next call; null at the end."),
});
const printPage = printer(pageDocument);

/** One part of a page, as printed. */
export type PrintedPage = z.output<typeof pageDocument>;

/** A document with its pages as Markdown. */
export interface OpenDocument {
  readonly document: DocumentSummary;
  readonly pageCount: number;
  /** @throws NOT_FOUND for a page, USAGE_INVALID for an offset that is not there */
  page(number: number, offset: number): PrintedPage;
}

/** A document by id, beginning of an id, name or path, and its parsed content. @throws NOT_FOUND, SOURCE_* */
export async function readContent(reference: string, { app, run }: Call) {
  const summary = resolveDocument(reference, await app.documents([], run));
  return { summary, content: await app.reading(summary.id, run) };
}

/**
 * Reads a document by id, beginning of an id, name or path. @throws NOT_FOUND, in the same words where it may
 * not be read, SOURCE_*
 */
export async function openDocument(reference: string, call: Call): Promise<OpenDocument> {
  const { summary, content } = await readContent(reference, call);
  const pageCount = Math.max(1, content.pageCount);
  return {
    document: summary,
    pageCount,
    page(number, offset) {
      if (number < 1 || number > pageCount) throw noPage(summary, number, pageCount);
      const text = pageText(content, number);
      checkOffset(`page ${number}`, text, offset);
      const end = pageBreakOffset(text, offset);
      return printPage({
        document: summary,
        page: number,
        pageCount,
        offset,
        pageCharacters: text.length,
        text: text.slice(offset, end),
        note: describeMissing(content, (page) => page === number),
        next: nextOf(number, end, text.length, pageCount),
      });
    },
  };
}

/** @throws USAGE_INVALID where a text has no character at `offset` */
export function checkOffset(what: string, text: string, offset: number): void {
  if (offset === 0 || offset < text.length) return;
  throw new RagctlError(
    "USAGE_INVALID",
    `${what} has ${text.length} characters, so offset ${offset} is past its end`,
    { hint: "continue with the arguments in `next` of the previous reply" },
  );
}

function noPage({ name }: DocumentSummary, number: number, pageCount: number): RagctlError {
  return new RagctlError("NOT_FOUND", `${name} has no page ${number}`, {
    hint: `its pages are 1 to ${pageCount}`,
  });
}

/**
 * The blocks of a page as Markdown; a block that spans two pages is on both, one without a page follows the
 * one before it.
 */
function pageText(content: ParsedContent, number: number): string {
  if (content.pageCount === 0) return renderMarkdown(content);
  let before: readonly number[] = [1];
  const blocks: Block[] = [];
  for (const block of content.blocks) {
    const pages: readonly number[] = block.pages.length > 0 ? block.pages : before.slice(-1);
    if (pages.includes(number)) blocks.push(block);
    before = pages;
  }
  return blocks.length === 0 ? "" : renderMarkdown({ ...content, blocks });
}

/**
 * Where a piece that begins at `offset` ends: with the text, else with a line, never between the halves of a
 * character.
 */
export function pageBreakOffset(text: string, offset: number): number {
  const end = offset + maxCharacters;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (line > end - lineSearch) return line;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

function nextOf(page: number, end: number, length: number, pageCount: number): PrintedPage["next"] {
  if (end < length) return { page, offset: end };
  return page < pageCount ? { page: page + 1, offset: 0 } : null;
}

/** What could not be read of a document, of its pages where `isMeant`. */
export function describeMissing(
  { pagesWithoutText, warnings, omitted }: ParsedContent,
  isMeant: (page: number) => boolean,
): string {
  const unread = pagesWithoutText.filter(isMeant).map((page) => `page ${page} has no readable text`);
  const left = omitted === undefined ? [] : [`omitted: ${omitted}`];
  return [...unread, ...left, ...warnings].join("; ");
}
