import type { Line, Region } from "./pdf-lines.ts";

/** A page's regions of lines with the page's height, points. */
export interface Page {
  readonly number: number;
  readonly height: number;
  readonly regions: readonly Region[];
}

const edge = 0.07;
const pageNumber = /^[-–—|\s]*(?:page\s*)?([0-9]{1,4}|[ivxlc]{1,7})(?:\s*(?:of|\/)\s*[0-9]{1,4})?[-–—|\s]*$/i;

/** Lines in the margins, and the two uppermost and lowermost of the page even where the text area is small. */
function edgeLines(page: Page): Line[] {
  const { height } = page;
  const lines = page.regions
    .flat()
    .filter((line) => line.y < height + 500)
    .sort((one, two) => one.y - two.y);
  return lines.filter((line, index) => {
    if (line.y < height * edge || line.y > height * (1 - edge)) return true;
    return (index < 2 && line.y < height * 0.25) || (index >= lines.length - 2 && line.y > height * 0.3);
  });
}

function keyOf(line: Line): string {
  return `${Math.round(line.y / 6)}:${line.text.toLowerCase().replace(/\d+/g, "#").replace(/\s+/g, "")}`;
}

/**
 * Pages without running headers, footers and page numbers: a line near the top or bottom edge goes when the same text (digits
 * aside) stands at the same height on three pages or more, or when it is a number whose distance to the page's own is shared by
 * another page.
 */
export function dropFurniture(pages: readonly Page[]): readonly Page[] {
  const seen = new Map<string, number>();
  const offsets = new Map<number, number>();
  const numbers = new Set<Line>();
  for (const page of pages) {
    for (const line of edgeLines(page)) {
      seen.set(keyOf(line), (seen.get(keyOf(line)) ?? 0) + 1);
      const found = pageNumber.exec(line.text)?.[1];
      if (found === undefined) continue;
      if (!/^\d/.test(found)) numbers.add(line);
      else offsets.set(Number(found) - page.number, (offsets.get(Number(found) - page.number) ?? 0) + 1);
    }
  }
  const isFurniture = (line: Line, page: Page) => {
    if ((seen.get(keyOf(line)) ?? 0) >= 3) return true;
    if (numbers.has(line)) return true;
    const found = pageNumber.exec(line.text)?.[1];
    if (found === undefined) return false;
    const offset = Number(found) - page.number;
    return offset === 0 || (offsets.get(offset) ?? 0) >= 2;
  };
  return pages.map((page) => {
    const furniture = new Set(edgeLines(page).filter((line) => isFurniture(line, page)));
    const regions = page.regions.map((region) => region.filter((line) => !furniture.has(line)));
    return { ...page, regions: regions.filter((region) => region.length > 0) };
  });
}
