import type {
  Block,
  PagePicture,
  PageText,
  PageToDraw,
  ParsedContent,
  Parser,
  Table,
} from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import { damagedFile, emptyFileError } from "../blocks.ts";
import type { ParserOptions } from "../options.ts";
import { createBlockBuilder } from "../page/blocks.ts";
import { createPageFurnitureFilter, type PageRegions } from "../page/furniture.ts";
import type { OutlineEntry } from "../page/headings.ts";
import { createStyleStatistics } from "../page/style.ts";
import {
  freeTurns,
  listPages,
  ocrNoiseWarning,
  type PageTurns,
  pagesInOrder,
  reportSkippedPages,
  requirePages,
  type SkippedPages,
} from "../pages.ts";
import { definedProperties, pdfProperties } from "../properties.ts";
import { attachmentNames } from "./notes.ts";
import { openPdf, type PdfDocument } from "./open.ts";
import { addPageLabel, largestText, readInfo, readOutline, readTitle } from "./outline.ts";
import { type PageContext, type PageReading, readPage } from "./page.ts";
import { drawPage } from "./render.ts";

/**
 * Pages looked at beyond the one that is made into blocks, to know its running headers and the document's
 * usual type.
 */
const lookAhead = 12;
/** Pages after which pdf.js drops its fonts and images. */
const pagesKept = 100;

type Outcome = PageReading | SkippedPages | { readonly number: number; readonly error: unknown };

async function* readPages(
  context: PageContext,
  pagesAtOnce: number,
  turns: PageTurns,
): AsyncGenerator<Outcome> {
  const { numPages } = context.document;
  turns.expect(numPages);
  const inTurn = <T>(number: number, work: () => Promise<T>) =>
    turns.run(number, work).catch((error: unknown) => ({ number, error }));
  for (let first = 1; first <= numPages; first += pagesKept) {
    const last = Math.min(numPages, first + pagesKept - 1);
    const read = (number: number) => inTurn(number, () => readPage(number, context));
    for await (const outcome of pagesInOrder(first, last, pagesAtOnce, read))
      yield "settle" in outcome ? await inTurn(outcome.number, outcome.settle) : outcome;
    await context.document.cleanup();
  }
}

async function isTagged(document: PdfDocument): Promise<boolean> {
  const info = await document.getMarkInfo().catch(() => null);
  return info !== null && "Marked" in info && info.Marked === true;
}

/** The results of a document's pages: numbers of those that are not simply read. */
interface Tally {
  readonly leftOut: SkippedPages[];
  readonly byOcr: number[];
  readonly unread: number[];
  /** OCR took more than its time. */
  readonly late: number[];
  /** OCR found marks, but no text. */
  readonly noise: number[];
  /** Invisible text was left out. */
  readonly hidden: number[];
  /** Text was left out whose font does not say which letters it draws. */
  readonly unmapped: number[];
  /** Runs of the marks of a map or a chart were left out. */
  readonly marks: number[];
  readonly broken: number[];
  /** Why the last broken page could not be read. */
  cause: unknown;
  /** The largest text of the first page. */
  largest: string;
  readonly pageTexts: PageText[];
}

/** Most characters of hidden text on a page that need no warning. */
const fewChars = 24;

/** The rows of a table, what merged cells repeat in one of them once. */
function textOfTable({ rows, spans = [] }: Table): string {
  const isRepeated = (row: number, column: number): boolean =>
    spans.some(
      ({ row: top, rows: high, column: left, columns: wide }) =>
        row >= top && row < top + high && column > left && column < left + wide,
    );
  return rows
    .map((cells, row) =>
      cells.filter((cell, column) => cell.trim() !== "" && !isRepeated(row, column)).join(" "),
    )
    .join("\n");
}

/** Every line of a page in reading order, then the texts of its pictures and comments. */
function textOfPage({ regions, pictures, notes }: PageRegions): string {
  const lines = regions.flat().map(({ text, table }) => (table === undefined ? text : textOfTable(table)));
  const text = [...lines, ...pictures, ...notes].filter((line) => line.trim() !== "").join("\n");
  return text.replace(/\u00ad\n?/g, "");
}

/** Notes what became of a page; returns it where it was read. */
function recordOutcome(tally: Tally, outcome: Outcome): PageRegions | undefined {
  if ("leftOut" in outcome) {
    tally.leftOut.push(outcome);
    return undefined;
  }
  if ("error" in outcome) {
    // A lack of the machine for OCR is not a fault of the document: it is reported to the run's owner.
    if (outcome.error instanceof RagctlError) throw outcome.error;
    tally.broken.push(outcome.number);
    tally.cause = outcome.error;
    return undefined;
  }
  const { page } = outcome;
  if (outcome.byOcr) tally.byOcr.push(page.number);
  if (outcome.unread) tally.unread.push(page.number);
  if (outcome.late === true) tally.late.push(page.number);
  if (outcome.noise) tally.noise.push(page.number);
  if (outcome.hiddenChars > fewChars) tally.hidden.push(page.number);
  if (outcome.unmapped === true) tally.unmapped.push(page.number);
  if (outcome.marks === true) tally.marks.push(page.number);
  if (page.number === 1) tally.largest = largestText(page);
  tally.pageTexts.push({ page: page.number, text: textOfPage(page) });
  return page;
}

