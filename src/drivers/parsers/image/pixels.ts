import type { GrayImage, OcrPage } from "../options.ts";

/** The image turned clockwise. */
export function turn(image: GrayImage, degrees: OcrPage["turned"]): GrayImage {
  const { width, height, data } = image;
  if (degrees === 0) return image;
  const turned = new Uint8Array(data.length);
  if (degrees === 180) {
    for (let index = 0; index < data.length; index++) turned[data.length - 1 - index] = data[index] ?? 0;
    return { width, height, data: turned };
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = degrees === 90 ? x * height + (height - 1 - y) : (width - 1 - x) * height + y;
      turned[at] = data[y * width + x] ?? 0;
    }
  }
  return { width: height, height: width, data: turned };
}

/**
 * The image made smaller by a whole factor, so that its longer side has at most `most` pixels; each pixel is
 * a mean.
 */
export function shrink(image: GrayImage, most: number): GrayImage {
  const factor = Math.ceil(Math.max(image.width, image.height) / most);
  if (factor <= 1) return image;
  const width = Math.max(1, Math.floor(image.width / factor));
  const height = Math.max(1, Math.floor(image.height / factor));
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let down = 0; down < factor; down++) {
        const row = (y * factor + down) * image.width + x * factor;
        for (let right = 0; right < factor; right++) sum += image.data[row + right] ?? 0;
      }
      data[y * width + x] = sum / (factor * factor);
    }
  }
  return { width, height, data };
}

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
export function grayOf(rgba: Uint8Array | Uint8ClampedArray, width: number, height: number): GrayImage {
  const data = new Uint8Array(width * height);
  for (let index = 0, at = 0; index < data.length; index++, at += 4) {
    const gray = (299 * (rgba[at] ?? 0) + 587 * (rgba[at + 1] ?? 0) + 114 * (rgba[at + 2] ?? 0)) / 1000;
    const alpha = (rgba[at + 3] ?? 255) / 255;
    data[index] = gray * alpha + 255 * (1 - alpha);
  }
  return { width, height, data };
}
