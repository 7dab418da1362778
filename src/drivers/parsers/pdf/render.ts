import type { Box } from "../../../core/documents/document.ts";
import { loadCanvas, releaseCanvas } from "../image/canvas.ts";
import { toGrayscale } from "../image/pixels.ts";
import type { GrayImage } from "../options.ts";
import type { PageFacts } from "../page/drawing.ts";
import type { PdfPage } from "./open.ts";

/** Most pixels a page is rendered with: a Letter page at 330 dpi. */
const maxPixels = 10_000_000;
/** Longest side a page is rendered with, pixels; the OCR engine accepts no more than 32 767. */
const maxSide = 12_000;

/** The scale (pixels a point) that suits OCR: that of the page's own image, within 200 to 300 dpi. */
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
  const image = toGrayscale(canvas.data(), canvas.width, canvas.height);
  releaseCanvas(canvas);
  return { image, scale };
}

/**
 * Pixels a point of a page that people look at, about 120 dpi; of a large page at most `drawnPixels` in all.
 */
const drawnScale = 1.7;
const drawnPixels = 3_000_000;
/** Quality of its WebP, of 100. */
const drawnQuality = 75;

/** A page as displayed, in WebP, with boxes drawn on it. */
export async function drawPage(page: PdfPage, boxes: readonly Box[]): Promise<Uint8Array> {
  const plain = page.getViewport({ scale: 1 });
  const scale = Math.min(drawnScale, Math.sqrt(drawnPixels / (plain.width * plain.height)));
  const viewport = page.getViewport({ scale });
  const { createCanvas } = await loadCanvas();
  const canvas = createCanvas(
    Math.max(1, Math.min(maxSide, Math.ceil(viewport.width))),
    Math.max(1, Math.min(maxSide, Math.ceil(viewport.height))),
  );
  const context = canvas.getContext("2d");
  await page.render({ canvas, canvasContext: context, viewport, background: "#ffffff" }).promise;
  page.cleanup();
  const [a, b, c, d, e, f] = viewport.transform;
  const [x = 0, , , yMost = 0] = page.view;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.strokeStyle = "#c2410c";
  context.fillStyle = "rgba(250, 204, 21, 0.18)";
  context.lineWidth = 3;
  for (const { left, top, right, bottom } of boxes) {
    // Boxes are in points from the top left corner of the unrotated page.
    const corners = [
      [x + left, yMost - top],
      [x + right, yMost - bottom],
    ].map(([px = 0, py = 0]) => [a * px + c * py + e, b * px + d * py + f] as const);
    const [[x0, y0] = [0, 0], [x1, y1] = [0, 0]] = corners;
    const box = [
      Math.min(x0, x1) - 4,
      Math.min(y0, y1) - 4,
      Math.abs(x1 - x0) + 8,
      Math.abs(y1 - y0) + 8,
    ] as const;
    context.fillRect(...box);
    context.strokeRect(...box);
  }
  const bytes = await canvas.encode("webp", drawnQuality);
  releaseCanvas(canvas);
  return new Uint8Array(bytes);
}
