import type { PageSegment } from "../pieces.ts";
import {
  type Band,
  charCount,
  countCodes,
  cutAtGaps,
  cutBands,
  isDigit,
  isLetter,
  isList,
  isOnLine,
  lineGaps,
  median,
  segmentsByRow,
  widestLeading,
} from "./bands.ts";
import { readBlocks } from "./beside.ts";
import { labelsOf, withLabels } from "./labels.ts";

/** Characters in a line of prose; a Chinese or Japanese character is as wide as two. */
const lineOfProse = 18;
/** Lines of prose that each side of a gutter must hold. */
const leastLines = 4;
const isIdeograph = (code: number): boolean => code >= 0x2e80 && code < 0xd800;

function isLineOfProse({ text }: PageSegment): boolean {
  const width = text.length < lineOfProse ? text.length + countCodes(text, isIdeograph) : text.length;
  return width >= lineOfProse && countCodes(text, isLetter) > 4 * countCodes(text, isDigit);
}

/** Facts about a side of a band. */
interface Side {
  /** Lines of prose that fill most of the column, close below or above another. */
  readonly lines: readonly PageSegment[];
  /** Whether such lines hold most of its text. */
  readonly isProse: boolean;
  /** Whether sentences run on from line to line in it: many lines begin in the middle of one. */
  readonly isRunning: boolean;
}

const isNear = ({ y, size }: PageSegment, other: PageSegment | undefined): boolean =>
  other !== undefined && Math.abs(other.y - y) < widestLeading * size;

/** Whether a line in a script without lower case continues the one above: that line is full. */
function goesOn(line: PageSegment, above: PageSegment | undefined, widest: number): boolean {
  if (above === undefined || !isNear(line, above) || !/^\p{Lo}/u.test(line.text)) return false;
  return above.x1 - above.x0 > widest * 0.8;
}

/**
 * Lines of text that fill their column distinguish it from a column of a table, whose cells are as wide as
 * their words and begin with a capital.
 */
function readSide(segments: readonly PageSegment[]): Side {
  const prose = segments.filter(isLineOfProse);
  const usual = median(prose.map(({ size }) => size)) ?? 0;
  const body = prose.filter(({ size }) => size <= usual * 1.2);
  const widest = Math.max(0, ...body.map(({ x0, x1 }) => x1 - x0));
  const close = new Set(
    segments.filter((line, at) => isNear(line, segments[at - 1]) || isNear(line, segments[at + 1])),
  );
  const lines = prose.filter((line) => line.x1 - line.x0 > widest * 0.6 && close.has(line));
  const isProse = lines.length >= 3 && charCount(lines) * 2 > charCount(segments);
  const inside = lines.filter(
    (line, at) => /^\p{Ll}/u.test(line.text) || goesOn(line, lines[at - 1], widest),
  ).length;
  return { lines, isProse, isRunning: isProse && inside >= 3 && inside * 3 > lines.length };
}

/** Rows that are enough to distinguish a table from columns of text. */
const leastRows = 3;

/** Largest distance between lines of one paragraph in a band, in sizes: a fifth more than usual. */
function leadingOf({ left, right }: Band): number {
  const steps = [...lineGaps(left), ...lineGaps(right)].filter((step) => step > 0.5 && step < widestLeading);
  return Math.min(widestLeading, 1.2 * (median(steps) ?? widestLeading));
}

const isLarger = (one: Band, two: Band): boolean => {
  const below = [...two.left, ...two.right];
  return [...one.left, ...one.right].every(({ size }) => below.every((line) => line.size * 1.12 < size));
};

/** Parts of a band, each with the titles above it; undefined where not all have some. */
function joinTitles(parts: readonly Band[]): readonly Band[] | undefined {
  const isTitle = (part: Band, at: number) => {
    const below = parts[at + 1];
    return below !== undefined && isLarger(part, below);
  };
  if (parts.filter(isTitle).length * 2 !== parts.length) return undefined;
  return parts.flatMap((part, at) => {
    const below = parts[at + 1];
    if (below === undefined || !isTitle(part, at)) return [];
    return [{ left: [...part.left, ...below.left], right: [...part.right, ...below.right] }];
  });
}

