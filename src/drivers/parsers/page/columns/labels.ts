import type { PageSegment } from "../pieces.ts";
import { countCodes, isLetter, isOnLine, widestLeading } from "./bands.ts";

/** Lines of a paragraph, and what stands beside its middle. */
export interface Labelled {
  readonly first: PageSegment;
  readonly last: PageSegment;
  /** Left of it, and read before it. */
  readonly before: readonly PageSegment[];
  /** Right of it, and read after it. */
  readonly after: readonly PageSegment[];
}

/** Segments of a page that is looked at for labels, and lines that a label has at most. */
const mostSegments = 1500;
const mostLines = 3;
/** White space between a paragraph and its label, in sizes at least: more than where a line is stretched. */
const leastGap = 1.5;
/** Characters in a full line of a paragraph, at least; and where no line begins inside a sentence. */
const leastLine = 24;
const leastAlone = 48;

/** Whether a segment is the next line of a paragraph; only its first line may be indented. */
function isNext({ x0, y, size, table }: PageSegment, lines: readonly PageSegment[]): boolean {
  const last = lines.at(-1);
  if (last === undefined || table !== undefined) return false;
  const step = (y - last.y) / size;
  const shift = Math.abs(x0 - last.x0) / size;
  if (step < 0.5 || step > widestLeading || Math.abs(size - last.size) > 0.1 * size) return false;
  return shift < (lines.length === 1 ? 3 : 0.5);
}

/** Runs of lines below each other, from segments sorted downwards. */
function runsOf(segments: readonly PageSegment[]): readonly (readonly PageSegment[])[] {
  const runs: PageSegment[][] = [];
  let open: PageSegment[][] = [];
  for (const segment of segments) {
    open = open.filter((lines) => segment.y - (lines.at(-1)?.y ?? 0) <= widestLeading * segment.size);
    const run = open.find((lines) => isNext(segment, lines));
    if (run !== undefined) run.push(segment);
    else if (segment.table === undefined) {
      const begun = [segment];
      open.push(begun);
      runs.push(begun);
    }
  }
  return runs;
}

/** The paragraphs of a run, of two lines and more: all but the last line of each are full, and hold words. */
function paragraphsIn(run: readonly PageSegment[]): readonly (readonly PageSegment[])[] {
  const left = Math.min(...run.map(({ x0 }) => x0));
  const right = Math.max(...run.map(({ x1 }) => x1));
  const paragraphs: PageSegment[][] = [[]];
  for (const line of run) {
    paragraphs.at(-1)?.push(line);
    const isFull = line.x1 > right - 0.2 * (right - left) && line.text.length >= leastLine;
    if (!isFull || countCodes(line.text, isLetter) * 2 < line.text.length) paragraphs.push([]);
  }
  return paragraphs.filter(([first, ...others]) => {
    const runsOn = others.some(({ text }) => /^\p{Ll}/u.test(text));
    return others.length > 0 && (runsOn || (first?.text.length ?? 0) >= leastAlone);
  });
}

/** Whether a line may be one of a label: short, and no mark, figure or code. */
const isShort = ({ text, x0, x1, table, mono }: PageSegment, width: number): boolean =>
  table === undefined && !mono && x1 - x0 < width / 2 && /\p{L}{2}/u.test(text);

/**
 * The label on one side of the middle of a paragraph: few lines, short, below one another, none level with
 * the first line and no two with others as in the rows of a table, with white space above and below. Empty
 * for none, undefined for something else.
 */
function labelIn(
  side: readonly PageSegment[],
  lines: readonly PageSegment[],
  width: number,
): readonly PageSegment[] | undefined {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isLevel = ({ y }: PageSegment) => y > first.y - 0.2 * first.size && y < last.y + 0.2 * last.size;
  const level = side.filter(isLevel);
  const [top, bottom] = [level[0], level.at(-1)];
  if (top === undefined || bottom === undefined) return [];
  if (level.length > mostLines || top.y < first.y + 0.2 * first.size) return undefined;
  if (level.filter((line) => isOnLine(line, lines)).length > 1) return undefined;
  const isColumn = level.every(({ x0, x1, y }, at) => {
    const above = level[at - 1];
    return above === undefined || (y - above.y > 0.5 * above.size && x0 < above.x1 && x1 > above.x0);
  });
  const isAlone = side.every(
    (other) =>
      isLevel(other) ||
      other.y < top.y - widestLeading * top.size ||
      other.y > bottom.y + widestLeading * bottom.size,
  );
  return isColumn && isAlone && level.every((line) => isShort(line, width)) ? level : undefined;
}

/** What labels a paragraph; undefined where nothing stands beside it, or something else does. */
function labelled(lines: readonly PageSegment[], segments: readonly PageSegment[]): Labelled | undefined {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || first.mono) return undefined;
  const left = Math.min(...lines.map(({ x0 }) => x0));
  const right = Math.max(...lines.map(({ x1 }) => x1));
  const sides = [segments.filter(({ x1 }) => x1 < left), segments.filter(({ x0 }) => x0 > right)];
  const [before, after] = sides.map((side) => labelIn(side, lines, right - left));
  if (before === undefined || after === undefined || before.length + after.length === 0) return undefined;
  const gap = leastGap * first.size;
  const isApart = before.every(({ x1 }) => x1 < left - gap) && after.every(({ x0 }) => x0 > right + gap);
  return isApart ? { first, last, before, after } : undefined;
}

/** Labels that stand beside the middle of a paragraph, as in a box with the word DANGER at its side. */
export function labelsOf(segments: readonly PageSegment[]): readonly Labelled[] {
  if (segments.length > mostSegments) return [];
  const taken = new Set<PageSegment>();
  return runsOf(segments)
    .flatMap(paragraphsIn)
    .flatMap((lines) => {
      const found = labelled(lines, segments);
      if (found === undefined || lines.some((line) => taken.has(line))) return [];
      for (const label of [...found.before, ...found.after]) taken.add(label);
      return [found];
    });
}

/** Regions with the labels put back before and after the paragraphs that they belong to. */
export function withLabels(
  regions: readonly (readonly PageSegment[])[],
  labels: readonly Labelled[],
): PageSegment[][] {
  const before = new Map(labels.map((each) => [each.first, each.before]));
  const after = new Map(labels.map((each) => [each.last, each.after]));
  return regions.flatMap((region) => {
    const parts: PageSegment[][] = [[]];
    for (const segment of region) {
      const [above = [], below = []] = [before.get(segment), after.get(segment)];
      if (above.length > 0) parts.push([...above], []);
      parts.at(-1)?.push(segment);
      if (below.length > 0) parts.push([...below], []);
    }
    return parts.filter((part) => part.length > 0);
  });
}
