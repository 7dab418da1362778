import type { PageRegions } from "./furniture.ts";
import { collectHyphenated } from "./line-text.ts";
import type { PageRegion } from "./lines.ts";

/** How most of a document's text is set. */
export interface BodyStyle {
  /** Points. */
  readonly size: number;
  /** Whether most characters are set in a face of one width. */
  readonly mono: boolean;
  /** Fonts that a good part of the characters is set in. */
  readonly fonts: ReadonlySet<string>;
}

/** What most of the document looks like, from the pages seen so far. */
export interface PageStyle {
  see(page: PageRegions): void;
  body(): BodyStyle;
  /** Pairs of words written with a hyphen between them. */
  readonly hyphenated: ReadonlySet<string>;
}

/** Keeps counts only; of a long document no more than of a short one, but for words with hyphens. */
export function createStyleStatistics(): PageStyle {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  const monos = new Set<string>();
  const hyphenated = new Set<string>();
  const most = <T>(counts: ReadonlyMap<T, number>, none: T): T =>
    [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [none, 0] as [T, number])[0];
  return {
    hyphenated,
    see(page) {
      for (const line of page.regions.flat()) {
        if (line.table !== undefined) continue;
        const size = Math.round(line.size * 2) / 2;
        sizes.set(size, (sizes.get(size) ?? 0) + line.text.length);
        fonts.set(line.font, (fonts.get(line.font) ?? 0) + line.text.length);
        if (line.mono) monos.add(line.font);
        collectHyphenated(line.text, hyphenated);
      }
    },
    body() {
      const all = [...fonts.values()].reduce((sum, count) => sum + count, 0);
      const usual = new Set([...fonts].filter(([, count]) => count > all * 0.18).map(([font]) => font));
      // Notes may hold more letters than the text they belong to: of the sizes much used, the largest is the
      // body's.
      const often = Math.max(0, ...sizes.values()) * 0.5;
      const size = Math.max(0, ...[...sizes].flatMap(([each, count]) => (count > often ? [each] : [])));
      return { size: size === 0 ? 10 : size, fonts: usual, mono: monos.has(most(fonts, "")) };
    },
  };
}

/**
 * The body's faces, with the one most of this page's text of the body's size is set in: files may hold one
 * face under many names.
 */
export function bodyFonts(
  page: PageRegions,
  body: { readonly size: number; readonly fonts: ReadonlySet<string> },
): ReadonlySet<string> {
  const letters = new Map<string, number>();
  let all = 0;
  for (const { size, font, text, table } of page.regions.flat()) {
    if (table !== undefined || Math.abs(size - body.size) > body.size * 0.05) continue;
    letters.set(font, (letters.get(font) ?? 0) + text.length);
    all += text.length;
  }
  const own = [...letters].filter(([, count]) => count > all * 0.5 && count > 200).map(([font]) => font);
  return own.length === 0 ? body.fonts : new Set([...body.fonts, ...own]);
}

/** Usual distance between lines of one paragraph in this region, points. */
export function lineGap(region: PageRegion): number {
  const gaps: number[] = [];
  for (let index = 1; index < region.length; index++) {
    const gap = (region[index]?.y ?? 0) - (region[index - 1]?.y ?? 0);
    if (gap > 0 && gap < 3 * (region[index]?.size ?? 0)) gaps.push(gap);
  }
  gaps.sort((one, two) => one - two);
  return gaps[Math.floor(gaps.length * 0.4)] ?? 0;
}
