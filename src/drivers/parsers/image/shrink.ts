import type { GrayImage } from "../options.ts";

/** Most pixels an image is held with: an A4 page at 400 dots an inch. */
export const maxPixels = 16_000_000;

/** The size an image of this one's shape has with no more pixels than are held. */
function boundedSize(width: number, height: number): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, Math.sqrt(maxPixels / Math.max(1, width * height)));
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

/**
 * An image file (JPEG, PNG, WebP, TIFF) as grey pixels over white, made smaller while it is decoded, so that
 * its own pixels are never held all at once. Throws what the decoder throws.
 */
export async function decodeSmaller(bytes: Uint8Array, page = 0): Promise<GrayImage> {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  // Who calls this has checked the size that the file declares.
  const image = sharp(bytes, { limitInputPixels: false, sequentialRead: true, failOn: "none", page });
  const { autoOrient } = await image.metadata();
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: "#ffffff" })
    .resize({ ...boundedSize(autoOrient.width, autoOrient.height), fit: "fill", kernel: "linear" })
    .toColourspace("b-w")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}