/** Makes blocks of the pages, each as soon as enough of those after it are known. */
async function buildBlocks(
  outcomes: AsyncIterable<Outcome>,
  outline: readonly OutlineEntry[],
  tally: Tally,
): Promise<readonly Block[]> {
  const furniture = createPageFurnitureFilter();
  const style = createStyleStatistics();
  const builder = createBlockBuilder(outline, style);
  const window: PageRegions[] = [];
  for await (const outcome of outcomes) {
    const page = recordOutcome(tally, outcome);
    if (page === undefined) continue;
    furniture.see(page);
    style.see(page);
    window.push(page);
    const ready = window.length > lookAhead ? window.shift() : undefined;
    if (ready !== undefined) builder.push(furniture.strip(ready));
  }
  for (const page of window) builder.push(furniture.strip(page));
  return builder.finish();
}

/** Fails a document of which no page was read. @throws SOURCE_DAMAGED, SOURCE_EMPTY, as `requirePages` */
function requireBlocks(name: string, blocks: readonly Block[], tally: Tally, pages: number): void {
  if (tally.broken.length === pages) {
    const cause = pages === 1 ? tally.cause : new Error("none of its pages can be read");
    throw damagedFile(name, "a PDF", cause);
  }
  if (blocks.length > 0) return;
  requirePages(name, tally.leftOut, tally.late);
  if (tally.unread.length === 0) throw emptyFileError(name);
}

function warningsOf(
  { broken, noise, hidden, unmapped, marks }: Tally,
  { document: { numPages: pages }, layered, vertical }: PageContext,
  attachments: readonly string[],
): string[] {
  const of = (list: readonly unknown[], warning: string) => (list.length === 0 ? [] : [warning]);
  const on = (list: readonly number[], what: string) => of(list, `${what} on pages: ${listPages(list)}`);
  return [
    ...of(broken, `${broken.length} of ${pages} pages could not be read: ${listPages(broken)}`),
    ...of(noise, ocrNoiseWarning(noise)),
    ...on(hidden, "invisible text was skipped"),
    ...on(unmapped, "text in fonts without character codes was skipped"),
    ...on(marks, "runs of symbols, as on maps and charts, were skipped"),
    ...of(attachments, `attached files are not read: ${attachments.slice(0, 20).join(", ")}`),
    ...on(layered, "text of layers that are off was skipped"),
    ...on(vertical, "vertical text may be read in the wrong order"),
  ];
}

/** The requested pages as pictures; a page that meets a limit or cannot be drawn is left out. */
async function drawPages(
  document: PdfDocument,
  draw: readonly PageToDraw[],
  turns: PageTurns,
): Promise<ParsedContent> {
  const { numPages } = document;
  turns.expect(numPages);
  const pictures: PagePicture[] = [];
  for (const { page: number, boxes } of draw.filter(({ page }) => page <= numPages)) {
    const drawn = await turns
      .run(number, async () => drawPage(await document.getPage(number), boxes))
      .catch(() => undefined);
    if (drawn !== undefined && !("leftOut" in drawn)) pictures.push({ page: number, bytes: drawn });
  }
  return { title: "", blocks: [], pageCount: numPages, pagesWithoutText: [], warnings: [], pictures };
}

async function readDocument(
  document: PdfDocument,
  name: string,
  { ocr, turns = freeTurns, pagesAtOnce = 1 }: ParserOptions,
): Promise<ParsedContent> {
  const { numPages } = document;
  if (numPages === 0) throw emptyFileError(name);
  const context: PageContext = {
    document,
    tagged: await isTagged(document),
    ocr,
    vertical: [],
    layered: [],
    trust: { checked: 0, agreed: 0 },
  };
  const tally: Tally = {
    leftOut: [],
    byOcr: [],
    unread: [],
    late: [],
    noise: [],
    hidden: [],
    unmapped: [],
    marks: [],
    broken: [],
    cause: undefined,
    largest: "",
    pageTexts: [],
  };
  const outline = await readOutline(document);
  const blocks = await buildBlocks(readPages(context, pagesAtOnce, turns), outline, tally);
  requireBlocks(name, blocks, tally, numPages);
  const attachments = await attachmentNames(document);
  // Broken labels cost the labels only.
  const labels = await document.getPageLabels().catch(() => null);
  const { warnings, ...facts } = reportSkippedPages(tally.leftOut, tally.late, turns);
  return {
    title: await readTitle(document, tally.largest, name),
    blocks,
    pageCount: numPages,
    pagesWithoutText: tally.unread,
    pageTexts: tally.pageTexts.filter(({ text }) => text !== "").map((page) => addPageLabel(page, labels)),
    ...(tally.byOcr.length === 0 ? {} : { pagesByOcr: tally.byOcr }),
    warnings: [...warnings, ...warningsOf(tally, context, attachments)],
    ...facts,
    ...definedProperties(pdfProperties(await readInfo(document))),
  };
}

async function parse(bytes: Uint8Array, name: string, options: ParserOptions): Promise<ParsedContent> {
  const { document, close } = await openPdf(bytes, name);
  try {
    const { draw, turns = freeTurns } = options;
    return await (draw === undefined
      ? readDocument(document, name, options)
      : drawPages(document, draw, turns));
  } finally {
    await close();
  }
}

/**
 * PDF by pdf.js: the text layer in reading order without running headers and footers, OCR for the pages that
 * have none.
 */
export default (options: ParserOptions = {}): Parser => ({
  id: "pdfjs",
  parse: (bytes, file) => parse(bytes, file.name, options),
});
