import { readFunction } from "./functions.ts";
import type { PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";

/** A colour space, as far as it tells white from what can be seen on paper. */
export interface ColorSpace {
  /** Numbers that make a colour. */
  readonly components: number;
  isWhite(color: ArrayLike<number>): boolean;
  /** What numbers of a table from 0 to 1 are as components, where these have another range. */
  readonly range?: (shares: readonly number[]) => readonly number[];
}

/** Least light, and most ink, of what counts as white. */
const light = 0.96;
const ink = 0.04;

function lit(components: number): ColorSpace {
  return {
    components,
    isWhite(color) {
      for (let index = 0; index < components; index++) if (!((color[index] ?? 0) >= light)) return false;
      return true;
    },
  };
}

/** Light alone. */
export const gray = lit(1);
/** Red, green and blue light. */
export const rgb = lit(3);
/** Four inks. */
export const cmyk: ColorSpace = {
  components: 4,
  isWhite: ({ 0: c = 1, 1: m = 1, 2: y = 1, 3: k = 1 }) => c <= ink && m <= ink && y <= ink && k <= ink,
};
const lab: ColorSpace = {
  components: 3,
  isWhite: ({ 0: l = 0, 1: a = 0, 2: b = 0 }) => l >= 100 * light && Math.abs(a) < 5 && Math.abs(b) < 5,
  range: ([l = 0, a = 0, b = 0]) => [l * 100, a * 200 - 100, b * 200 - 100],
};

const named: Readonly<Record<string, ColorSpace>> = {
  "/DeviceGray": gray,
  "/CalGray": gray,
  "/DeviceRGB": rgb,
  "/CalRGB": rgb,
  "/DeviceCMYK": cmyk,
  "/Lab": lab,
};
const byComponents: Readonly<Record<number, ColorSpace>> = { 1: gray, 3: rgb, 4: cmyk };

/** Inks of a printer, shown as the alternate space has them. */
function readInks(objects: PdfObjects, list: readonly PdfValue[], depth: number): ColorSpace | undefined {
  const [, inks, alternate, tint] = list;
  const base = readColorSpace(objects, alternate, depth);
  const mix = readFunction(objects, tint);
  const names = objects.resolve(inks);
  if (base === undefined || mix === undefined) return undefined;
  const components = Array.isArray(names) ? names.length : 1;
  return {
    components,
    isWhite(color) {
      const mixed = mix(Array.from({ length: components }, (_, index) => color[index] ?? 0));
      return mixed.length >= base.components && base.isWhite(mixed);
    },
  };
}

/** A table of colours. */
function readIndexed(objects: PdfObjects, list: readonly PdfValue[], depth: number): ColorSpace | undefined {
  const [, of, , colors] = list;
  const base = readColorSpace(objects, of, depth);
  const table = objects.string(colors) ?? objects.stream(colors);
  if (base === undefined || table === undefined) return undefined;
  const { components } = base;
  return {
    components: 1,
    isWhite({ 0: index = 0 }) {
      const start = Math.max(0, Math.round(index)) * components;
      const shares = Array.from(table.subarray(start, start + components), (byte) => byte / 255);
      return shares.length === components && base.isWhite(base.range?.(shares) ?? shares);
    },
  };
}

/** Reads a colour space; undefined for patterns and for one not known here, whose colours are all visible. */
export function readColorSpace(
  objects: PdfObjects,
  value: PdfValue | undefined,
  depth = 0,
): ColorSpace | undefined {
  const space = objects.resolve(value);
  if (typeof space === "string") return named[space];
  if (!Array.isArray(space) || depth > 3) return undefined;
  // isArray loses what a readonly list holds.
  const list = space as readonly PdfValue[];
  const family = objects.resolve(list[0]);
  switch (family) {
    case "/ICCBased":
      return byComponents[Number(objects.resolve(objects.dictionary(list[1])?.get("/N")))];
    case "/Separation":
    case "/DeviceN":
      return readInks(objects, list, depth + 1);
    case "/Indexed":
      return readIndexed(objects, list, depth + 1);
    default:
      return typeof family === "string" ? named[family] : undefined;
  }
}