/**
 * The rows of a table that cross a band: most paragraphs of either side begin on a line where one of the
 * other does, below white space on both, and no row holds most of the text. Undefined for no table.
 */
function rowsOf(band: Band): readonly Band[] | undefined {
  const leading = leadingOf(band);
  const plain = cutAtGaps(band, leading);
  const titled = joinTitles(plain);
  const parts = titled ?? plain;
  const rows = parts.filter(({ left, right }) => left.length > 0 && right.length > 0);
  const longest = rows.reduce(
    (most, { left, right }) => Math.max(most, charCount(left) + charCount(right)),
    0,
  );
  const isOne = longest > 0.6 * (charCount(band.left) + charCount(band.right));
  const level = rows.filter(
    ({ left: [first], right }) => first !== undefined && isOnLine(first, right.slice(0, 1)),
  );
  const paragraphs = [band.left, band.right].map(
    (side) => lineGaps(side).filter((step) => step > leading).length,
  );
  const isTable =
    titled === undefined
      ? level.length >= leastRows && level.length > 0.7 * Math.max(...paragraphs)
      : level.length > 1 && level.length === parts.length;
  return !isOne && isTable && !isList(level.flatMap(({ right }) => right.slice(0, 1))) ? parts : undefined;
}

/** Whether the lines of both sides are level like cells, and are not list items. */
function isLevel({ left, right }: Band): boolean {
  const level = [
    ...left.filter((line) => isOnLine(line, right)),
    ...right.filter((line) => isOnLine(line, left)),
  ];
  return level.length > 0.95 * (left.length + right.length) && !isList(right);
}

const areOnOneLine = (segments: readonly PageSegment[]): boolean =>
  segments.every((segment) => isOnLine(segment, segments.slice(0, 1)));

/**
 * The cells of a table's row, from left to right; those of one line stay together, and a label with its text.
 */
function cellsOf({ left, right }: Band): PageSegment[][] {
  const columns: PageSegment[][] = [];
  let edge = Number.NEGATIVE_INFINITY;
  for (const segment of [...left, ...right].sort((one, two) => one.x0 - two.x0)) {
    if (segment.x0 >= edge) columns.push([]);
    columns.at(-1)?.push(segment);
    edge = Math.max(edge, segment.x1);
  }
  const cells: PageSegment[][] = [];
  for (const column of columns) {
    column.sort((one, two) => one.y - two.y);
    const last = cells.at(-1) ?? [];
    const isLabel = last.length > 0 && !last.some(isLineOfProse);
    if (areOnOneLine([...last, ...(isLabel ? column.slice(0, 1) : column)]))
      cells.push([...(cells.pop() ?? []), ...column]);
    else cells.push(column);
  }
  return cells;
}

/** Whether a row of a table is read cell by cell: the text in its cells wraps. */
const isWrapped = (band: Band, rows: readonly Band[]): boolean =>
  Math.max(band.left.length, band.right.length) >= 2 * rows.length;

/**
 * Whether a band holds columns of text, or one column next to other lines; false for rows of a table whose
 * cells are single lines.
 */
function holdsColumns(band: Band, left: Side, right: Side): boolean {
  if (band.left.length < 2 || band.right.length < 2) return false;
  const rows = rowsOf(band);
  if (rows !== undefined && !isWrapped(band, rows)) return false;
  if (left.isRunning && right.isRunning) return true;
  if (!left.isRunning && !right.isRunning) return left.isProse && right.isProse && !isLevel(band);
  const [text, other, beside] = left.isRunning
    ? [band.left, band.right, right]
    : [band.right, band.left, left];
  if (beside.lines.length >= leastRows) return true;
  return other.filter((segment) => isOnLine(segment, text)).length * 2 < other.length;
}

