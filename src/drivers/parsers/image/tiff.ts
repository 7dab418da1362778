import { createRequire } from "node:module";
import type { GrayImage } from "../options.ts";
import { grayOf, shrink } from "./pixels.ts";

/** The part of the library that is used. */
interface Tiff {
  decode(bytes: Uint8Array): TiffPage[];
  decodeImage(bytes: Uint8Array, page: TiffPage): void;
  toRGBA8(page: TiffPage): Uint8Array;
}

interface TiffPage {
  width: number;
  height: number;
  /** Width and height as declared. */
  readonly t256?: readonly number[];
  readonly t257?: readonly number[];
}

/** Longest side a page is read with, pixels. */
const maxSide = 5000;

/**
 * Pages of a TIFF: how large each declares to be, and its grey pixels on demand. Throws what the decoder
 * throws.
 */
export function tiffPages(
  bytes: Uint8Array,
): readonly { readonly width: number; readonly height: number; decode(): GrayImage }[] {
  const tiff = createRequire(import.meta.url)("utif2") as Tiff; // CommonJS; the subset declared above
  const pages = tiff.decode(bytes).filter((page) => (page.t256?.[0] ?? 0) > 0 && (page.t257?.[0] ?? 0) > 0);
  return pages.map((page) => ({
    width: page.t256?.[0] ?? 0,
    height: page.t257?.[0] ?? 0,
    decode: () => {
      tiff.decodeImage(bytes, page);
      return shrink(grayOf(tiff.toRGBA8(page), page.width, page.height), maxSide);
    },
  }));
}
