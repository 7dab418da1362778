import type { PageFacts } from "./drawing.ts";
import { multiply } from "./geometry.ts";
import { isItem, type Sheet, startKey, symbols, type TextItem } from "./pieces.ts";

const odd = /[\u0001-\u0008\u000e-\u001f\ufffd\ue000-\uf8ff]/g;

/** Whether most of a text is characters without a meaning, but for those that symbol fonts are known to have. */
function isOdd(text: string): boolean {
  const marks = text.match(odd) ?? [];
  return marks.filter((character) => symbols[character] === undefined).length * 2 > text.trim().length;
}

/** The items, those in such fonts with a mark in place of every character: their text says nothing. */
export function withoutText(items: readonly unknown[], fonts: ReadonlySet<string>): readonly unknown[] {
  if (fonts.size === 0) return items;
  return items.map((item) =>
    isItem(item) && fonts.has(item.fontName) ? { ...item, str: item.str.replace(/\S/g, "\ufffd") } : item,
  );
}

/** Where text starts, with whether its font says which letters it draws; undefined where both kinds start. */
function startsOf({ visible }: PageFacts): ReadonlyMap<string, boolean | undefined> {
  const starts = new Map<string, boolean | undefined>();
  if (visible.every(({ isMapped }) => isMapped)) return starts;
  for (const { x, y, isMapped } of visible) {
    const key = startKey(x, y);
    starts.set(key, starts.has(key) && starts.get(key) !== isMapped ? undefined : isMapped);
  }
  return starts;
}

/**
 * Fonts that do not say which letters they draw, with a word set in them: most of their text starts where such
 * a font is used, or is made of characters without a meaning. A lone glyph is a bullet.
 */
export function unmappedFonts(
  items: readonly unknown[],
  facts: PageFacts | undefined,
  { viewport }: Sheet,
): ReadonlySet<string> {
  const starts = facts === undefined ? new Map<string, boolean>() : startsOf(facts);
  const votes = new Map<string, number>();
  const worded = new Set<string>();
  const voteOf = ({ str, transform: [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] }: TextItem): number => {
    if (isOdd(str)) return 1;
    if (starts.size === 0) return -1;
    const [, , , , x, y] = multiply([a, b, c, d, e, f], viewport);
    const isMapped = starts.get(startKey(x, y));
    return isMapped === undefined ? 0 : isMapped ? -1 : 1;
  };
  for (const item of items) {
    const length = isItem(item) ? item.str.trim().length : 0;
    if (!isItem(item) || length === 0) continue;
    votes.set(item.fontName, (votes.get(item.fontName) ?? 0) + voteOf(item) * length);
    if (length > 1) worded.add(item.fontName);
  }
  return new Set([...worded].filter((font) => (votes.get(font) ?? 0) > 0));
}