/** How much text is side by side in columns at a gutter; 0 where that is too little. */
function weigh(segments: readonly PageSegment[], gutter: number): number {
  let weight = 0;
  let lines = 0;
  for (const part of cutBands(segments, gutter)) {
    if (!("left" in part)) continue;
    const [left, right] = [readSide(part.left), readSide(part.right)];
    if (!holdsColumns(part, left, right)) continue;
    const counts = [left.lines.length, right.lines.length] as const;
    lines += left.isRunning || right.isRunning ? Math.max(...counts) : Math.min(...counts);
    weight += Math.min(charCount(part.left), charCount(part.right));
  }
  return lines < leastLines ? 0 : weight;
}

/**
 * Gutters that are tried, and segments of a page that is looked at for columns: a dense one has some
 * hundreds.
 */
const mostEdges = 32;
const mostSegments = 3000;

/**
 * Places where lines of prose begin or end, more than a few of them, away from the margins; the most used
 * first.
 */
function edgesOf(segments: readonly PageSegment[]): readonly number[] {
  const left = segments.reduce((least, { x0 }) => Math.min(least, x0), Number.POSITIVE_INFINITY);
  const right = segments.reduce((most, { x1 }) => Math.max(most, x1), Number.NEGATIVE_INFINITY);
  const counts = new Map<number, number>();
  for (const segment of segments) {
    if (!isLineOfProse(segment)) continue;
    for (const edge of [Math.floor(segment.x0) - 2, Math.ceil(segment.x1) + 2])
      counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  const margin = (right - left) * 0.15;
  return [...counts]
    .filter(([edge, count]) => count >= 3 && edge > left + margin && edge < right - margin)
    .sort(([, one], [, two]) => two - one)
    .slice(0, mostEdges)
    .map(([edge]) => edge);
}

/** The x between two columns that divides the most prose; undefined where there are no columns. */
function gutterOf(segments: readonly PageSegment[]): number | undefined {
  if (segments.length < 2 * leastLines || segments.length > mostSegments) return undefined;
  let best: { readonly gutter: number; readonly weight: number } | undefined;
  for (const gutter of edgesOf(segments)) {
    const weight = weigh(segments, gutter);
    if (weight > (best?.weight ?? 0)) best = { gutter, weight };
  }
  return best?.gutter;
}

/**
 * How the columns right and left of a gutter are set: where the right one begins, and the size of its type.
 */
interface Setting {
  readonly edge: number;
  readonly size: number;
}

function settingOf(segments: readonly PageSegment[], gutter: number): Setting {
  const right = readSide(segments.filter(({ x0 }) => x0 >= gutter - 1)).lines;
  const left = readSide(segments.filter(({ x1 }) => x1 <= gutter + 1)).lines;
  const lines = left.length < right.length ? right : left;
  return {
    edge: median(right.map(({ x0 }) => x0)) ?? gutter,
    size: median(lines.map(({ size }) => size)) ?? 0,
  };
}

/** Whether a part of a band is read down its columns, not in rows like a table. */
function isInColumns(band: Band, { edge, size }: Setting): boolean {
  const { left, right } = band;
  if (right.length === 0) return left.some((segment) => Math.abs(segment.size - size) < size * 0.05);
  if (holdsColumns(band, readSide(left), readSide(right))) return true;
  const aligned = right.filter(({ x0 }) => x0 > edge - size * 0.5 && x0 < edge + size * 2.5);
  return aligned.length * 2 >= right.length;
}

/** A band without the rows above and below its columns, which are read across it. */
interface TrimmedBand {
  readonly before: readonly PageSegment[];
  readonly columns: Band;
  readonly after: readonly PageSegment[];
}

function trimBand(band: Band, setting: Setting): TrimmedBand | undefined {
  const parts = cutAtGaps(band);
  const first = parts.findIndex((part) => isInColumns(part, setting));
  const last = parts.findLastIndex((part) => isInColumns(part, setting));
  const columns = {
    left: parts.slice(first, last + 1).flatMap(({ left }) => left),
    right: parts.slice(first, last + 1).flatMap(({ right }) => right),
  };
  if (first < 0 || columns.left.length < 2 || columns.right.length < 2) return undefined;
  const rows = (from: number, to?: number) => parts.slice(from, to).flatMap(segmentsByRow);
  return { before: rows(0, first), columns, after: rows(last + 1) };
}

/** Gutters within gutters that are looked for. */
const deepest = 4;

/** Divides segments without a gutter between columns into short blocks side by side, if there are any. */
function divideBlocks(segments: readonly PageSegment[], depth: number): PageSegment[][] {
  const regions: PageSegment[][] = [];
  let across: PageSegment[] = [];
  for (const part of readBlocks(segments) ?? segments) {
    if ("left" in part) {
      if (across.length > 0) regions.push(across);
      across = [];
      regions.push(...divide(part.left, depth + 1), ...divide(part.right, depth + 1));
    } else across.push(part);
  }
  return across.length > 0 ? [...regions, across] : regions;
}

/** Whether text runs on both sides of a gutter, so that what stands in one column labels nothing in the other. */
const isBetweenTexts = (segments: readonly PageSegment[], gutter: number): boolean =>
  readSide(segments.filter(({ x1 }) => x1 <= gutter + 1)).isProse &&
  readSide(segments.filter(({ x0 }) => x0 >= gutter - 1)).isProse;

/** Divides segments at a gutter between columns, and what stands above, between and below these again. */
function divideAt(segments: readonly PageSegment[], gutter: number, depth: number): PageSegment[][] {
  const setting = settingOf(segments, gutter);
  const regions: PageSegment[][] = [];
  let across: PageSegment[] = [];
  const endAcross = () => {
    regions.push(...divide(across, depth + 1));
    across = [];
  };
  for (const part of cutBands(segments, gutter)) {
    const trimmed = "left" in part ? trimBand(part, setting) : undefined;
    if (!("left" in part)) across.push(part);
    else if (trimmed === undefined) across.push(...segmentsByRow(part));
    else {
      across.push(...trimmed.before);
      endAcross();
      const { left, right } = trimmed.columns;
      const rows = rowsOf(trimmed.columns);
      if (rows !== undefined) regions.push(...rows.flatMap(cellsOf));
      else regions.push(...divide(left, depth + 1), ...divide(right, depth + 1));
      across.push(...trimmed.after);
    }
  }
  endAcross();
  return regions;
}

const divideText = (
  segments: readonly PageSegment[],
  gutter: number | undefined,
  depth: number,
): PageSegment[][] =>
  gutter === undefined ? divideBlocks(segments, depth) : divideAt(segments, gutter, depth);

function divide(segments: readonly PageSegment[], depth = 0): PageSegment[][] {
  if (segments.length === 0) return [];
  if (depth >= deepest) return [[...segments]];
  const gutter = gutterOf(segments);
  const labels = gutter !== undefined && isBetweenTexts(segments, gutter) ? [] : labelsOf(segments);
  if (labels.length === 0) return divideText(segments, gutter, depth);
  const taken = new Set(labels.flatMap(({ before, after }) => [...before, ...after]));
  const text = segments.filter((segment) => !taken.has(segment));
  return withLabels(divideText(text, gutterOf(text), depth), labels);
}

/**
 * Reading order by columns:
 * 1. find the gutter with the most prose side by side, in lines that fill their columns, between the segments
 *    that cross it or head the columns on both sides of it;
 * 2. those segments divide the page into bands;
 * 3. a band is read left column first, except rows above and below that are not in columns; a table whose
 *    cells wrap is read row by row, each cell whole;
 * 4. columns, and the segments across them, are divided again; where there is no such gutter, short blocks
 *    side by side are read one by one;
 * 5. a label beside the middle of a paragraph is read before it, one at its right after it.
 * A page that is written from right to left is read as its mirror image.
 *
 * @param segments from top to bottom
 */
export function orderByColumns(segments: readonly PageSegment[]): PageSegment[][] {
  if (charCount(segments.filter(({ rtl }) => rtl)) * 2 <= charCount(segments)) return divide(segments);
  const originals = new Map(
    segments.map((segment) => [{ ...segment, x0: -segment.x1, x1: -segment.x0 }, segment]),
  );
  return divide([...originals.keys()]).map((region) =>
    region.flatMap((mirrored) => originals.get(mirrored) ?? []),
  );
}
