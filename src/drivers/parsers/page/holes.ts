import { isItem, type Piece, type TextItem } from "./pieces.ts";

/** Placeholder for a glyph whose letters the file does not give. */
const hole = "\ufffd";

/** Text that the page says a run of items shows. */
interface Said {
  readonly type: "beginActualText" | "endActualText";
  readonly text?: string;
}

function isSaid(item: unknown): item is Said {
  return (
    typeof item === "object" && item !== null && "type" in item && String(item.type).endsWith("ActualText")
  );
}

const hasHole = (item: unknown): item is TextItem => isItem(item) && item.str.includes(hole);

/** Distance from the end of the first item to the second, in sizes of its type; infinite on another line. */
function gap(one: TextItem, two: TextItem): number {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = one.transform;
  const [a2 = 0, b2 = 0, , , x2 = 0, y2 = 0] = two.transform;
  const length = Math.hypot(a, b);
  const size = Math.hypot(c, d);
  if (length === 0 || size === 0 || one.hasEOL || Math.hypot(a - a2, b - b2) > 0.01 * length)
    return Number.POSITIVE_INFINITY;
  const along = ((x2 - x) * a + (y2 - y) * b) / length;
  const across = ((y2 - y) * a - (x2 - x) * b) / length;
  return Math.abs(across) > 0.05 * size ? Number.POSITIVE_INFINITY : (along - one.width) / size;
}

const joined = (one: TextItem, two: TextItem, str: string): TextItem => {
  const [, , c = 0, d = 0] = one.transform;
  const width = one.width + gap(one, two) * Math.hypot(c, d) + two.width;
  return { ...one, str, width, hasEOL: two.hasEOL };
};

/**
 * Replaces a run of items by one item with the page's own text for it (ActualText), where the run holds a
 * hole.
 */
function heard(run: readonly unknown[], text: string): readonly unknown[] {
  const [first, ...rest] = run.filter(isItem).filter(({ str }) => str !== "");
  if (first === undefined || !run.some(hasHole)) return run;
  let whole = first;
  for (const item of rest) {
    if (!Number.isFinite(gap(whole, item))) return run;
    whole = joined(whole, item, "");
  }
  return run.flatMap((item) => (item === first ? [{ ...whole, str: text }] : isItem(item) ? [] : [item]));
}

/** Removes the marks of ActualText from the items and applies its text where glyphs are unknown. */
function withSaid(items: readonly unknown[]): readonly unknown[] {
  if (!items.some(isSaid)) return items;
  const out: unknown[] = [];
  const open: { readonly text: string; readonly at: number }[] = [];
  for (const item of items) {
    if (!isSaid(item)) out.push(item);
    else if (item.type === "beginActualText") open.push({ text: item.text ?? "", at: out.length });
    else {
      const run = open.pop();
      if (run !== undefined) out.push(...heard(out.splice(run.at), run.text));
    }
  }
  return out;
}

/**
 * Fills glyphs that the fonts do not name from the page's ActualText. What remains unknown is joined with the
 * letters around it so that the word is seen whole.
 */
export function fillFromActualText(items: readonly unknown[]): readonly unknown[] {
  const told = withSaid(items);
  if (!told.some(hasHole)) return told;
  const out: unknown[] = [];
  for (const item of told) {
    const before = out.at(-1);
    const isWord =
      isItem(item) &&
      isItem(before) &&
      (hasHole(item) || hasHole(before)) &&
      item.fontName === before.fontName &&
      Math.abs(gap(before, item)) < 0.1;
    if (isWord) out[out.length - 1] = joined(before, item, before.str + item.str);
    else out.push(item);
  }
  return out;
}

/**
 * The items without unknown glyphs that belong to no word: bullets, boxes and rules; but for those of
 * `fonts`.
 */
export function dropIsolatedUnknownGlyphs(
  items: readonly unknown[],
  fonts: ReadonlySet<string>,
): readonly unknown[] {
  return items.map((item) => {
    if (!hasHole(item) || fonts.has(item.fontName)) return item;
    const str = item.str
      .split(/(\s+)/)
      .map((word) => (/[\p{L}\p{N}]/u.test(word) ? word : word.replaceAll(hole, " ")))
      .join("");
    return { ...item, str };
  });
}

/** Whether a word that OCR read is in the place of a piece. */
export function overlapsPiece(word: Piece, { x0, x1, y, size }: Piece): boolean {
  const middle = (word.x0 + word.x1) / 2;
  return middle > x0 - size && middle < x1 + size && Math.abs(word.y - y) < 0.5 * size;
}

/** Most letters that one glyph represents. */
const mostLetters = 3;

/** Whether a word is another whose holes are filled. */
function fills(word: string, holed: string): boolean {
  const parts = holed.split(hole);
  const last = parts.at(-1) ?? "";
  const known = holed.length - parts.length + 1;
  const missing = word.length - known;
  if (missing < parts.length - 1 || missing > mostLetters * (parts.length - 1)) return false;
  let at = 0;
  for (const [index, part] of parts.slice(0, -1).entries()) {
    const found = index === 0 ? (word.startsWith(part) ? 0 : -1) : word.indexOf(part, at + 1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return word.endsWith(last) && word.length - last.length > at;
}

/** Replaces words with unknown glyphs by the words that OCR read in the same places. */
export function fillUnknownGlyphs(pieces: readonly Piece[], seen: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece) => {
    if (!piece.text.includes(hole)) return piece;
    const near = seen.filter((word) => overlapsPiece(word, piece));
    const length = (piece.x1 - piece.x0) / piece.text.length;
    let at = 0;
    const text = piece.text.split(/(\s+)/).map((word) => {
      const middle = piece.x0 + (at + word.length / 2) * length;
      at += word.length;
      if (!word.includes(hole)) return word;
      const distance = ({ x0, x1 }: Piece) => Math.abs((x0 + x1) / 2 - middle);
      const [best] = near
        .filter((other) => fills(other.text, word))
        .sort((one, two) => distance(one) - distance(two));
      return best === undefined || distance(best) > 4 * piece.size ? word : best.text;
    });
    return { ...piece, text: text.join("") };
  });
}

/** Whether a page's text still has glyphs that nothing names. */
export const hasUnknownGlyphs = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ text }) => text.includes(hole));
