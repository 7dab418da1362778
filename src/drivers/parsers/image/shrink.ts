import type { GrayImage, OcrPage } from "../options.ts";

/** Most pixels an image is held with: an A4 page at 400 dots an inch. */
export const maxPixels = 16_000_000;

/** Shorter images may be enlarged, at most so far: small letters are read badly. */
const leastWidth = 1400;
const mostEnlarged = 3;

async function opened(bytes: Uint8Array, page: number) {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  // The size that a file declares is checked before its pixels are decoded.
  return sharp(bytes, { limitInputPixels: false, sequentialRead: true, failOn: "none", page });
}

/**
 * The size an image of this one's shape has with no more pixels than are held, enlarged where that is asked.
 */
function boundedSize(width: number, height: number, enlarges: boolean): ImageSize {
  const most = enlarges ? Math.max(1, Math.min(mostEnlarged, leastWidth / Math.max(1, width))) : 1;
  const scale = Math.min(most, Math.sqrt(maxPixels / Math.max(1, width * height)));
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

/** Pixels of an image. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Number of pages of an image file: one, except for TIFF. Throws errors of the decoder. */
export async function countPages(bytes: Uint8Array): Promise<number> {
  const { format, pages = 1 } = await (await opened(bytes, 0)).metadata();
  return format === "tiff" ? pages : 1;
}

/** The declared size of a page of an image file. Throws errors of the decoder. */
export const sizeOfPage = async (bytes: Uint8Array, page: number): Promise<ImageSize> =>
  (await opened(bytes, page)).metadata();

/**
 * An image file (JPEG, PNG, WebP, TIFF …) as grey pixels over white, scaled down while it is decoded, so that
 * its full size is never in memory. Throws errors of the decoder.
 */
export async function decodeDownscaled(bytes: Uint8Array, page = 0, enlarges = false): Promise<GrayImage> {
  const image = await opened(bytes, page);
  const { autoOrient } = await image.metadata();
  const size = boundedSize(autoOrient.width, autoOrient.height, enlarges);
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: "#ffffff" })
    .resize({ ...size, fit: "fill", kernel: size.width > autoOrient.width ? "cubic" : "linear" })
    .toColourspace("b-w")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** A grey image turned clockwise; its longer side has at most `most` pixels. */
export async function rotatePixels(
  { width, height, data }: GrayImage,
  degrees: OcrPage["turned"],
  most = Math.max(width, height),
): Promise<GrayImage> {
  const { default: sharp } = await import("sharp");
  const { data: turned, info } = await sharp(data, { raw: { width, height, channels: 1 } })
    .rotate(degrees)
    .resize({ width: most, height: most, fit: "inside", kernel: "linear", withoutEnlargement: true })
    .toColourspace("b-w")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: turned };
}
