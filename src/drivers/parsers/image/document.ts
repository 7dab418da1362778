import type { Block } from "../../../core/documents/document.ts";
import { type GrayImage, isNoisy, type PageOcr } from "../options.ts";
import { openBuilder } from "../page/blocks.ts";
import { readLines } from "../page/lines.ts";
import { placeWords } from "../page/pieces.ts";
import { openStyle } from "../page/style.ts";
import { loadCanvas } from "./canvas.ts";
import { grayOf } from "./pixels.ts";
import { decodeSmaller, maxPixels } from "./shrink.ts";
import { imageSize } from "./size.ts";

/** Shorter images are enlarged: small letters are read badly. */
const leastWidth = 1400;

/**
 * An image file (PNG, JPEG, WebP, GIF, BMP, AVIF, SVG) as grey pixels at a size that suits OCR. Throws what
 * the decoder throws.
 */
export async function decodeImage(bytes: Uint8Array): Promise<GrayImage> {
  const { width = 0, height = 0 } = imageSize(bytes) ?? {};
  // A bitmap has its pixels uncompressed, which the other decoder does not read.
  const isBitmap = bytes[0] === 0x42 && bytes[1] === 0x4d;
  if (!isBitmap && width * height > maxPixels) return await decodeSmaller(bytes);
  const { createCanvas, loadImage } = await loadCanvas();
  const image = await loadImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const shrinking = Math.sqrt(maxPixels / Math.max(1, image.width * image.height));
  const scale = Math.min(shrinking, Math.max(1, Math.min(3, leastWidth / Math.max(1, image.width))));
  const canvas = createCanvas(
    Math.max(1, Math.round(image.width * scale)),
    Math.max(1, Math.round(image.height * scale)),
  );
  const context = canvas.getContext("2d");
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return grayOf(canvas.data(), canvas.width, canvas.height);
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
  // Places are told in points as if the image were a page at 200 dpi.
  const scale = 200 / 72;
  const style = openStyle();
  const builder = openBuilder([], style);
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
