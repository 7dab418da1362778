import type { GrayImage } from "../options.ts";

/** Whether all pixels have nearly the same grey: a blank page, on which an engine finds only noise. */
export function isBlank({ data }: GrayImage): boolean {
  const step = Math.max(1, Math.floor(data.length / 400_000));
  let least = 255;
  let most = 0;
  for (let index = 0; index < data.length; index += step) {
    const value = data[index] ?? 0;
    if (value < least) least = value;
    if (value > most) most = value;
    if (most - least > 40) return false;
  }
  return true;
}

/** Grey of RGBA pixels over white. Source of the weights: ITU-R BT.601. */
export function toGrayscale(rgba: Uint8Array | Uint8ClampedArray, width: number, height: number): GrayImage {
  const data = new Uint8Array(width * height);
  for (let index = 0, at = 0; index < data.length; index++, at += 4) {
    const gray = (299 * (rgba[at] ?? 0) + 587 * (rgba[at + 1] ?? 0) + 114 * (rgba[at + 2] ?? 0)) / 1000;
    const alpha = (rgba[at + 3] ?? 255) / 255;
    data[index] = gray * alpha + 255 * (1 - alpha);
  }
  return { width, height, data };
}
