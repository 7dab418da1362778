import { bullet, caption, isNumeric, normalizeHeading, sectionNumber } from "./line-text.ts";
import type { Line } from "./lines.ts";
import { ocrFont } from "./pieces.ts";
import type { BodyStyle } from "./style.ts";

/** An entry of the document's outline: 1-based page and level. */
export interface OutlineEntry {
  readonly title: string;
  readonly page: number;
  readonly level: number;
}

const tagLevels: Readonly<Record<string, number>> = {
  Title: 1,
  H: 2,
  H1: 1,
  H2: 2,
  H3: 3,
  H4: 4,
  H5: 5,
  H6: 6,
};

/**
 * The level that the document itself gives a line, by its tags or its outline; undefined where it gives none.
 */
export type GivenLevel = (line: Line, page: number) => number | undefined;

/** Reads levels from tags and from the outline's titles, each on its own page. */
export function createHeadingLevels(outline: readonly OutlineEntry[]): GivenLevel {
  const listed = new Map(
    outline.map((entry) => [`${entry.page}:${normalizeHeading(entry.title)}`, entry.level]),
  );
  return (line, page) => {
    const tagged = line.role === "" ? undefined : tagLevels[line.role];
    if (tagged !== undefined && line.text.length <= 200 && /\p{L}/u.test(line.text)) return tagged;
    if (listed.size === 0) return undefined;
    const text = normalizeHeading(line.text);
    const unnumbered = text.replace(/^(?:\d+|[ivx]+)(?=\p{L})/u, "");
    return listed.get(`${page}:${text}`) ?? listed.get(`${page}:${unnumbered}`);
  };
}

/** A line with its neighbours in the region, if any. */
export interface LineInPlace {
  readonly line: Line;
  readonly next: Line | undefined;
  readonly previous: Line | undefined;
}

function cannotBeHeading({ text, cells }: Line): boolean {
  const isNumbered = cells.length === 2 && sectionNumber.test(text) && !isNumeric(cells[1]?.text ?? "");
  const isRow = cells.length > 1 && !isNumbered;
  return isRow || text.length > 120 || !/\p{L}{2}/u.test(text) || isNumeric(text);
}

/** Whether a line of the body's size, in another face than the body, is a title over the text below it. */
function isTitleByFace({ line, next, previous }: LineInPlace, isLarger: boolean): boolean {
  const { text } = line;
  if (bullet.test(text)) return isLarger && /^\(?\d/.test(text) && text.length <= 80;
  if (caption.test(text) || !/^[\p{Lu}\p{Lo}\d]/u.test(text) || text.length > 90) return false;
  // A heading needs body text after it and must not interrupt a paragraph.
  const standsAlone =
    previous === undefined || line.y - previous.y > line.size * 1.45 || previous.font === line.font;
  if (!standsAlone || next === undefined || next.y <= line.y) return false;
  return next.font !== line.font || next.y - line.y > line.size * 1.45;
}

/**
 * Whether a line is a heading by its looks: size first, then face and place. `usual` are the faces that body
 * text is set in.
 */
export function looksLikeHeading(place: LineInPlace, body: BodyStyle, usual: ReadonlySet<string>): boolean {
  const { line, next } = place;
  const { text } = line;
  if (cannotBeHeading(line)) return false;
  // OCR measures type by the letters in the line, so only clearly larger lines are headings there.
  const isOcr = line.font === ocrFont;
  if (isOcr && (line.size < body.size * 1.35 || text.length > 80 || bullet.test(text))) return false;
  if (line.size > body.size * 1.12) return !/[.;,]$/.test(text) || sectionNumber.test(text);
  if (line.size < body.size * 0.95 || usual.has(line.font) || line.mono || /[.,;:]$/.test(text)) return false;
  // An item's mark before a title: larger than the text below it, which is set in the page's own face.
  const isLarger =
    line.size > body.size * 1.04 &&
    next !== undefined &&
    next.size < line.size * 0.97 &&
    usual.has(next.font);
  return isTitleByFace(place, isLarger);
}
