import type { Block } from "../../../core/documents/document.ts";
import { type GrayImage, isNoisy, type PageOcr } from "../options.ts";
import { createBlockBuilder } from "../page/blocks.ts";
import { readLines } from "../page/lines.ts";
import { placeWords } from "../page/pieces.ts";
import { createStyleStatistics } from "../page/style.ts";
import { loadCanvas } from "./canvas.ts";
import { countPages, decodeDownscaled, type ImageSize, sizeOfPage } from "./shrink.ts";

/** Whether a file is a bitmap of Windows, which only the canvas reads. */
const isBitmap = (bytes: Uint8Array): boolean => bytes[0] === 0x42 && bytes[1] === 0x4d;

/** Number of pages of an image file. Throws errors of the decoder. */
export const imagePages = async (bytes: Uint8Array): Promise<number> =>
  isBitmap(bytes) ? 1 : await countPages(bytes);

/** The declared size of a page of an image file. Throws errors of the decoder. */
export async function imageSize(bytes: Uint8Array, page: number): Promise<ImageSize> {
  if (!isBitmap(bytes)) return await sizeOfPage(bytes, page);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

/**
 * A page of an image file (PNG, JPEG, WebP, GIF, TIFF, BMP, AVIF, SVG) as grey pixels at a size that suits
 * OCR. Throws errors of the decoder.
 */
export async function decodeImage(bytes: Uint8Array, page = 0): Promise<GrayImage> {
  if (!isBitmap(bytes)) return await decodeDownscaled(bytes, page, true);
  const { createCanvas, loadImage } = await loadCanvas();
  const image = await loadImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext("2d").drawImage(image, 0, 0);
  return await decodeDownscaled(canvas.toBuffer("image/png"), 0, true);
}

/**
 * Blocks of one image by OCR, as of a page, none where there is no text; `late` where it took too long,
 * undefined where OCR failed.
 */
export async function readImage(
  image: GrayImage,
  ocr: PageOcr,
  pageNumber: number,
): Promise<{ blocks: readonly Block[]; confidence: number; noise: boolean } | "late" | undefined> {
  const read = await ocr.engine.recognize(image);
  if (read === undefined || read === "late") return read;
  // Places are in points, as if the image were a page at 200 dpi.
  const scale = 200 / 72;
  const style = createStyleStatistics();
  const builder = createBlockBuilder([], style);
  const size = { number: pageNumber, width: read.width / scale, height: read.height / scale };
  const regions = readLines(placeWords(read, scale));
  const page = {
    ...size,
    regions,
    confidence: read.confidence,
    pictures: [],
    notes: [],
    placed: read.turned === 0,
  };
  style.see(page);
  builder.push(page);
  const words = read.lines.reduce((sum, line) => sum + line.words.length, 0);
  return { blocks: builder.finish(), confidence: read.confidence, noise: isNoisy(read, words) };
}
