import type { Line, PageRegion } from "./lines.ts";

/** A page's regions of lines with the page's size, points. */
export interface PageRegions {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly regions: readonly PageRegion[];
  /** Mean confidence of a page read by OCR. */
  readonly confidence?: number;
  /** Alternative texts of the page's tagged figures. */
  readonly pictures: readonly string[];
  /** Texts of form fields and comments. */
  readonly notes: readonly string[];
  /** Whether places refer to the page as shown: false for pages turned so that their text is upright. */
  readonly placed: boolean;
}

/** Recognises running headers, footers and page numbers from the pages seen so far. */
export interface Furniture {
  see(page: PageRegions): void;
  /** The page without them. */
  strip(page: PageRegions): PageRegions;
}

const edge = 0.07;
/** Keys kept at the same time, so that a long document costs no more than a short one. */
const maxKeys = 4000;
const pageNumber = /^[-–—|\s]*(?:page\s*)?([0-9]{1,4}|[ivxlc]{1,7})(?:\s*(?:of|\/)\s*[0-9]{1,4})?[-–—|\s]*$/i;

/**
 * Lines in the margins, and the two uppermost and lowermost of the page even where the text area is small.
 */
function edgeLines(page: PageRegions): Line[] {
  const { height } = page;
  const lines = page.regions
    .flat()
    .filter((line) => line.y < height + 500 && line.table === undefined)
    .sort((one, two) => one.y - two.y);
  return lines.filter((line, index) => {
    if (isInMargin(line, page)) return true;
    return (index < 2 && line.y < height * 0.25) || (index >= lines.length - 2 && line.y > height * 0.3);
  });
}

function keyOf(line: Line): string {
  return `${Math.round(line.y / 6)}:${line.text.toLowerCase().replace(/\d+/g, "#").replace(/\s+/g, "")}`;
}

/** How far the number that a line consists of is from the page's own; undefined for any other line. */
function numberOffset(line: Line, page: PageRegions): number | undefined {
  const number = pageNumber.exec(line.text)?.[1];
  return number === undefined || !/^\d/.test(number) ? undefined : Number(number) - page.number;
}

/** Whether a line is in the page's margins. */
function isInMargin({ y }: Line, { height }: PageRegions): boolean {
  return y < height * edge || y > height * (1 - edge);
}

function count<T>(counts: Map<T, number>, key: T): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Keeps long documents cheap: keys seen only once go when there are too many. */
function forgetRareKeys(counts: Map<string, number>): void {
  if (counts.size <= maxKeys) return;
  for (const [key, times] of counts) if (times < 2) counts.delete(key);
}

/**
 * Removes page furniture. A line near the top or bottom edge goes when the same text, digits ignored, is at
 * the same height on three pages or more, or when it is a number whose difference from the page number recurs
 * on another page.
 */
export function createPageFurnitureFilter(): Furniture {
  const seen = new Map<string, number>();
  const offsets = new Map<number, number>();
  const isFurniture = (line: Line, page: PageRegions): boolean => {
    if ((seen.get(keyOf(line)) ?? 0) >= 3) return true;
    if (!pageNumber.test(line.text)) return false;
    const offset = numberOffset(line, page);
    // Roman numbers are not compared.
    return offset === undefined || offset === 0 || (offsets.get(offset) ?? 0) >= 2;
  };
  return {
    see(page) {
      forgetRareKeys(seen);
      for (const line of edgeLines(page)) {
        count(seen, keyOf(line));
        const offset = numberOffset(line, page);
        if (offset !== undefined) count(offsets, offset);
      }
    },
    strip(page) {
      const candidates = edgeLines(page).filter((line) => isFurniture(line, page));
      const isAll = candidates.length === page.regions.reduce((sum, region) => sum + region.length, 0);
      // A page that holds only such lines keeps those outside its margins.
      const furniture = new Set(isAll ? candidates.filter((line) => isInMargin(line, page)) : candidates);
      if (furniture.size === 0) return page;
      const regions = page.regions.map((region) => region.filter((line) => !furniture.has(line)));
      return { ...page, regions: regions.filter((region) => region.length > 0) };
    },
  };
}
