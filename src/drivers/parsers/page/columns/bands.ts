import { bullet } from "../line-text.ts";
import type { PageSegment } from "../pieces.ts";

/** Segments between two that cross the gutter, by side; from top to bottom. */
export interface Band {
  readonly left: PageSegment[];
  readonly right: PageSegment[];
}

/** Largest distance between lines of one paragraph, in sizes of their type. */
export const widestLeading = 1.8;

/** Whether a code is that of a digit. */
export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Whether a code is that of a letter. */
export function isLetter(code: number): boolean {
  return code > 191 || ((code | 32) >= 97 && (code | 32) <= 122);
}

/** How many codes of a text are of a kind. */
export function countCodes(text: string, isCounted: (code: number) => boolean): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) if (isCounted(text.charCodeAt(index))) count++;
  return count;
}

/** The middle one of some numbers; undefined where there are none. */
export const median = (values: readonly number[]): number | undefined =>
  values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)];

/** How many characters lines hold. */
export const charCount = (lines: readonly PageSegment[]): number =>
  lines.reduce((sum, { text }) => sum + text.length, 0);

/** Whether a segment is on the same line as one of the others. */
export const isOnLine = ({ y, size }: PageSegment, lines: readonly PageSegment[]): boolean =>
  lines.some((line) => Math.abs(line.y - y) < 0.2 * size);

/** Distance of each line from the one above, in sizes. */
export const lineGaps = (side: readonly PageSegment[]): number[] =>
  side.map(({ y, size }, at) => (y - (side[at - 1]?.y ?? Number.NEGATIVE_INFINITY)) / size);

/** Whether most lines begin like items of a list. */
export const isList = (lines: readonly PageSegment[]): boolean =>
  lines.filter(({ text }) => bullet.test(text)).length * 2 > lines.length;

/**
 * White space above a heading that divides all columns, and how far below their text may begin, in its sizes.
 */
const leastAbove = 1.4;
const mostBelow = 2.6;
/** Segments that are looked at to find the text of all columns below a heading. */
const mostHeaded = 24;

/** Whether a line is larger than another, or as large in another face. */
const standsOut = ({ size, font }: PageSegment, other: PageSegment): boolean =>
  size >= other.size * 1.08 || (font !== other.font && size >= other.size * 0.98);

/** Where the text below a heading that may be of several lines begins; undefined where it holds more. */
function belowHeading(segments: readonly PageSegment[], at: number): number | undefined {
  let last = segments[at];
  for (let index = at + 1; index < segments.length; index++) {
    const below = segments[index];
    if (last === undefined || below === undefined || last.table !== undefined) return undefined;
    const step = below.y - last.y;
    if (step > mostBelow * last.size || step < 0.9 * below.size) return undefined;
    if (standsOut(last, below)) return index;
    if (last.size * 1.08 < below.size) return undefined;
    last = below;
  }
  return undefined;
}

/**
 * How many lines from one on are a heading of all columns: alone on their height, set larger than the text
 * that follows closely on both sides of a gutter, or in another face than text that begins level on both.
 * Such a heading need not be wider than its column.
 */
function countHeading(segments: readonly PageSegment[], at: number, gutter: number): number {
  const start = belowHeading(segments, at) ?? at;
  const last = segments[start - 1];
  if (start === at || last === undefined) return 0;
  const near = segments
    .slice(start, start + mostHeaded)
    .filter(({ y }) => y - last.y <= mostBelow * last.size);
  const left = near.find(({ x1 }) => x1 <= gutter + 1);
  const right = near.find(({ x0 }) => x0 >= gutter - 1);
  if (left === undefined || right === undefined || !standsOut(last, left) || !standsOut(last, right))
    return 0;
  const isLarger = last.size >= 1.08 * Math.max(left.size, right.size);
  return isLarger || (left.font === right.font && isOnLine(left, [right])) ? start - at : 0;
}

/**
 * Cuts segments where one crosses the gutter, and above a heading of the columns on both sides of it. Each
 * run of crossing segments is kept separately between the bands.
 */
export function cutBands(segments: readonly PageSegment[], gutter: number): (Band | PageSegment)[] {
  const parts: (Band | PageSegment)[] = [];
  let band: Band | undefined;
  let bottom = Number.NEGATIVE_INFINITY;
  let heading = 0;
  for (const [at, segment] of segments.entries()) {
    const isLeft = segment.x1 <= gutter + 1;
    if (segment.y - bottom > leastAbove * segment.size) heading = countHeading(segments, at, gutter);
    if (heading > 0 && isLeft) [heading, band] = [0, undefined];
    bottom = Math.max(bottom, segment.bottom ?? segment.y);
    if (heading-- > 0 || (!isLeft && segment.x0 < gutter - 1)) {
      parts.push(segment);
      band = undefined;
      continue;
    }
    if (band === undefined) {
      band = { left: [], right: [] };
      parts.push(band);
    }
    (isLeft ? band.left : band.right).push(segment);
  }
  return parts;
}

/**
 * Parts of a band that white space divides on both sides; `leading` is the widest within a part, in sizes.
 */
export function cutAtGaps({ left, right }: Band, leading = widestLeading): readonly Band[] {
  const parts: Band[] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  const all = [...left, ...right].sort((one, two) => one.y - two.y);
  const isLeft = new Set(left);
  for (const segment of all) {
    if (parts.length === 0 || segment.y - bottom > leading * segment.size)
      parts.push({ left: [], right: [] });
    parts.at(-1)?.[isLeft.has(segment) ? "left" : "right"].push(segment);
    bottom = Math.max(bottom, segment.bottom ?? segment.y);
  }
  return parts;
}

/** The segments of a band row by row. */
export function segmentsByRow({ left, right }: Band): readonly PageSegment[] {
  return [...left, ...right].sort((one, two) => one.y - two.y || one.x0 - two.x0);
}
