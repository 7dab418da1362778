import type { Block, Table } from "../../../core/documents/document.ts";
import { addPlace, type BlockDraft, continueTable, draftOf } from "./drafts.ts";
import type { PageRegions } from "./furniture.ts";
import { type GivenLevel, looksLikeHeading } from "./headings.ts";
import { bullet, caption, join, noteMark, sentenceEnd } from "./line-text.ts";
import type { Line, PageRegion } from "./lines.ts";
import { ocrFont } from "./pieces.ts";
import { type BodyStyle, lineGap } from "./style.ts";
import { readAligned } from "./tables/aligned.ts";
import { readTable } from "./tables/figures.ts";
import { inReadingOrder } from "./tables/right-to-left.ts";

/** Context for reading a region. */
export interface RegionContext {
  readonly page: PageRegions;
  readonly body: BodyStyle;
  /** Faces that body text of this page is set in. */
  readonly usual: ReadonlySet<string>;
  readonly givenLevel: GivenLevel;
  /** Pairs of words written with a hyphen between them. */
  readonly hyphenated: ReadonlySet<string>;
  /** Blocks of the document so far; the region's are added. */
  readonly drafts: BlockDraft[];
}

/** A region being read, line by line. */
interface Walk extends RegionContext {
  readonly region: PageRegion;
  /** Edges of the region and the usual distance of its lines, points. */
  readonly left: number;
  readonly right: number;
  readonly gap: number;
  /** The block that may still grow. */
  current: BlockDraft | undefined;
  /** The line before this one. */
  previous: Line | undefined;
}

function grow(walk: Walk, draft: BlockDraft, line: Line, text: string, open: boolean): void {
  draft.text = text;
  draft.open = open;
  addPlace(draft, line, walk.page);
  walk.current = draft;
}

function start(walk: Walk, kind: Block["kind"], line: Line, open: boolean): BlockDraft {
  const draft = draftOf(kind, line, walk.page);
  draft.open = open;
  walk.drafts.push(draft);
  walk.current = draft;
  return draft;
}

/** Adds a table, or its rows to the table that ended the page before. */
function addTable({ drafts, page }: Walk, line: Line, table: Table): void {
  const last = drafts.at(-1);
  const joined =
    last?.table !== undefined && last.pages.at(-1) === page.number - 1
      ? continueTable(last.table, table)
      : undefined;
  if (last !== undefined && joined !== undefined) {
    last.table = joined;
    addPlace(last, line, page);
  } else drafts.push({ ...draftOf("table", line, page, "-"), table });
}

/** Takes the table that begins at a line; returns how many lines it covers, 0 where none begins. */
function takeTable(walk: Walk, index: number, line: Line, isHeading: boolean): number {
  const { region } = walk;
  if (line.table !== undefined) {
    addTable(walk, line, line.table);
    walk.previous = line;
    walk.current = undefined;
    return 1;
  }
  const aligned = isHeading ? undefined : (readTable(region, index) ?? readAligned(region, index));
  if (aligned === undefined) return 0;
  const lines = region.slice(index, index + aligned.length);
  const bottom = lines.at(-1);
  const x0 = Math.min(...lines.map((each) => each.x0));
  const x1 = Math.max(...lines.map((each) => each.x1));
  const area = { x0, x1, y: line.y - line.size, bottom: (bottom?.y ?? line.y) + 2 };
  const table = inReadingOrder(aligned.table);
  addTable(walk, { ...line, table, ...area }, table);
  walk.previous = bottom;
  walk.current = undefined;
  return lines.length;
}

function takeHeading(walk: Walk, line: Line, level: number | undefined, isNear: boolean): void {
  const { current } = walk;
  const goesOn =
    current?.kind === "heading" &&
    isNear &&
    Math.abs(current.size - line.size) < 0.6 &&
    (level === undefined || line.role !== "") &&
    current.level === level;
  if (current !== undefined && goesOn)
    grow(walk, current, line, join(current.text, line.text, walk.hyphenated), false);
  else {
    const heading = start(walk, "heading", line, false);
    if (level !== undefined) heading.level = level;
  }
}

function takeCode(walk: Walk, line: Line, isNear: boolean): void {
  const { current, left } = walk;
  const indent = " ".repeat(Math.max(0, Math.round((line.x0 - left) / (line.size * 0.6))));
  if (current?.kind === "code" && isNear)
    grow(walk, current, line, `${current.text}\n${indent}${line.text}`, false);
  else start(walk, "code", line, false).text = `${indent}${line.text}`;
}

/** Whether a line begins a footnote by its looks: small, low on the page, with a mark. */
function startsNote({ body, page }: Walk, line: Line): boolean {
  const isSmallAndLow = line.size < body.size * 0.93 && line.y > page.height * 0.55;
  return isSmallAndLow && noteMark.test(line.text) && line.cells.length < 3;
}

