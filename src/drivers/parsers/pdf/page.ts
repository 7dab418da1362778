import { isNoisy, type OcrPage, type PageOcr } from "../options.ts";
import type { PageFacts } from "../page/drawing.ts";
import type { PageRegions } from "../page/furniture.ts";
import {
  dropIsolatedUnknownGlyphs,
  fillFromActualText,
  fillUnknownGlyphs,
  hasUnknownGlyphs,
  overlapsPiece,
} from "../page/holes.ts";
import { withoutLineNumbers } from "../page/line-numbers.ts";
import { type PageRegion, readLines } from "../page/lines.ts";
import { withoutMarks } from "../page/noise/marks.ts";
import { detectRotation, type Piece, placeItems, placeWords } from "../page/pieces.ts";
import { maskUnmappedText, unmappedFonts } from "../page/unmapped.ts";
import type { SkippedPages } from "../pages.ts";
import { noAnnotations, type PdfNotes, readNotes } from "./notes.ts";
import type { PdfDocument, PdfPage } from "./open.ts";
import { renderPage } from "./render.ts";
import { noTags, readTags } from "./tags.ts";
import { decideOcr, isGarbage, type OcrDecision } from "./verdict.ts";
import type { PageAfterword } from "./worker.ts";

/** A page as read. */
export interface PageReading {
  readonly page: PageRegions;
  readonly byOcr: boolean;
  /** No text could be read though the page may hold some. */
  readonly unread: boolean;
  /** OCR found more than a few specks that are not trustworthy text. */
  readonly noise: boolean;
  /** Characters of invisible text that were left out. */
  readonly hiddenChars: number;
  /** OCR of the page took more than its time. */
  readonly late?: boolean;
  /** Text was left out whose font does not say which letters it draws. */
  readonly unmapped?: boolean;
  /** Runs of the marks of a map or a chart were left out. */
  readonly marks?: boolean;
}

/** A page with a scanner's text layer: the pages before it decide whether that is believed. */
export interface PageInDoubt {
  readonly number: number;
  /** Called for one page after the other, in their order. */
  readonly settle: () => Promise<PageReading>;
}

export interface PageContext {
  readonly document: PdfDocument;
  readonly tagged: boolean;
  readonly ocr: PageOcr | undefined;
  /** Pages with text set downwards, in columns. */
  readonly vertical: number[];
  /** Pages with text in layers that are off, which is left out. */
  readonly layered: number[];
  /** Pages of a scanner's own text layer compared with OCR so far, in their order, and how many agreed. */
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
  const seenWords = [...words(seen)];
  const layerWords = words(layer);
  return seenWords.length === 0
    ? 0
    : seenWords.filter((word) => layerWords.has(word)).length / seenWords.length;
}

/** A page as its file describes it, before the decision how to read its text. */
interface PageSource {
  readonly number: number;
  readonly pdfPage: PdfPage;
  readonly facts: PageFacts | undefined;
  /** Degrees clockwise at which its text is upright. */
  readonly rotation: number;
  /** The page without its regions. */
  readonly base: Omit<PageRegions, "regions">;
  /** Visible text, without and with the texts of fields. */
  readonly pieces: readonly Piece[];
  readonly layer: readonly Piece[];
  readonly notes: PdfNotes;
  readonly hidden: readonly Piece[];
  /** Pieces in fonts that do not say which letters they draw. */
  readonly unmapped: readonly Piece[];
  /** Characters off the page or too small to be read. */
  readonly outside: number;
}

const isAfterword = (item: unknown): item is PageAfterword =>
  typeof item === "object" && item !== null && "type" in item && item.type === "afterword";

