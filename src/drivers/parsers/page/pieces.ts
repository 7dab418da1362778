import type { Table } from "../../../core/documents/document.ts";
import type { OcrPage } from "../options.ts";
import { resolveRaised } from "../raised.ts";
import type { PageFacts } from "./drawing.ts";
import { type Matrix, multiply } from "./geometry.ts";

/** A run of text as pdf.js reports it: `transform` is [a, b, c, d, x, y] in the page's own space. */
export interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly fontName: string;
  readonly hasEOL: boolean;
}

/** What pdf.js says of a font. */
export interface TextStyle {
  readonly fontFamily: string;
  /** Set downwards, in columns. */
  readonly vertical?: boolean;
  /** It draws glyphs by their numbers, and the file does not say which letters these are. */
  readonly isUnmapped?: boolean;
}

/** A run of text where it is shown: points, y downwards from the top; `y` is its baseline. */
export interface Piece {
  text: string;
  x0: number;
  x1: number;
  y: number;
  size: number;
  font: string;
  /** Set in a face whose letters all have one width. */
  mono: boolean;
  rtl: boolean;
  /** Role of the tagged element it belongs to, e.g. `H1`; "" where there is none. */
  role: string;
  /** Middle of text that runs up or down an upright page; x0, x1 and y say where it is read. */
  readonly sideways?: { readonly x: number; readonly y: number };
}

/** Text on one baseline without a wide gap. Points; `y` grows downwards from the page's top. */
export interface PageSegment {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  readonly font: string;
  readonly mono: boolean;
  readonly rtl: boolean;
  /** Role of the tagged element, e.g. `H1`; "" where there is none. */
  readonly role: string;
  /** A table found by its lines, in place of text; `bottom` is its lower edge. */
  readonly table?: Table;
  readonly bottom?: number;
}

export interface Pieces {
  readonly pieces: readonly Piece[];
  /** Invisible text on the page, e.g. the layer that a scanner's own OCR left. */
  readonly hidden: readonly Piece[];
  /** Characters that are off the page, or too small to be read. */
  readonly outside: number;
}

/** Whether a piece is set small and above the line of the one before it. */
export const isRaised = (piece: Piece, before: Piece): boolean =>
  piece.size < 0.85 * before.size && piece.y < before.y - 0.15 * before.size;

/** The text of a piece after the text of its line, in the same position to the line as the piece `before`. */
export const appendPieceText = (text: string, before: Piece, piece: Piece): string =>
  isRaised(piece, before) ? resolveRaised(text, piece.text) : piece.text;

export function isItem(item: unknown): item is TextItem {
  return typeof item === "object" && item !== null && "str" in item;
}

/** Bullets and boxes that symbol fonts put into the private use area. Source: Wingdings, Symbol encodings. */
export const symbols: Readonly<Record<string, string>> = {
  "\uf0b7": "•",
  "\uf0a7": "▪",
  "\uf0d8": "➢",
  "\uf0fc": "✓",
  "\uf076": "❖",
  "\uf06e": "■",
  "\uf06c": "●",
  "\uf06f": "☐",
  "\uf071": "☐",
  "\uf0a8": "☐",
  "\uf0fe": "☒",
  "\uf078": "☒",
  "\uf0e0": "→",
  "\uf0e8": "→",
};
const odd = /[\u0000-\u001f\u007f-\u00a0\u200b\ufeff\uf06c-\uf0fe\ufb00-\ufdff\ufe70-\ufefc]/;

/** Removes control characters and replaces ligatures and presentation forms by their letters. */
function clean(text: string): string {
  if (!odd.test(text)) return text;
  // A lone control character of a symbol font is a bullet.
  if (/^[\u0080-\u009f]$/.test(text)) return "•";
  return text
    .replace(/[\u0000-\u001f\u007f\u200b\ufeff\u00a0]/g, " ")
    .replace(/[\uf06c-\uf0fe]/g, (symbol) => symbols[symbol] ?? symbol)
    .replace(/[\ufb00-\ufdff\ufe70-\ufefc]/g, (form) => form.normalize("NFKC").trim());
}

/**
 * Degrees by which the page must be turned beyond its own rotation so that most of its text is upright: 0,
 * 90, 180 or 270.
 */
export function detectRotation(items: readonly unknown[], viewport: Matrix): number {
  const weights = [0, 0, 0, 0];
  for (const item of items) {
    if (!isItem(item) || item.str.length === 0) continue;
    const a = item.transform[0] ?? 0;
    const b = item.transform[1] ?? 0;
    const right = a * viewport[0] + b * viewport[2];
    const down = a * viewport[1] + b * viewport[3];
    const way = Math.abs(right) >= Math.abs(down) ? (right >= 0 ? 0 : 2) : down > 0 ? 3 : 1;
    weights[way] = (weights[way] ?? 0) + item.str.trim().length;
  }
  return weights.indexOf(Math.max(...weights)) * 90;
}

/**
 * The page that items are placed on: its size in points and the transform from their coordinates to the
 * displayed ones.
 */
export interface PageSheet {
  readonly viewport: Matrix;
  readonly width: number;
  readonly height: number;
}

/** A page with the displayed length of one unit of its own space. */
interface ScaledSheet extends PageSheet {
  readonly scale: number;
}

