import type { Rectangle } from "./geometry.ts";

export interface PlacedImage extends Rectangle {
  /** Pixels of the image as stored. */
  readonly width: number;
  readonly height: number;
}

/** What a page draws in addition to its text. */
export interface PageFacts {
  /** Straight lines and the edges of rectangles, drawn or filled; one of their sides is thin. */
  readonly rules: readonly Rectangle[];
  readonly images: readonly PlacedImage[];
  /** Filled areas that are not white. */
  readonly fills: readonly Rectangle[];
  /** Starts of invisible text: drawn invisibly, or white where nothing dark is below. */
  readonly hidden: readonly { readonly x: number; readonly y: number }[];
  /** Where text starts that can be seen. */
  readonly visible: readonly { readonly x: number; readonly y: number }[];
  /** Bytes of text drawn so that it can be seen, and so that it cannot. */
  readonly visibleBytes: number;
  readonly hiddenBytes: number;
  /** Bytes of text in layers that are off, which is not read. */
  readonly layerBytes: number;
  /** Curves drawn; letters turned into outlines have very many. */
  readonly curves: number;
}