/** Reads a page from the file, turned so that its text is upright. */
async function readSource(
  number: number,
  pdfPage: PdfPage,
  { document, tagged, vertical, layered }: PageContext,
): Promise<PageSource | "too large"> {
  const { items: sent, styles } = await pdfPage.getTextContent({
    includeMarkedContent: tagged,
    disableNormalization: true,
  });
  const afterword = sent.find(isAfterword);
  if (afterword !== undefined && afterword.drawing === undefined) return "too large";
  const items = fillFromActualText(sent.filter((item) => item !== afterword));
  if (Object.values(styles).some((style) => style.vertical === true)) vertical.push(number);
  const unturned = pdfPage.getViewport({ scale: 1 });
  const turn = detectRotation(items, unturned.transform);
  const rotation = (pdfPage.rotate + turn) % 360;
  const { width, height, transform } = turn === 0 ? unturned : pdfPage.getViewport({ scale: 1, rotation });
  const facts = afterword?.drawing?.facts(transform);
  if ((facts?.layerBytes ?? 0) > 0) layered.push(number);
  const tags = tagged ? await readTags(pdfPage) : noTags;
  const place = { viewport: transform, width, height };
  const unmapped = unmappedFonts(items, styles);
  const {
    pieces: all,
    hidden,
    outside,
  } = placeItems(
    maskUnmappedText(dropIsolatedUnknownGlyphs(items, unmapped), unmapped),
    place,
    styles,
    facts,
    tags.roles,
  );
  const pieces = all.filter(({ font }) => !unmapped.has(font));
  // Where it is not known, pdf.js is asked in short documents only.
  const mayHaveNotes = afterword?.hasNotes ?? document.numPages <= 8;
  const notes = mayHaveNotes ? await readNotes(pdfPage, transform, pieces) : noAnnotations;
  return {
    number,
    pdfPage,
    facts,
    rotation,
    base: { number, width, height, pictures: tags.pictures, notes: notes.comments, placed: turn === 0 },
    pieces,
    layer: [...pieces, ...notes.pieces],
    notes,
    hidden,
    unmapped: all.filter(({ font }) => unmapped.has(font)),
    outside,
  };
}

/** The regions without the marks of maps and charts, and whether there were any. */
function sift(read: readonly PageRegion[]): {
  readonly regions: readonly PageRegion[];
  readonly marks: boolean;
} {
  const regions = withoutMarks(read);
  return { regions, marks: regions.flat().length < read.flat().length };
}

/** The page with these pieces as its text. */
function readPieces({ base, facts }: PageSource, pieces: readonly Piece[], hiddenChars: number): PageReading {
  const { regions, marks } = sift(readLines(withoutLineNumbers(pieces), facts));
  const unread = regions.length === 0 && base.notes.length === 0 && base.pictures.length === 0;
  return { page: { ...base, regions }, byOcr: false, unread, noise: false, hiddenChars, marks };
}

/** Whether the hidden text is the layer a scanner's own OCR left over the image of the page. */
function hasScannersLayer({ facts, pieces, hidden }: PageSource): boolean {
  const text = textOf(hidden);
  return (
    letters(text) > 3 * letters(textOf(pieces)) &&
    facts !== undefined &&
    facts.images.length > 0 &&
    !isGarbage(text)
  );
}

/** What OCR read of a page. */
interface PageByOcr {
  readonly read: OcrPage;
  /** Pixels a point. */
  readonly scale: number;
  /** Words, where they can be trusted. */
  readonly words: readonly Piece[];
  readonly text: string;
}

async function runOcr({ pdfPage, facts, rotation }: PageSource, ocr: PageOcr): Promise<OcrOutcome> {
  const rendered = await renderPage(pdfPage, facts, rotation);
  if (rendered === undefined) return undefined;
  const read = await ocr.engine.recognize(rendered.image);
  if (read === undefined || read === "late") return read;
  const { scale } = rendered;
  const words = read.confidence >= leastConfidence ? placeWords(read, scale) : [];
  return { read, scale, words, text: textOf(words) };
}

/** The page with the words of OCR as its text. */
function readWords(
  { base, facts, notes }: PageSource,
  { read, scale, words }: PageByOcr,
  hiddenChars: number,
): PageReading {
  // Lines of a rendered page are those of its viewport, unless OCR had to turn it further.
  const isUpright = read.turned === 0;
  const { regions, marks } = sift(readLines([...words, ...notes.pieces], isUpright ? facts : undefined));
  const page = {
    ...base,
    width: read.width / scale,
    height: read.height / scale,
    placed: base.placed && isUpright,
    regions,
    confidence: read.confidence,
  };
  return { page, byOcr: true, unread: false, noise: isNoisy(read, words.length), hiddenChars, marks };
}

/** Whether OCR sees the words of a scanner's layer; every comparison counts for the pages that follow. */
function confirmsLayer(
  { read, text }: PageByOcr,
  hidden: readonly Piece[],
  trust: PageContext["trust"],
): boolean {
  if (read.confidence < leastConfidence) return false;
  const agrees = agreement(text, textOf(hidden)) >= 0.5;
  trust.checked++;
  if (agrees) trust.agreed++;
  return agrees;
}

/** Whether a scanner's layer is believed unseen; every tenth one is compared with OCR all the same. */
function isTrusted({ checked, agreed }: PageContext["trust"], number: number): boolean {
  return checked >= 3 && agreed === checked && number % 10 !== 0;
}

/** Whether the page shows letters that its fonts do not name. */
const asksOcr = ({ layer, unmapped }: PageSource): boolean => unmapped.length > 0 || hasUnknownGlyphs(layer);

