import { fileURLToPath } from "node:url";
import type { ParsedContent, Parser } from "../../core/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { emptySource, squeeze, titleFromName, unreadable } from "./blocks.ts";
import { buildBlocks, type OutlineEntry } from "./pdf-blocks.ts";
import { dropFurniture, type Page } from "./pdf-furniture.ts";
import { readLines, type TextItem } from "./pdf-lines.ts";

interface OutlineNode {
  readonly title: string;
  readonly dest: string | readonly unknown[] | null;
  readonly items: readonly OutlineNode[];
}

/** The part of pdf.js that is used. */
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getOutline(): Promise<readonly OutlineNode[] | null>;
  getDestination(name: string): Promise<readonly unknown[] | null>;
  getPageIndex(reference: { num: number; gen: number }): Promise<number>;
  getMetadata(): Promise<{ info: object }>;
}

interface PdfPage {
  readonly view: readonly number[];
  getTextContent(): Promise<{ items: readonly unknown[] }>;
  cleanup(): boolean;
}

function isItem(item: unknown): item is TextItem {
  return typeof item === "object" && item !== null && "str" in item;
}

async function open(bytes: Uint8Array, name: string): Promise<{ document: PdfDocument; close: () => Promise<void> }> {
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
  // pdf.js takes ownership of the bytes it is given, so it gets a view of its own.
  const data = bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const folder = (part: string) => fileURLToPath(new URL(`../../${part}/`, import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs")));
  const options = { data, verbosity: 0, isEvalSupported: false, useSystemFonts: false, disableFontFace: true, stopAtErrors: false };
  const task = pdfjs.getDocument({ ...options, cMapUrl: folder("cmaps"), cMapPacked: true, standardFontDataUrl: folder("standard_fonts") });
  try {
    return { document: (await task.promise) as unknown as PdfDocument, close: () => task.destroy() }; // the subset declared above
  } catch (error) {
    await task.destroy();
    if (error instanceof Error && error.name === "PasswordException") {
      throw new RagctlError("SOURCE_ENCRYPTED", `${name} is protected by a password`, {
        hint: "save a copy without the password and ingest that",
        cause: error,
      });
    }
    throw unreadable(name, "a PDF", error);
  }
}

async function readOutline(document: PdfDocument): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = [];
  const walk = async (nodes: readonly OutlineNode[], level: number): Promise<void> => {
    for (const node of nodes) {
      if (entries.length >= 2000) return;
      const target = typeof node.dest === "string" ? await document.getDestination(node.dest) : node.dest;
      const page = target?.[0];
      if (typeof page === "number") entries.push({ title: node.title, page: page + 1, level });
      else if (typeof page === "object" && page !== null && "num" in page && "gen" in page) {
        const reference = { num: Number(page.num), gen: Number(page.gen) };
        entries.push({ title: node.title, page: (await document.getPageIndex(reference)) + 1, level });
      }
      if (level < 6) await walk(node.items, level + 1);
    }
  };
  try {
    await walk((await document.getOutline()) ?? [], 1);
  } catch {
    // A broken outline costs heading levels only; the text is read without it.
    return entries;
  }
  return entries;
}

/** The largest text in the upper part of the first page, when it is clearly larger than what follows. */
function largestText(pages: readonly Page[]): string {
  const first = pages[0];
  if (first?.number !== 1) return "";
  const lines = first.regions.flat().filter((line) => line.y > 0 && line.y < first.height * 0.6 && /\p{L}{3}/u.test(line.text));
  const size = lines.reduce((most, line) => Math.max(most, line.size), 0);
  const largest = lines.filter((line) => line.size > size * 0.97);
  return largest.length > 4 || largest.length === lines.length ? "" : squeeze(largest.map((line) => line.text).join(" "));
}

async function readTitle(document: PdfDocument, pages: readonly Page[], name: string): Promise<string> {
  const metadata = await document.getMetadata().catch(() => undefined);
  const info = metadata?.info;
  const title = info !== undefined && "Title" in info && typeof info.Title === "string" ? squeeze(info.Title) : "";
  const isFileName =
    /\.(docx?|pdf|pptx?|xlsx?|indd|tex|dvi|html?|rtf|qxd)$/i.test(title) || /^(microsoft word|untitled|document\d*)\b/i.test(title);
  if (title.length >= 4 && title.length <= 200 && !isFileName && !/^[\da-f\-_.]+$/i.test(title)) return title;
  const largest = largestText(pages);
  return largest.length >= 4 && largest.length <= 200 ? largest : titleFromName(name);
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const { document, close } = await open(bytes, file.name);
  try {
    const pages: Page[] = [];
    const pagesWithoutText: number[] = [];
    const broken: number[] = [];
    if (document.numPages === 0) throw emptySource(file.name);
    for (let number = 1; number <= document.numPages; number++) {
      try {
        const page = await document.getPage(number);
        const [, bottom = 0, , top = 0] = page.view;
        const { items } = await page.getTextContent();
        page.cleanup();
        const regions = readLines(items.filter(isItem), top - bottom);
        if (regions.length === 0) pagesWithoutText.push(number);
        else pages.push({ number, height: top - bottom, regions });
      } catch (error) {
        if (document.numPages === 1) throw unreadable(file.name, "a PDF", error);
        broken.push(number);
      }
    }
    if (broken.length === document.numPages) throw unreadable(file.name, "a PDF", new Error("none of its pages can be read"));
    const blocks = buildBlocks(dropFurniture(pages), await readOutline(document)).filter((block) => block.text.trim() !== "");
    if (blocks.length === 0 && pagesWithoutText.length === 0) throw emptySource(file.name);
    const warnings = broken.length === 0 ? [] : [`${broken.length} of ${document.numPages} pages could not be read: ${broken.join(", ")}`];
    return { title: await readTitle(document, pages, file.name), blocks, pageCount: document.numPages, pagesWithoutText, warnings };
  } finally {
    await close();
  }
}

/** PDF by pdf.js: text layer only, in reading order, without running headers and footers. */
export default (): Parser => ({ id: "pdfjs", parse });
