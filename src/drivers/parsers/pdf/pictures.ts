import { maxPixels } from "../image/shrink.ts";

/** A decoded picture as the half of pdf.js that reads files hands it to the half that draws. */
interface Picture {
  readonly width: number;
  readonly height: number;
  /**
   * 1: a bit a pixel; 2: red, green and blue; 3: with opacity. Absent from masks, which have a bit a pixel.
   */
  readonly kind?: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

const hasBitmap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "bitmap" in value && value.bitmap !== undefined;

const isPicture = (value: unknown): value is Picture =>
  typeof value === "object" &&
  value !== null &&
  "data" in value &&
  ArrayBuffer.isView(value.data) &&
  "width" in value &&
  "height" in value;

/** Bytes a pixel of a kind; 0: it is a bit. */
const depthOf = ({ kind }: Picture): number => (kind === 2 ? 3 : kind === 3 ? 4 : 0);

/** Adds up each channel of the squares of pixels along one row of the smaller picture. */
function sumRows(picture: Picture, factor: number, row: number, sums: Uint32Array): void {
  const { data, width } = picture;
  const depth = depthOf(picture);
  const channels = Math.max(1, depth);
  const bytesInRow = depth === 0 ? (width + 7) >> 3 : width * depth;
  const used = Math.floor(width / factor) * factor * channels;
  sums.fill(0);
  for (let y = row * factor; y < (row + 1) * factor; y++) {
    const start = y * bytesInRow;
    for (let x = 0; x < used; x++) {
      const at = Math.floor(x / (factor * channels)) * channels + (x % channels);
      const value =
        depth === 0 ? ((data[start + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1 : (data[start + x] ?? 0);
      sums[at] = (sums[at] ?? 0) + value;
    }
  }
}

/** Writes a row of the smaller picture: masks keep their bits, pictures of one bit a pixel become grey. */
function writeRow(picture: Picture, sums: Uint32Array, square: number, row: number, data: Uint8Array): void {
  const depth = depthOf(picture);
  if (depth > 0) {
    for (let at = 0; at < sums.length; at++) data[row * sums.length + at] = (sums[at] ?? 0) / square;
    return;
  }
  if (picture.kind === 1) {
    for (let x = 0; x < sums.length; x++)
      data.fill(
        (255 * (sums[x] ?? 0)) / square,
        3 * (row * sums.length + x),
        3 * (row * sums.length + x + 1),
      );
    return;
  }
  const start = row * ((sums.length + 7) >> 3);
  for (let x = 0; x < sums.length; x++)
    if ((sums[x] ?? 0) * 2 > square)
      data[start + (x >> 3)] = (data[start + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
}

/**
 * The picture made smaller by a whole factor, so that it has no more pixels than are drawn; each is a mean.
 */
function shrunk(picture: Picture, factor: number): Picture {
  const width = Math.max(1, Math.floor(picture.width / factor));
  const height = Math.max(1, Math.floor(picture.height / factor));
  const depth = depthOf(picture);
  const bytesInRow = depth > 0 ? width * depth : picture.kind === 1 ? width * 3 : (width + 7) >> 3;
  const data = new Uint8Array(bytesInRow * height);
  const sums = new Uint32Array(width * Math.max(1, depth));
  for (let row = 0; row < height; row++) {
    sumRows(picture, factor, row, sums);
    writeRow(picture, sums, factor * factor, row, data);
  }
  return { ...picture, width, height, data, ...(picture.kind === 1 ? { kind: 2 } : {}) };
}

/**
 * A message of pdf.js with a picture, passed on without a copy. A picture with more pixels than are held is
 * scaled down; it is drawn in the same place. Undefined for any other message.
 */
export function pictureMessage(message: unknown): unknown {
  const { action, data } = message as { readonly action?: string; readonly data?: unknown };
  if ((action !== "obj" && action !== "commonobj") || !Array.isArray(data)) return undefined;
  const picture: unknown = data.at(-1);
  // A picture decoded outside pdf.js cannot be copied.
  if (hasBitmap(picture)) return message;
  if (!isPicture(picture) || picture.width * picture.height <= maxPixels) return undefined;
  const factor = Math.ceil(Math.sqrt((picture.width * picture.height) / maxPixels));
  if (factor > Math.min(picture.width, picture.height)) return undefined;
  return { ...(message as object), data: [...data.slice(0, -1), shrunk(picture, factor)] };
}
