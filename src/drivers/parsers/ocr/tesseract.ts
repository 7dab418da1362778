import { basename } from "node:path";
import type { Worker } from "node:worker_threads";
import { type GrayImage, meaningfulCharacter, type OcrLine, type OcrPage, type OcrWord } from "../options.ts";
import { withLanguageFolder } from "./languages.ts";

interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** The parts of tesseract.js's result that are used. */
interface FoundLine {
  readonly baseline: Box;
  readonly bbox: Box;
  readonly rowAttributes: { readonly rowHeight: number };
  readonly words: readonly { readonly text: string; readonly confidence: number; readonly bbox: Box }[];
}

interface Recognized {
  readonly data: {
    readonly blocks:
      | readonly { readonly paragraphs: readonly { readonly lines: readonly FoundLine[] }[] }[]
      | null;
  };
}

/** The used part of a tesseract.js worker. */
export interface TesseractWorker {
  /** Resolves when its thread is gone; what it was reading then never ends. */
  readonly gone: Promise<"gone">;
  recognize(
    image: Uint8Array,
    options: object,
    output: { readonly blocks: boolean; readonly text: boolean },
  ): Promise<Recognized>;
  terminate(): Promise<unknown>;
}

/** Least confidence at which a word is kept. */
const leastConfidence = 0.3;

/** Starts an engine in its own thread with the languages of the given data files; nothing is fetched. */
export async function startTesseract(files: readonly string[]): Promise<TesseractWorker> {
  const { default: tesseract } = await import("tesseract.js");
  const codes = files.map((file) => basename(file).split(".traineddata", 1)[0] ?? "");
  const worker = await withLanguageFolder(files, ({ path, gzip }) =>
    // Without an error handler the library throws errors that cannot be caught.
    tesseract.createWorker(codes, tesseract.OEM.LSTM_ONLY, {
      langPath: path,
      gzip,
      cacheMethod: "none",
      errorHandler: () => {},
    }),
  );
  // The engine finds columns and blocks by itself; what tesseract.js starts with is one single block.
  await worker.setParameters({
    tessedit_pageseg_mode: tesseract.PSM.AUTO,
    user_defined_dpi: "200",
    debug_file: "/dev/null",
  });
  // tesseract.js declares neither its thread nor the subset above.
  const { worker: thread, ...rest } = worker as unknown as TesseractWorker & { readonly worker: Worker };
  const gone = new Promise<"gone">((resolve) => {
    // An unhandled error of a thread would end this process.
    thread.once("error", () => resolve("gone")).once("exit", () => resolve("gone"));
  });
  return { ...rest, gone };
}

/** A grey image as a PGM file: nothing to compress, nothing to unpack. */
export function encodePgm({ width, height, data }: GrayImage): Uint8Array {
  const head = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(head.length + data.length);
  file.set(head);
  file.set(data, head.length);
  return file;
}

function keep({ text, confidence }: OcrWord): boolean {
  if (confidence < leastConfidence || text === "") return false;
  // Specks and rules come back as lone marks; bullets, currency signs and dashes between words do not need to
  // be certain.
  return meaningfulCharacter.test(text)
    ? confidence >= 0.45 || text.length > 2
    : /^[•·*\-–—$€£%&+=|/→()[\]:]$/.test(text) && confidence > 0.6;
}

/**
 * Whether a word shows that its line is text. Symbols of drawings read as one or two letters at up to .93, as
 * more up to .57, as digits up to .66; of words on scans, poor ones and ones in a language that is not
 * installed included, every line had one above.
 */
function isCertain({ text, confidence }: OcrWord): boolean {
  if (/[\p{L}\p{N}]{3}|\p{Lo}/u.test(text)) return confidence >= 0.65;
  return /\d/.test(text) && confidence >= 0.8;
}

const meanConfidence = (words: readonly OcrWord[]): number => {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return (
    words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / Math.max(1, letters)
  );
};

/**
 * The lines that are text; short ones without a word that shows it count on a page whose lines mostly have
 * one.
 */
function textLines(lines: readonly OcrLine[]): OcrLine[] {
  const certain = new Set(lines.filter(({ words }) => words.some(isCertain)));
  const isText = certain.size * 2 >= lines.length;
  return lines.filter((line) => certain.has(line) || (isText && meanConfidence(line.words) >= 0.8));
}

/** The engine's line without the words that cannot be trusted; undefined where it is noise. */
function readLine({ words, baseline, bbox, rowAttributes }: FoundLine): OcrLine | undefined {
  const kept = wordsOf(words).filter(keep);
  // A line most of whose words are noise is a picture, not a line.
  if (!kept.some(({ text }) => meaningfulCharacter.test(text)) || kept.length * 3 < words.length)
    return undefined;
  const height = bbox.y1 - bbox.y0;
  const size = rowAttributes.rowHeight > 0 ? rowAttributes.rowHeight : height;
  return {
    words: kept,
    baseline: (baseline.y0 + baseline.y1) / 2,
    size: Math.min(size, 1.6 * height),
  };
}

const wordsOf = (words: FoundLine["words"]): OcrWord[] =>
  words.map(({ text, confidence, bbox: { x0, x1 } }) => ({
    text: text.trim(),
    left: x0,
    right: x1,
    confidence: confidence / 100,
  }));

const isSideways = ({ baseline: { x0, y0, x1, y1 } }: FoundLine): boolean =>
  Math.abs(y1 - y0) > Math.abs(x1 - x0);

/**
 * The engine's result as lines of words, without what cannot be trusted; `upright` unless most lines run up
 * or down the image.
 */
export function parseOcrResult(
  result: Recognized,
  { width, height }: GrayImage,
  turned: OcrPage["turned"],
): OcrPage & { readonly upright: boolean } {
  const found = (result.data.blocks ?? []).flatMap((block) =>
    block.paragraphs.flatMap((paragraph) => paragraph.lines),
  );
  const read = new Map(
    found.flatMap((line) => {
      const kept = readLine(line);
      return kept === undefined ? [] : [[kept, line] as const];
    }),
  );
  const lines = textLines([...read.keys()]);
  const count = (some: readonly OcrLine[]) => some.reduce((sum, { words }) => sum + words.length, 0);
  const words = count(lines);
  const sideways = lines.filter((line) => {
    const source = read.get(line);
    return source !== undefined && isSideways(source);
  });
  return {
    width,
    height,
    turned,
    lines,
    confidence: meanConfidence(lines.flatMap((line) => line.words)),
    dropped: found.reduce((sum, line) => sum + line.words.length, 0) - words,
    upright: count(sideways) * 2 <= words,
  };
}
