import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import { damaged, titleFromName } from "../blocks.ts";
import type { GrayImage, ParserOptions } from "../options.ts";
import { freeTurns, type LeftOut, noiseOn, requirePages, tellLeftOut } from "../pages.ts";
import { decodeImage, readImage } from "./document.ts";
import { imageSize } from "./size.ts";

/** Most pixels an image may declare: its decoder needs four bytes for each. */
const maxPixels = 150_000_000;
/** Most pages of one TIFF that are read. */
const maxPages = 2_000;

interface Page {
  readonly width: number;
  readonly height: number;
  decode(): GrayImage | Promise<GrayImage>;
}

async function pagesOf(bytes: Uint8Array): Promise<readonly Page[]> {
  const isTiff = (bytes[0] === 0x49 && bytes[1] === 0x49) || (bytes[0] === 0x4d && bytes[1] === 0x4d);
  if (isTiff) return (await import("./tiff.ts")).tiffPages(bytes);
  const size = imageSize(bytes) ?? { width: 1, height: 1 };
  return [{ ...size, decode: () => decodeImage(bytes) }];
}

async function decode(page: Page, name: string): Promise<GrayImage> {
  try {
    return await page.decode();
  } catch (error) {
    throw damaged(name, "an image", error);
  }
}

async function openPages(bytes: Uint8Array, name: string): Promise<readonly Page[]> {
  try {
    const pages = await pagesOf(bytes);
    if (pages.length === 0) throw new Error("it holds no picture");
    return pages;
  } catch (error) {
    throw damaged(name, "an image", error);
  }
}

function checkSize({ width, height }: Page, name: string): void {
  if (width * height <= maxPixels) return;
  throw new RagctlError(
    "SOURCE_TOO_LARGE",
    `${name} is ${width} × ${height} pixels; the limit is ${maxPixels / 1e6} million pixels`,
    { hint: "save the image smaller; 300 pixels an inch are enough to read a page" },
  );
}

/** What was read of the pages so far. */
interface Reading {
  readonly blocks: Block[];
  readonly warnings: string[];
  readonly pagesByOcr: number[];
  readonly pagesWithoutText: number[];
  readonly left: LeftOut[];
  readonly late: number[];
}

type Result = Awaited<ReturnType<typeof readImage>> | LeftOut;

function take(reading: Reading, result: Result, number: number): void {
  if (result === "late") reading.late.push(number);
  if (result === undefined) reading.warnings.push(`OCR failed on page ${number}`);
  if (result === undefined || result === "late") {
    reading.pagesWithoutText.push(number);
    return;
  }
  if ("leftOut" in result) {
    reading.left.push(result);
    return;
  }
  if (result.noise) reading.warnings.push(noiseOn([number]));
  if (result.blocks.length === 0) reading.pagesWithoutText.push(number);
  else {
    reading.pagesByOcr.push(number);
    reading.blocks.push(...result.blocks);
  }
}

async function parse(
  bytes: Uint8Array,
  name: string,
  { ocr, turns = freeTurns }: ParserOptions,
): Promise<ParsedContent> {
  const pages = await openPages(bytes, name);
  const reading: Reading = {
    blocks: [],
    warnings: [],
    pagesByOcr: [],
    pagesWithoutText: [],
    left: [],
    late: [],
  };
  turns.expect(pages.length);
  for (const [index, page] of pages.slice(0, maxPages).entries()) {
    const number = index + 1;
    checkSize(page, name);
    if (ocr === undefined) reading.pagesWithoutText.push(number);
    else
      take(
        reading,
        await turns.run(number, async () => readImage(await decode(page, name), ocr, number)),
        number,
      );
  }
  const { blocks, warnings, pagesByOcr, pagesWithoutText, left, late } = reading;
  if (pages.length > maxPages) warnings.push(`only the first ${maxPages} of ${pages.length} pages were read`);
  const { warnings: limits, ...facts } = tellLeftOut(left, late, turns);
  if (blocks.length === 0) requirePages(name, left, late);
  return {
    title: titleFromName(name),
    blocks,
    pageCount: pages.length,
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
