import type { Format, PageToDraw, Parser } from "../../core/documents/document.ts";
import type { PageTurns } from "./pages.ts";

/** One word as OCR read it; places in pixels of the image, from its top left. */
export interface OcrWord {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** In [0, 1]. */
  readonly confidence: number;
}

/** Words on one baseline. */
export interface OcrLine {
  readonly words: readonly OcrWord[];
  /** Height of the baseline in the middle of the line, pixels from the top. */
  readonly baseline: number;
  /** Height of the type from ascender to descender, pixels. */
  readonly size: number;
}

/** What OCR found on one image. */
export interface OcrPage {
  /** Pixels of the image the places refer to: the one given, turned upright by `turned` degrees clockwise. */
  readonly width: number;
  readonly height: number;
  readonly turned: 0 | 90 | 180 | 270;
  readonly lines: readonly OcrLine[];
  /** Mean confidence of the words kept, by letters, in [0, 1]; 0 where there are none. */
  readonly confidence: number;
  /** Words left out because nothing in them could be trusted. */
  readonly dropped: number;
}

/**
 * Whether OCR dropped so much that it must be reported: more than specks, compared with the number of words
 * kept.
 */
export const isNoisy = ({ dropped }: OcrPage, words: number): boolean => dropped > 3 && dropped * 10 > words;

/** An image of one grey byte a pixel, row by row. */
export interface GrayImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Remembers what OCR found; keys are hexadecimal digests of image, languages and engine. */
export interface OcrCache {
  get(key: string): Promise<OcrPage | undefined>;
  put(key: string, page: OcrPage): Promise<void>;
}

/** Reads text off images. */
export interface OcrEngine extends AsyncDisposable {
  /** `late` where the page took more than its time, undefined where the engine failed on it. */
  recognize(image: GrayImage): Promise<OcrPage | "late" | undefined>;
  /** Threads replaced because a page exceeded its time or made them fail. */
  readonly workersLost: number;
}

/** How a parser reads pages and pictures that are only images. */
export interface PageOcr {
  /** `auto`: pages without usable text; `always`: every page. */
  readonly mode: "auto" | "always";
  readonly engine: OcrEngine;
}

/** What a parser receives in addition to the file. */
export interface ParserOptions {
  /** Undefined: pages without a usable text layer are listed, not read. */
  readonly ocr?: PageOcr;
  /** Limits the resources of a page. Default: no limit. */
  readonly turns?: PageTurns;
  /** Pages read at the same time; more than one only helps where OCR runs in parallel. Default 1. */
  readonly pagesAtOnce?: number;
  /** Pages that are drawn, and the rest left unread. Default: none, and all are read. */
  readonly draw?: readonly PageToDraw[];
  /** Opens a file embedded in a document; undefined: the file is named in a warning. */
  readonly parserOf?: (format: Format) => Promise<Parser>;
}

/** OCR as the settings ask for it; plain data that crosses threads. */
export interface OcrSettings {
  readonly mode: "auto" | "always" | "off";
  /** Codes as tesseract names them, e.g. `eng`, `deu`, `vie`. */
  readonly languages: readonly string[];
  /** Folder with `<code>.traineddata` or `<code>.traineddata.gz`, looked in first; "" for none. */
  readonly folder: string;
  /** Most processor time one page may take, milliseconds. */
  readonly pageTimeoutMs: number;
  /** Pages one document's OCR reads at the same time. */
  readonly workers: number;
  /** Folder that remembers what OCR found; "" for none. */
  readonly cacheFolder: string;
}

export interface OcrOptions extends Pick<OcrSettings, "languages" | "folder" | "pageTimeoutMs" | "workers"> {
  /** Pages after which a thread is replaced, so that leaks of the engine remain small. */
  readonly pagesPerWorker?: number;
  readonly cache?: OcrCache;
}

/** A letter, a digit or a mark that carries meaning alone. */
export const meaningfulCharacter = /[\p{L}\p{N}]/u;
