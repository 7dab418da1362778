import { createRequire } from "node:module";

/**
 * The canvas that pdf.js draws on. Where npm installed another version for pdf.js than for ragctl, both in
 * one process end it.
 */
export async function loadCanvas(): Promise<typeof import("@napi-rs/canvas")> {
  const requireAsPdfJs = createRequire(import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"));
  return requireAsPdfJs("@napi-rs/canvas");
}

/** Gives the pixels of a canvas back at once: the collector of garbage does not know how much they are. */
export function releaseCanvas(canvas: { width: number; height: number }): void {
  canvas.width = 1;
  canvas.height = 1;
}
