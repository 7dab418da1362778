import type { OcrPage, PageOcr } from "../options.ts";
import type { PageFacts } from "../page/drawing.ts";
import type { Page } from "../page/furniture.ts";
import { readLines } from "../page/lines.ts";
import { type Piece, placeItems, placeWords, turnOf } from "../page/pieces.ts";
import type { LeftOut } from "../pages.ts";
import { readDrawing } from "./file/content.ts";
import type { PdfObjects } from "./file/objects.ts";
import { readContent } from "./file/streams.ts";
import { hasNotes, readNotes } from "./notes.ts";
import type { PdfDocument, PdfPage } from "./open.ts";
import { renderPage } from "./render.ts";
import { readTags } from "./tags.ts";
import { isGarbage, judgePage, type Verdict } from "./verdict.ts";

/** A page as read. */
export interface PageReading {
  readonly page: Page;
  readonly byOcr: boolean;
  /** No text could be read though the page may hold some. */
  readonly unread: boolean;
  /** OCR found marks, but no text that can be trusted. */
  readonly noise: boolean;
  /** Characters of text left out because nobody can see them. */
  readonly hiddenChars: number;
  /** OCR of the page took more than its time. */
  readonly late?: boolean;
}

export interface PageContext {
  readonly document: PdfDocument;
  readonly objects: PdfObjects | undefined;
  readonly tagged: boolean;
  readonly ocr: PageOcr | undefined;
  /** Pages of a scanner's own text layer compared with OCR so far, and how many agreed. */
  readonly trust: { checked: number; agreed: number };
}

/** OCR below this mean confidence is noise. */
const leastConfidence = 0.45;

function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join(" ");
}

function letters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
}

/** Share of the words OCR saw that the layer holds too. */
function agreement(seen: string, layer: string): number {
  const [one, two] = [words(seen), words(layer)];
  return one.size === 0 ? 0 : [...one].filter((word) => two.has(word)).length / one.size;
}

async function runOcr(
  page: PdfPage,
  facts: PageFacts | undefined,
  rotation: number,
  ocr: PageOcr,
): Promise<{ read: OcrPage; scale: number } | "late" | undefined> {
  const rendered = await renderPage(page, facts, rotation);
  if (rendered === undefined) return undefined;
  const read = await ocr.engine.recognize(rendered.image);
  return read === undefined || read === "late" ? read : { read, scale: rendered.scale };
}

/**
 * Reads one page:
 * 1. its text as shown, upright, without what nobody can see;
 * 2. the verdict: that text, OCR, or the richer of both; a scanner's own hidden layer is believed where OCR sees the same words;
 * 3. lines, columns and ruled tables.
 */
export async function readPage(number: number, context: PageContext): Promise<PageReading | LeftOut> {
  const { document, objects, ocr } = context;
  const page = await document.getPage(number);
  try {
    const content =
      objects === undefined || page.ref === null ? undefined : readContent(objects, page.ref.num);
    if (content === "too large") return { leftOut: "content", page: number };
    const { items, styles } = await page.getTextContent({
      includeMarkedContent: context.tagged,
      disableNormalization: true,
    });
    const shown = page.getViewport({ scale: 1 });
    const turn = turnOf(items, shown.transform);
    const rotation = (page.rotate + turn) % 360;
    const viewport = turn === 0 ? shown : page.getViewport({ scale: 1, rotation });
    const facts =
      objects === undefined || content === undefined
        ? undefined
        : readDrawing(objects, content, viewport.transform);
    const tags = context.tagged ? await readTags(page) : { roles: new Map<string, string>(), pictures: [] };
    const place = { viewport: viewport.transform, width: viewport.width, height: viewport.height };
    const { pieces, hidden, outside } = placeItems(items, place, styles, facts, tags.roles);
    const noted =
      objects === undefined || page.ref === null ? document.numPages <= 8 : hasNotes(objects, page.ref.num);
    const notes = noted ? await readNotes(page, viewport.transform) : { pieces: [], comments: [] };
    const base = {
      number,
      width: viewport.width,
      height: viewport.height,
      pictures: tags.pictures,
      notes: notes.comments,
      placed: turn === 0,
    };
    const layer = [...pieces, ...notes.pieces];
    const text = textOf(pieces);
    const asText = (from: readonly Piece[], hiddenChars: number): PageReading => {
      const regions = readLines(from, facts);
      const unread = regions.length === 0 && notes.comments.length === 0 && tags.pictures.length === 0;
      return { page: { ...base, regions }, byOcr: false, unread, noise: false, hiddenChars };
    };
    const hiddenChars = letters(textOf(hidden)) + outside;
    const verdict: Verdict =
      ocr?.mode === "always" ? "ocr" : judgePage(text, facts, viewport.width, viewport.height);
    if (verdict === "text") return asText(layer, hiddenChars);

    const hiddenText = textOf(hidden);
    const isScannersLayer =
      letters(hiddenText) > 3 * letters(text) &&
      facts !== undefined &&
      facts.images.length > 0 &&
      !isGarbage(hiddenText);
    const { trust } = context;
    const believed = trust.checked >= 3 && trust.agreed === trust.checked && number % 10 !== 0;
    if (isScannersLayer && ocr?.mode !== "always" && (ocr === undefined || believed))
      return asText([...layer, ...hidden], outside);
    const tried = ocr === undefined ? undefined : await runOcr(page, facts, rotation, ocr);
    const late = tried === "late";
    const done = late ? undefined : tried;
    const usable = done !== undefined && done.read.confidence >= leastConfidence;
    const words = usable ? placeWords(done.read, done.scale) : [];
    const seen = textOf(words);
    const noise = done !== undefined && letters(seen) < 2 && done.read.dropped > 3;
    if (isScannersLayer && usable && ocr?.mode !== "always") {
      const agrees = agreement(seen, hiddenText) >= 0.5;
      trust.checked++;
      if (agrees) trust.agreed++;
      if (agrees) return asText([...layer, ...hidden], outside);
    }
    const isPoor = verdict === "compare" && letters(seen) < letters(text) * 1.2 + 8;
    if (letters(seen) < 2 || isPoor) {
      const keeps = verdict === "compare" || !isGarbage(text);
      return { ...asText(keeps ? layer : notes.pieces, hiddenChars), noise, late };
    }
    const [width, height] = [done?.read.width ?? 0, done?.read.height ?? 0].map(
      (side) => side / (done?.scale ?? 1),
    );
    // Lines of a rendered page are those of its viewport, unless OCR had to turn it further.
    const upright = done?.read.turned === 0;
    const regions = readLines([...words, ...notes.pieces], upright ? facts : undefined);
    const size = { width: width ?? 0, height: height ?? 0, placed: base.placed && upright };
    return {
      page: { ...base, ...size, regions, confidence: done?.read.confidence ?? 0 },
      byOcr: true,
      unread: false,
      noise: false,
      hiddenChars,
    };
  } finally {
    page.cleanup();
  }
}