/** The page with its text layer, and what OCR saw where its fonts do not say which letters they draw. */
function readLayer(source: PageSource, byOcr: PageByOcr | undefined, hiddenChars: number): PageReading {
  const { layer, unmapped } = source;
  if (!asksOcr(source)) return readPieces(source, layer, hiddenChars);
  const seen = byOcr?.read.turned === 0 ? byOcr.words : [];
  const filled = fillUnknownGlyphs(layer, seen);
  const words = seen.flatMap((word) => {
    const place = unmapped.find((piece) => overlapsPiece(word, piece));
    return place === undefined ? [] : [{ ...word, y: place.y, size: place.size, font: place.font }];
  });
  const reading = readPieces(source, [...filled, ...words], hiddenChars);
  const isLeftOut = hasUnknownGlyphs(filled) || (unmapped.length > 0 && words.length === 0);
  return { ...reading, byOcr: layer.length === 0 && words.length > 0, unmapped: isLeftOut };
}

type OcrOutcome = PageByOcr | "late" | undefined;

/** Reads a page whose visible text is not enough, by a scanner's layer or OCR. */
async function readPoorPage(
  source: PageSource,
  verdict: OcrDecision,
  { ocr, trust }: PageContext,
): Promise<PageReading | PageInDoubt> {
  const { number, layer, hidden, outside } = source;
  const mayUseLayer = ocr?.mode !== "always" && hasScannersLayer(source);
  const readHidden = () => readPieces(source, [...layer, ...hidden], outside);
  if (ocr === undefined) return mayUseLayer ? readHidden() : readUnhidden(source, verdict, undefined);
  if (!mayUseLayer) return readUnhidden(source, verdict, await runOcr(source, ocr));
  // Read ahead of its turn unless the pages settled so far say that this will not be needed.
  const early = isTrusted(trust, number) ? undefined : { outcome: await runOcr(source, ocr) };
  const settle = async (): Promise<PageReading> => {
    if (isTrusted(trust, number)) return readHidden();
    const { outcome } = early ?? { outcome: await runOcr(source, ocr) };
    const isSeen = outcome !== undefined && outcome !== "late";
    return isSeen && confirmsLayer(outcome, hidden, trust)
      ? readHidden()
      : readUnhidden(source, verdict, outcome);
  };
  return { number, settle };
}

/** The page by what OCR saw, or by its visible text where that is no worse. */
function readUnhidden(source: PageSource, verdict: OcrDecision, outcome: OcrOutcome): PageReading {
  const { pieces, notes, hidden, outside } = source;
  const late = outcome === "late";
  const byOcr = late ? undefined : outcome;
  const text = textOf(pieces);
  const hiddenChars = letters(textOf(hidden)) + outside;
  const leastLetters = verdict === "compare" ? Math.max(2, letters(text) * 1.2 + 8) : 2;
  const seen = byOcr === undefined ? 0 : letters(byOcr.text);
  if (byOcr !== undefined && seen >= leastLetters) return readWords(source, byOcr, hiddenChars);
  const noise = byOcr !== undefined && seen < 2 && isNoisy(byOcr.read, 0);
  const keepsLayer = verdict === "compare" || !isGarbage(text);
  const reading = keepsLayer
    ? readLayer(source, byOcr, hiddenChars)
    : readPieces(source, notes.pieces, hiddenChars);
  return { ...reading, noise, late };
}

/**
 * Reads one page:
 * 1. its text as shown, upright, without what nobody can see;
 * 2. the verdict: that text, OCR, or the richer of both; a scanner's own hidden layer is believed where OCR
 *   sees the same words;
 * 3. lines, columns and ruled tables.
 */
export async function readPage(
  number: number,
  context: PageContext,
): Promise<PageReading | PageInDoubt | SkippedPages> {
  const { document, ocr } = context;
  const pdfPage = await document.getPage(number);
  try {
    const source = await readSource(number, pdfPage, context);
    if (source === "too large") return { leftOut: "content", page: number };
    const { base, facts, hidden, outside } = source;
    const verdict =
      ocr?.mode === "always" ? "ocr" : decideOcr(textOf(source.pieces), facts, base.width, base.height);
    if (verdict !== "text") return await readPoorPage(source, verdict, context);
    const outcome = asksOcr(source) && ocr !== undefined ? await runOcr(source, ocr) : undefined;
    const late = outcome === "late";
    return { ...readLayer(source, late ? undefined : outcome, letters(textOf(hidden)) + outside), late };
  } finally {
    pdfPage.cleanup();
  }
}
