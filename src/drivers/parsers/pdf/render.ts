import { free, loadCanvas } from "../image/canvas.ts";
import { grayOf } from "../image/pixels.ts";
import type { GrayImage } from "../options.ts";
import type { PageFacts } from "../page/drawing.ts";
import type { PdfPage } from "./open.ts";

/** Most pixels a page is rendered with: a Letter page at 330 dpi. */
const maxPixels = 10_000_000;
/** Longest side a page is rendered with, pixels; the OCR engine accepts no more than 32 767. */
const maxSide = 12_000;

/**
 * The scale (pixels a point) that suits OCR: 200 to 300 dpi, that of the page's own image where it lies
 * between.
 */
function ocrScale(width: number, height: number, facts: PageFacts | undefined): number {
  let dpi = 200;
  for (const image of facts?.images ?? []) {
    const wide = image.x1 - image.x0;
    const high = image.y1 - image.y0;
    if (wide * high < width * height * 0.3 || wide <= 0) continue;
    // Of an image turned on the page, width and height change places.
    const imageDpi = (72 * Math.max(image.width, image.height)) / Math.max(wide, high);
    dpi = Math.max(dpi, Math.min(300, imageDpi));
  }
  return Math.min(dpi / 72, Math.sqrt(maxPixels / (width * height)), maxSide / Math.max(width, height));
}

/**
 * A page as one grey byte a pixel; undefined where it is too small to hold a letter. `rotation` in degrees
 * clockwise.
 */
export async function renderPage(
  page: PdfPage,
  facts: PageFacts | undefined,
  rotation: number,
): Promise<{ image: GrayImage; scale: number } | undefined> {
  const shown = page.getViewport({ scale: 1, rotation });
  if (Math.min(shown.width, shown.height) < 8) return undefined;
  const scale = ocrScale(shown.width, shown.height, facts);
  const viewport = page.getViewport({ scale, rotation });
  const { createCanvas } = await loadCanvas();
  const canvas = createCanvas(
    Math.max(1, Math.ceil(viewport.width)),
    Math.max(1, Math.ceil(viewport.height)),
  );
  await page.render({ canvas, canvasContext: canvas.getContext("2d"), viewport, background: "#ffffff" })
    .promise;
  // The pictures it holds would stay while OCR reads this page and the next one is drawn.
  page.cleanup();
  const image = grayOf(canvas.data(), canvas.width, canvas.height);
  free(canvas);
  return { image, scale };
}
