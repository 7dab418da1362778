import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import { titleFromName, unreadable } from "../blocks.ts";
import type { GrayImage, ParserOptions } from "../options.ts";
import { freeTurns, type LeftOut, requirePages, tellLeftOut } from "../pages.ts";
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
    throw unreadable(name, "an image", error);
  }
}

async function parse(
  bytes: Uint8Array,
  name: string,
  { ocr, turns = freeTurns }: ParserOptions,
): Promise<ParsedContent> {
  let pages: readonly Page[];
  try {
    pages = await pagesOf(bytes);
  } catch (error) {
    throw unreadable(name, "an image", error);
  }
  if (pages.length === 0) throw unreadable(name, "an image", new Error("it holds no picture"));
  const blocks: Block[] = [];
  const warnings: string[] = [];
  const pagesByOcr: number[] = [];
  const pagesWithoutText: number[] = [];
  const left: LeftOut[] = [];
  const late: number[] = [];
  turns.expect(pages.length);
  for (const [index, page] of pages.slice(0, maxPages).entries()) {
    const number = index + 1;
    if (page.width * page.height > maxPixels) {
      throw new RagctlError(
        "SOURCE_TOO_LARGE",
        `${name} is ${page.width} × ${page.height} pixels; the limit is ${maxPixels / 1e6} million pixels`,
        {
          hint: "save the image smaller; 300 pixels an inch are enough to read a page",
        },
      );
    }
    if (ocr === undefined) {
      pagesWithoutText.push(number);
      continue;
    }
    const read = await turns.run(number, async () => readImage(await decode(page, name), ocr, number));
    if (read === "late") late.push(number);
    if (read === undefined) warnings.push(`OCR failed on page ${number}`);
    if (read === undefined || read === "late") pagesWithoutText.push(number);
    else if ("leftOut" in read) left.push(read);
    else if (read.blocks.length === 0) pagesWithoutText.push(number);
    else {
      pagesByOcr.push(number);
      blocks.push(...read.blocks);
    }
  }
  if (pages.length > maxPages) warnings.push(`only the first ${maxPages} of ${pages.length} pages were read`);
  const { warnings: limited, ...facts } = tellLeftOut(left, late, turns);
  if (blocks.length === 0) requirePages(name, left, late);
  warnings.push(...limited);
  return {
    title: titleFromName(name),
    blocks,
    pageCount: pages.length,
    pagesWithoutText,
    pagesByOcr,
    warnings,
    ...facts,
  };
}

/** Images (PNG, JPEG, WebP, BMP, GIF, TIFF) by OCR, a page each; without OCR their pages are listed as not read. */
export default (options: ParserOptions = {}): Parser => ({
  id: "image-ocr",
  parse: (bytes, file) => parse(bytes, file.name, options),
});
