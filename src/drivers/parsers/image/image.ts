import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import { damagedFile, titleFromName } from "../blocks.ts";
import type { ParserOptions } from "../options.ts";
import {
  freeTurns,
  ocrNoiseWarning,
  pagesInOrder,
  reportSkippedPages,
  requirePages,
  type SkippedPages,
} from "../pages.ts";
import { decodeImage, imagePages, imageSize, readImage } from "./document.ts";
import type { ImageSize } from "./shrink.ts";

/** Most pixels an image may declare: its decoder needs four bytes for each. */
const maxPixels = 150_000_000;
/** Most pages of one TIFF that are read. */
const maxPages = 2_000;

/** The result of `work`. @throws SOURCE_DAMAGED for errors of the decoder */
async function decoded<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw damagedFile(name, "an image", error);
  }
}

function checkSize({ width, height }: ImageSize, name: string): void {
  if (width * height <= maxPixels) return;
  throw new RagctlError(
    "SOURCE_TOO_LARGE",
    `${name} is ${width} × ${height} pixels; the limit is ${maxPixels / 1e6} million pixels`,
    { hint: "reduce its size; 300 pixels per inch are enough to read a page" },
  );
}

/** The state of reading the pages. */
interface Reading {
  readonly blocks: Block[];
  readonly warnings: string[];
  readonly pagesByOcr: number[];
  readonly pagesWithoutText: number[];
  readonly left: SkippedPages[];
  readonly late: number[];
}

type Result = Awaited<ReturnType<typeof readImage>> | SkippedPages;

function take(reading: Reading, result: Result | "unread", number: number): void {
  if (result === "late") reading.late.push(number);
  if (result === undefined) reading.warnings.push(`OCR failed on page ${number}`);
  if (result === undefined || result === "late" || result === "unread") {
    reading.pagesWithoutText.push(number);
    return;
  }
  if ("leftOut" in result) {
    reading.left.push(result);
    return;
  }
  if (result.noise) reading.warnings.push(ocrNoiseWarning([number]));
  if (result.blocks.length === 0) reading.pagesWithoutText.push(number);
  else {
    reading.pagesByOcr.push(number);
    reading.blocks.push(...result.blocks);
  }
}

async function parse(
  bytes: Uint8Array,
  name: string,
  { ocr, turns = freeTurns, pagesAtOnce = 1 }: ParserOptions,
): Promise<ParsedContent> {
  const pages = await decoded(name, () => imagePages(bytes));
  const reading: Reading = {
    blocks: [],
    warnings: [],
    pagesByOcr: [],
    pagesWithoutText: [],
    left: [],
    late: [],
  };
  turns.expect(pages);
  const read = async (number: number): Promise<Result | "unread"> => {
    const page = number - 1;
    checkSize(await decoded(name, () => imageSize(bytes, page)), name);
    if (ocr === undefined) return "unread";
    return turns.run(number, async () =>
      readImage(await decoded(name, () => decodeImage(bytes, page)), ocr, number),
    );
  };
  let number = 0;
  for await (const result of pagesInOrder(1, Math.min(pages, maxPages), pagesAtOnce, read))
    take(reading, result, ++number);
  const { blocks, warnings, pagesByOcr, pagesWithoutText, left, late } = reading;
  if (pages > maxPages) warnings.push(`only the first ${maxPages} of ${pages} pages were read`);
  const { warnings: limits, ...facts } = reportSkippedPages(left, late, turns);
  if (blocks.length === 0) requirePages(name, left, late);
  return {
    title: titleFromName(name),
    blocks,
    pageCount: pages,
    pagesWithoutText,
    pagesByOcr,
    warnings: [...warnings, ...limits],
    ...facts,
  };
}

/**
 * Images (PNG, JPEG, WebP, BMP, GIF, TIFF) by OCR, a page each; without OCR their pages are listed as not
 * read.
 */
export default (options: ParserOptions = {}): Parser => ({
  id: "image-ocr",
  parse: (bytes, file) => parse(bytes, file.name, options),
});