function takeNote(walk: Walk, line: Line, isNear: boolean, isNew: boolean, open: boolean): void {
  const { current } = walk;
  if (!isNew && current?.kind === "footnote" && isNear)
    grow(walk, current, line, join(current.text, line.text, walk.hyphenated), open);
  else start(walk, "footnote", line, open);
}

/**
 * The paragraph of an earlier region or page that a text continues, past anything in smaller type between
 * them.
 */
function unfinishedParagraph({ drafts, body }: Walk, text: string): BlockDraft | undefined {
  for (const draft of drafts.slice(-6).reverse()) {
    if (draft.kind === "heading") return undefined;
    if (draft.kind !== "paragraph" || draft.size <= body.size * 0.93) continue;
    const isUnfinished = draft.open && !sentenceEnd.test(draft.text);
    const fits = /^[\p{Ll}(]/u.test(text) || /[-‐\u00ad,]$/.test(draft.text);
    return isUnfinished && fits ? draft : undefined;
  }
  return undefined;
}

/** Whether a line of text belongs to the block before it. */
function joinsCurrent(walk: Walk, line: Line, isNear: boolean): boolean {
  const { current, previous, body, left } = walk;
  if (current === undefined || previous === undefined || !isNear) return false;
  if (current.kind === "heading" || current.kind === "code") return false;
  const tolerance = body.size * (line.font === ocrFont ? 0.3 : 0.12);
  if (Math.abs(previous.size - line.size) > tolerance) return false;
  if (current.kind === "list") return true;
  if (!sentenceEnd.test(current.text)) return true;
  const isIndented = line.x0 - previous.x0 > line.size * 0.7 && line.x0 - left < line.size * 4;
  return current.open && !isIndented;
}

/** Whether an item continues the list before it. */
function joinsList({ current, previous }: Walk, line: Line): boolean {
  if (current?.kind !== "list" || previous === undefined) return false;
  return line.y > previous.y && line.y - previous.y < line.size * 3;
}

/** The kind of block that a line of text would begin. */
function kindOfText({ current }: Walk, line: Line): "list" | "caption" | "paragraph" {
  if (bullet.test(line.text) && !/^[A-Z]\.\s/.test(line.text)) return "list";
  const isCaption = caption.test(line.text) || (line.role === "Caption" && current?.kind !== "caption");
  return isCaption ? "caption" : "paragraph";
}

function takeText(walk: Walk, line: Line, isNear: boolean, open: boolean): void {
  const { current, hyphenated } = walk;
  const kind = kindOfText(walk, line);
  if (current !== undefined && kind === "paragraph" && joinsCurrent(walk, line, isNear)) {
    grow(walk, current, line, join(current.text, line.text, hyphenated), open);
    return;
  }
  if (current !== undefined && kind === "list" && joinsList(walk, line)) {
    grow(walk, current, line, `${current.text}\n${line.text}`, open);
    return;
  }
  const mayGoOn = current === undefined && kind !== "list" && line.size > walk.body.size * 0.93;
  const earlier = mayGoOn ? unfinishedParagraph(walk, line.text) : undefined;
  if (earlier !== undefined) grow(walk, earlier, line, join(earlier.text, line.text, hyphenated), open);
  else start(walk, kind, line, open);
}

/** Takes one line, or the table that begins at it; returns how many lines that were. */
function takeLine(walk: Walk, index: number, line: Line): number {
  const { page, body, region, left, right, gap, previous } = walk;
  const level = walk.givenLevel(line, page.number);
  const rows = takeTable(walk, index, line, level !== undefined);
  if (rows > 0) return rows;
  const isNear =
    previous !== undefined && line.y > previous.y && line.y - previous.y < Math.max(gap, line.size) * 1.45;
  const isStamp = line.y > page.height + 500;
  const open = line.x1 > right - (right - left) * 0.12;
  const place = { line, next: region[index + 1], previous };
  if (level !== undefined || (!isStamp && looksLikeHeading(place, body, walk.usual)))
    takeHeading(walk, line, level, isNear);
  else if ((line.mono && !body.mono) || line.role === "Code") takeCode(walk, line, isNear);
  else if (startsNote(walk, line)) takeNote(walk, line, isNear, true, open);
  else if (line.role === "Note" || line.role === "FENote") takeNote(walk, line, isNear, false, open);
  else takeText(walk, line, isNear, open);
  walk.previous = line;
  return 1;
}

/**
 * Adds the blocks of a region: tables first, then headings, then lines joined to paragraphs, list items, code
 * and footnotes.
 */
export function readRegion(region: PageRegion, context: RegionContext): void {
  const walk: Walk = {
    ...context,
    region,
    left: region.reduce((least, line) => Math.min(least, line.x0), Number.POSITIVE_INFINITY),
    right: region.reduce((most, line) => Math.max(most, line.x1), 0),
    gap: lineGap(region),
    current: undefined,
    previous: undefined,
  };
  for (let index = 0; index < region.length; ) {
    const line = region[index];
    index += line === undefined ? 1 : takeLine(walk, index, line);
  }
}
