import { isItem, symbols, type TextStyle } from "./pieces.ts";

const odd = /[\u0001-\u0008\u000e-\u001f\ufffd\ue000-\uf8ff]/g;

/** Whether most characters of a text have no meaning, other than the known ones of symbol fonts. */
function isOdd(text: string): boolean {
  const marks = text.match(odd) ?? [];
  return marks.filter((character) => symbols[character] === undefined).length * 2 > text.trim().length;
}

/** The items, those in such fonts with a mark in place of every character: their text says nothing. */
export function maskUnmappedText(items: readonly unknown[], fonts: ReadonlySet<string>): readonly unknown[] {
  if (fonts.size === 0) return items;
  return items.map((item) =>
    isItem(item) && fonts.has(item.fontName) ? { ...item, str: item.str.replace(/\S/g, "\ufffd") } : item,
  );
}

/**
 * Fonts that do not say which letters they draw, with a word set in them: the file has no map for them, or
 * most of their text is characters without a meaning. A lone glyph is a bullet.
 */
export function unmappedFonts(
  items: readonly unknown[],
  styles: Readonly<Record<string, TextStyle>>,
): ReadonlySet<string> {
  const votes = new Map<string, number>();
  const worded = new Set<string>();
  for (const item of items) {
    const length = isItem(item) ? item.str.trim().length : 0;
    if (!isItem(item) || length === 0) continue;
    const { str, fontName } = item;
    const vote = styles[fontName]?.isUnmapped === true || isOdd(str) ? length : -length;
    votes.set(fontName, (votes.get(fontName) ?? 0) + vote);
    if (length > 1) worded.add(fontName);
  }
  return new Set([...worded].filter((font) => (votes.get(font) ?? 0) > 0));
}
