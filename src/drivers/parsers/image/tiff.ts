import { createRequire } from "node:module";
import type { GrayImage } from "../options.ts";
import { grayOf } from "./pixels.ts";
import { decodeSmaller, maxPixels } from "./shrink.ts";

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

/** A page of a TIFF: how large it declares to be, and its grey pixels on demand. */
interface Page {
  readonly width: number;
  readonly height: number;
  decode(): GrayImage | Promise<GrayImage>;
}

/** Pages of a TIFF; large ones are made smaller while they are decoded. Throws what the decoder throws. */
export function tiffPages(bytes: Uint8Array): readonly Page[] {
  const tiff = createRequire(import.meta.url)("utif2") as Tiff; // CommonJS; the subset declared above
  return tiff.decode(bytes).flatMap((page, index) => {
    const [width = 0, height = 0] = [page.t256?.[0], page.t257?.[0]];
    const decode = () => {
      if (width * height > maxPixels) return decodeSmaller(bytes, index);
      tiff.decodeImage(bytes, page);
      return grayOf(tiff.toRGBA8(page), page.width, page.height);
    };
    return width > 0 && height > 0 ? [{ width, height, decode }] : [];
  });
}