/** An item's text, cleaned and with its ligatures in the right order. */
function textOf(item: TextItem): string {
  const text = clean(item.str);
  // A ligature of lam and alef comes in the wrong order after an alef.
  return item.dir === "rtl" ? text.replace(/ا([أإآ])ل/g, "ال$1") : text;
}

/** Place of an item on the page as shown; undefined where it is off the page or too small to be seen. */
function placeOf(
  item: TextItem,
  page: ScaledSheet,
): Pick<Piece, "x0" | "x1" | "y" | "size" | "sideways"> | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = item.transform;
  const [right, down, across, up, x, y] = multiply([a, b, c, d, e, f], page.viewport);
  const size = across === 0 ? Math.abs(up) : Math.hypot(across, up);
  const isOutside = x < -2 || y < -2 || x > page.width + 2 || y > page.height + size;
  if (size < 1 || isOutside) return undefined;
  const length = item.width * page.scale;
  if (Math.abs(down) <= Math.abs(right)) return { x0: x, x1: x + length, y, size };
  // Sideways text on an upright page (a stamp in the margin) goes below the page, as a separate line.
  const sideways = { x: x + across * 0.3, y: y + (Math.sign(down) * length) / 2 };
  return { x0: x, x1: x, y: page.height + 1000 + x * 10, size, sideways };
}

/** Key of a text's start, the same for pdf.js and for the page's drawing. */
const startKey = (x: number, y: number): string => `${Math.round(x)}:${Math.round(y)}`;

/**
 * Returns a test whether the page's drawing hides the text at an item's start. An item may be made of several
 * texts: one visible text shows it whole.
 */
function openConcealment(facts: PageFacts | undefined, sheet: ScaledSheet): (item: TextItem) => boolean {
  if (facts === undefined || facts.hidden.length === 0) return () => false;
  const concealed = new Set(facts.hidden.map(({ x, y }) => startKey(x, y)));
  const seen = new Map<number, number[]>();
  for (const { x, y } of facts.visible) {
    concealed.delete(startKey(x, y));
    const row = seen.get(Math.round(y));
    if (row === undefined) seen.set(Math.round(y), [x]);
    else row.push(x);
  }
  return ({ transform: [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0], width }) => {
    const [, , , , x, y] = multiply([a, b, c, d, e, f], sheet.viewport);
    if (!concealed.has(startKey(x, y))) return false;
    const end = x + width * sheet.scale - 1;
    return !seen.get(Math.round(y))?.some((other) => other > x && other < end);
  };
}

/** The items that can be seen, placed as the page is shown. */
export function placeItems(
  items: readonly unknown[],
  sheet: PageSheet,
  styles: Readonly<Record<string, TextStyle>>,
  facts: PageFacts | undefined,
  roles: ReadonlyMap<string, string>,
): Pieces {
  const page = { ...sheet, scale: Math.hypot(sheet.viewport[0], sheet.viewport[1]) };
  const isConcealed = openConcealment(facts, page);
  const pieces: Piece[] = [];
  const hidden: Piece[] = [];
  const openRoles: string[] = [];
  let outside = 0;
  // A separate blank item, however narrow, divides words; it is trimmed where the next run is elsewhere.
  let isSpaced = false;
  for (const item of items) {
    if (!isItem(item)) {
      // An item without text is a mark of tagged content.
      const mark = item as { readonly type: string; readonly id?: string };
      if (mark.type.startsWith("begin")) openRoles.push(roles.get(mark.id ?? "") ?? "");
      else openRoles.pop();
      continue;
    }
    const text = textOf(item);
    if (text.trim() === "") {
      isSpaced ||= text !== "" && !item.hasEOL;
      continue;
    }
    const place = placeOf(item, page);
    if (place === undefined) {
      outside += text.trim().length;
      continue;
    }
    const mono = styles[item.fontName]?.fontFamily === "monospace";
    const role = openRoles.findLast((name) => name !== "") ?? "";
    const type = { font: item.fontName, mono, rtl: item.dir === "rtl", role };
    (isConcealed(item) ? hidden : pieces).push({ text: isSpaced ? ` ${text}` : text, ...place, ...type });
    isSpaced = false;
  }
  return { pieces, hidden, outside };
}

/** Takes the place of a font for words read by OCR. */
export const ocrFont = "ocr";

/**
 * Words read by OCR as pieces; `scale` is pixels a point. Sizes near the page's usual one become equal,
 * because OCR measures each line separately.
 */
export function placeWords(page: OcrPage, scale: number): Piece[] {
  const sizes = page.lines.map(({ size, words }) => ({
    size,
    letters: words.reduce((sum, word) => sum + word.text.length, 0),
  }));
  sizes.sort((one, two) => one.size - two.size);
  const all = sizes.reduce((sum, { letters }) => sum + letters, 0);
  let passed = 0;
  let usual = 0;
  for (const { size, letters } of sizes) {
    if (passed < all / 2) usual = size;
    passed += letters;
  }
  return page.lines.flatMap(({ words, baseline, size }) => {
    const height = (Math.abs(size - usual) < usual * 0.2 ? usual : size) / scale / 0.95;
    return words.map(({ text, left, right }) => {
      const place = { x0: left / scale, x1: right / scale, y: baseline / scale, size: height };
      return { text, ...place, font: ocrFont, mono: false, rtl: /^[\u0590-\u08ff]/.test(text), role: "" };
    });
  });
}
