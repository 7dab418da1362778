import { bullet } from "../line-text.ts";
import type { PageSegment } from "../pieces.ts";
import {
  type Band,
  charCount,
  countCodes,
  cutAtGaps,
  cutBands,
  isDigit,
  isLetter,
  isOnLine,
  lineGaps,
  median,
  segmentsByRow,
} from "./bands.ts";

/** White space between blocks side by side, and between a block and the next one below, in sizes at least. */
const leastBeside = 1.5;
const leastBetween = 2.2;
/** Gutters between short blocks that are tried, and segments of a page that is looked at for them. */
const mostGutters = 16;
const mostSegments = 400;

/** A side of a band that holds short lines. */
interface Block {
  readonly lines: readonly PageSegment[];
  /** Its lines without a larger heading above them. */
  readonly body: readonly PageSegment[];
  readonly size: number;
}

function blockOf(lines: readonly PageSegment[]): Block {
  const size = median(lines.slice(1).map((line) => line.size)) ?? 0;
  const isHead = (line: PageSegment) => line.size > size * 1.12;
  const first = lines.findIndex((line) => !isHead(line));
  return { lines, body: lines.slice(first), size };
}

/** Whether it is a list, with the wrapped lines of its items and possibly a title above them. */
const isListed = ({ lines, body: [first, second] }: Block): boolean =>
  [first, second].some((line) => line !== undefined && bullet.test(line.text)) &&
  lines.filter(({ text }) => bullet.test(text)).length > 1;

/** Whether most lines hold words, not figures. */
function areWords(lines: readonly PageSegment[]): boolean {
  const worded = lines.filter(
    ({ text }) => countCodes(text, isLetter) > 2 * countCodes(text, isDigit),
  ).length;
  return worded * 3 > lines.length * 2;
}

/** Whether its lines are as long as phrases: those of a table's cells are shorter as a rule. */
const holdsPhrases = ({ body }: Block): boolean =>
  body.length >= 2 && (median(body.map(({ text }) => text.length)) ?? 0) >= 14 && areWords(body);

/** Whether a line continues a sentence. */
const isLow = ({ text }: PageSegment): boolean =>
  /^\p{Ll}/u.test(text) && text.length > 3 && !bullet.test(text);

/** Whether sentences begin it and run on from line to line. */
function runsOn(block: Block): boolean {
  const [first, ...rest] = block.body;
  if (first === undefined || isLow(first) || !holdsPhrases(block)) return false;
  return rest.filter(isLow).length * 3 >= block.body.length;
}

/**
 * Whether both are phrases below something larger, or words below something far larger, level with each
 * other.
 */
function areHeaded(one: Block, two: Block): boolean {
  const isHeaded = (block: Block) => {
    const { lines, body, size } = block;
    const isLarge = lines.slice(0, 1).every((head) => head.size > 1.25 * size);
    return (
      body.length < lines.length && (holdsPhrases(block) || (isLarge && body.length > 1 && areWords(body)))
    );
  };
  return isHeaded(one) && isHeaded(two) && one.lines.slice(0, 1).some((head) => isOnLine(head, two.lines));
}

/** Whether sentences run next to the items of a list without explaining them. */
const areListAndText = (list: Block, text: Block): boolean =>
  isListed(list) && runsOn(text) && list.body.some((line) => isOnLine(line, text.body.filter(isLow)));

/**
 * The usual distance between the lines of a block when they share a margin and follow closely; 0 otherwise.
 */
function leadingOfBlock({ lines, size }: Block): number {
  const near = lines.filter((line, at) =>
    lines.some(
      (other, index) =>
        index !== at && Math.abs(other.x0 - line.x0) < size * 0.5 && Math.abs(other.y - line.y) < 2 * size,
    ),
  );
  const steps = lines
    .slice(1)
    .map(({ y }, at) => y - (lines[at]?.y ?? y))
    .filter((step) => step > size * 0.5);
  return lines.length >= 3 && near.length > 0.8 * lines.length ? (median(steps) ?? 0) : 0;
}

/** Whether the lines of two blocks are set alike but are not level, as the rows of a table would be. */
function areStaggered(one: Block, two: Block): boolean {
  const [first, second] = [leadingOfBlock(one), leadingOfBlock(two)];
  const isAlike = (left: number, right: number, most: number) => left < right * most && right < left * most;
  if (!areWords(one.lines) || !areWords(two.lines)) return false;
  if (first === 0 || second === 0 || !isAlike(first, second, 1.5) || !isAlike(one.size, two.size, 1.3))
    return false;
  const isSteady = ({ lines }: Block, other: Block) =>
    lines.filter((line) => isOnLine(line, other.lines)).length * 2 < lines.length;
  return isSteady(one, two) && isSteady(two, one);
}

/** Whether a part of a band is two blocks, each read by itself, and no rows. */
function areBlocks({ left, right }: Band): boolean {
  if (left.length < 2 || right.length < 2 || [...left, ...right].some(({ table }) => table !== undefined))
    return false;
  const [one, two] = [blockOf(left), blockOf(right)];
  const edge = left.reduce((most, { x1 }) => Math.max(most, x1), Number.NEGATIVE_INFINITY);
  const next = right.reduce((least, { x0 }) => Math.min(least, x0), Number.POSITIVE_INFINITY);
  if (next - edge < leastBeside * Math.max(one.size, two.size)) return false;
  if ((isListed(one) && isListed(two)) || areListAndText(one, two) || areListAndText(two, one)) return true;
  return areHeaded(one, two) || (runsOn(one) && runsOn(two)) || areStaggered(one, two);
}

/** The parts of a band that white space divides; lines within a block are closer together. */
function cutBlocks(band: Band): readonly Band[] {
  const usual = median([...lineGaps(band.left), ...lineGaps(band.right)].filter((step) => step > 0.5)) ?? 0;
  return cutAtGaps(band, Math.max(leastBetween, Math.min(1.5 * usual, 4)));
}

/** A part of a page at a gutter: two blocks, or a segment that is read across it. */
type Part = Band | PageSegment;

function partsAt(segments: readonly PageSegment[], gutter: number): readonly Part[] {
  const parts: Part[] = [];
  for (const part of cutBands(segments, gutter)) {
    if ("left" in part)
      for (const each of cutBlocks(part)) parts.push(...(areBlocks(each) ? [each] : segmentsByRow(each)));
    else parts.push(part);
  }
  return parts;
}

/** How much text is side by side in blocks. */
const weigh = (parts: readonly Part[]): number =>
  parts.reduce(
    (sum, part) => sum + ("left" in part ? Math.min(charCount(part.left), charCount(part.right)) : 0),
    0,
  );

/**
 * Short blocks side by side, and the segments above and below them, from top to bottom; undefined where there
 * are none.
 */
export function readBlocks(segments: readonly PageSegment[]): readonly Part[] | undefined {
  if (segments.length > mostSegments) return undefined;
  let best: { readonly parts: readonly Part[]; readonly weight: number } | undefined;
  const edges = new Set(segments.map(({ x0 }) => Math.floor(x0) - 2));
  for (const gutter of [...edges].slice(0, mostGutters)) {
    const parts = partsAt(segments, gutter);
    const weight = weigh(parts);
    if (weight > (best?.weight ?? 0)) best = { parts, weight };
  }
  return best?.parts;
}
