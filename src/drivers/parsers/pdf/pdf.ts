import type { ParsedContent, Parser } from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import { emptySource, unreadable } from "../blocks.ts";
import type { ParserOptions } from "../options.ts";
import { openBuilder } from "../page/blocks.ts";
import { openFurniture, type Page } from "../page/furniture.ts";
import { openStyle } from "../page/style.ts";
import { freeTurns, type LeftOut, listPages, type PageTurns, requirePages, tellLeftOut } from "../pages.ts";
import { openObjects } from "./file/objects.ts";
import { attachmentNames } from "./notes.ts";
import { openPdf, type PdfDocument } from "./open.ts";
import { largestText, readOutline, readTitle } from "./outline.ts";
import { type PageContext, type PageReading, readPage } from "./page.ts";

/** Pages looked at beyond the one that is made into blocks, to know its running headers and the document's usual type. */
const lookAhead = 12;
/** Pages after which pdf.js is told to forget fonts and images. */
const pagesKept = 100;

type Outcome = PageReading | LeftOut | { readonly number: number; readonly error: unknown };

async function* readPages(
  context: PageContext,
  pagesAtOnce: number,
  turns: PageTurns,
): AsyncGenerator<Outcome> {
  const pending: Promise<Outcome>[] = [];
  turns.expect(context.document.numPages);
  for (let number = 1; number <= context.document.numPages; number++) {
    pending.push(
      turns.run(number, () => readPage(number, context)).catch((error: unknown) => ({ number, error })),
    );
    if (pending.length >= pagesAtOnce) {
      const first = await pending.shift();
      if (first !== undefined) yield first;
    }
    if (number % pagesKept === 0) {
      for (const rest of pending.splice(0)) yield await rest;
      await context.document.cleanup();
    }
  }
  for (const rest of pending) yield await rest;
}

async function isTagged(document: PdfDocument): Promise<boolean> {
  const info = await document.getMarkInfo().catch(() => null);
  return info !== null && "Marked" in info && info.Marked === true;
}

async function parse(bytes: Uint8Array, name: string, options: ParserOptions): Promise<ParsedContent> {
  const { document, close } = await openPdf(bytes, name);
  try {
    const { numPages } = document;
    if (numPages === 0) throw emptySource(name);
    const { ocr, turns = freeTurns } = options;
    const context = {
      document,
      objects: openObjects(bytes),
      tagged: await isTagged(document),
      ocr,
      trust: { checked: 0, agreed: 0 },
    };
    const furniture = openFurniture();
    const style = openStyle();
    const builder = openBuilder(await readOutline(document), style);
    const window: Page[] = [];
    const lost = {
      unread: [] as number[],
      noise: [] as number[],
      broken: [] as number[],
      hidden: [] as number[],
      late: [] as number[],
    };
    const left: LeftOut[] = [];
    const byOcr: number[] = [];
    const state = { largest: "", cause: undefined as unknown };
    for await (const outcome of readPages(context, options.pagesAtOnce ?? 1, turns)) {
      if ("leftOut" in outcome) {
        left.push(outcome);
        continue;
      }
      if ("error" in outcome) {
        // What the machine lacks for OCR is no fault of the document: the run's owner has to know.
        if (outcome.error instanceof RagctlError) throw outcome.error;
        lost.broken.push(outcome.number);
        state.cause = outcome.error;
        continue;
      }
      const { page } = outcome;
      if (outcome.byOcr) byOcr.push(page.number);
      if (outcome.unread) lost.unread.push(page.number);
      if (outcome.late === true) lost.late.push(page.number);
      if (outcome.noise) lost.noise.push(page.number);
      if (outcome.hiddenChars > 24) lost.hidden.push(page.number);
      if (page.number === 1) state.largest = largestText(page);
      furniture.see(page);
      style.see(page);
      window.push(page);
      const ready = window.length > lookAhead ? window.shift() : undefined;
      if (ready !== undefined) builder.push(furniture.strip(ready));
    }
    for (const page of window) builder.push(furniture.strip(page));
    if (lost.broken.length === numPages) {
      throw unreadable(
        name,
        "a PDF",
        numPages === 1 ? state.cause : new Error("none of its pages can be read"),
      );
    }
    const blocks = builder.finish();
    if (blocks.length === 0) requirePages(name, left, lost.late);
    if (blocks.length === 0 && lost.unread.length === 0) throw emptySource(name);
    const attached = await attachmentNames(document);
    const { warnings: limited, ...facts } = tellLeftOut(left, lost.late, turns);
    const warnings = [
      ...limited,
      lost.broken.length === 0
        ? ""
        : `${lost.broken.length} of ${numPages} pages could not be read: ${listPages(lost.broken)}`,
      lost.noise.length === 0
        ? ""
        : `OCR found marks but no text it was sure of, and left them out, on pages: ${listPages(lost.noise)}`,
      lost.hidden.length === 0
        ? ""
        : `text that nobody can see was left out on pages: ${listPages(lost.hidden)}`,
      attached.length === 0 ? "" : `attached files are not read: ${attached.slice(0, 20).join(", ")}`,
    ].filter((warning) => warning !== "");
    const title = await readTitle(document, state.largest, name);
    return {
      title,
      blocks,
      pageCount: numPages,
      pagesWithoutText: lost.unread,
      ...(byOcr.length === 0 ? {} : { pagesByOcr: byOcr }),
      warnings,
      ...facts,
    };
  } finally {
    await close();
  }
}

/** PDF by pdf.js: the text layer in reading order without running headers and footers, OCR for the pages that have none. */
export default (options: ParserOptions = {}): Parser => ({
  id: "pdfjs",
  parse: (bytes, file) => parse(bytes, file.name, options),
});
