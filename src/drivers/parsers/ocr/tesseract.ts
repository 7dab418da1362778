import { basename } from "node:path";
import { type GrayImage, meaningful, type OcrLine, type OcrPage, type OcrWord } from "../options.ts";
import { withLanguageFolder } from "./languages.ts";

interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** The part of tesseract.js's result that is used. */
interface Recognized {
  readonly data: {
    readonly blocks:
      | readonly {
          readonly paragraphs: readonly {
            readonly lines: readonly {
              readonly baseline: Box;
              readonly bbox: Box;
              readonly rowAttributes: { readonly rowHeight: number };
              readonly words: readonly {
                readonly text: string;
                readonly confidence: number;
                readonly bbox: Box;
              }[];
            }[];
          }[];
        }[]
      | null;
  };
}

/** The part of a tesseract.js worker that is used. */
export interface TesseractWorker {
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
    // Without a handler of errors the library throws them where nobody can catch them.
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
  return worker as unknown as TesseractWorker; // the subset declared above
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
  return meaningful.test(text)
    ? confidence >= 0.45 || text.length > 2
    : /^[•·*\-–—$€£%&+=|/→()[\]:]$/.test(text) && confidence > 0.6;
}

/**
 * The engine's result as lines of words, without what cannot be trusted; `upright` unless most lines run up
 * or down the image.
 */
export function readRecognized(
  result: Recognized,
  image: GrayImage,
  turned: OcrPage["turned"],
): OcrPage & { readonly upright: boolean } {
  const lines: OcrLine[] = [];
  let dropped = 0;
  let letters = 0;
  let sum = 0;
  let sideways = 0;
  const found = (result.data.blocks ?? []).flatMap((block) =>
    block.paragraphs.flatMap((paragraph) => paragraph.lines),
  );
  for (const { words, baseline, bbox, rowAttributes } of found) {
    const read = words.map(({ text, confidence, bbox: { x0, x1 } }) => ({
      text: text.trim(),
      left: x0,
      right: x1,
      confidence: confidence / 100,
    }));
    const kept = read.filter(keep);
    dropped += read.length - kept.length;
    // A line most of whose words are noise is a picture, not a line.
    if (!kept.some(({ text }) => meaningful.test(text)) || kept.length * 3 < read.length) {
      dropped += kept.length;
      continue;
    }
    if (Math.abs(baseline.y1 - baseline.y0) > Math.abs(baseline.x1 - baseline.x0)) sideways += kept.length;
    for (const { text, confidence } of kept) {
      letters += text.length;
      sum += confidence * text.length;
    }
    const size = rowAttributes.rowHeight > 0 ? rowAttributes.rowHeight : bbox.y1 - bbox.y0;
    lines.push({
      words: kept,
      baseline: (baseline.y0 + baseline.y1) / 2,
      size: Math.min(size, 1.6 * (bbox.y1 - bbox.y0)),
    });
  }
  const { width, height } = image;
  const upright = sideways * 2 <= lines.reduce((all, { words }) => all + words.length, 0);
  return { width, height, turned, lines, confidence: letters === 0 ? 0 : sum / letters, dropped, upright };
}
