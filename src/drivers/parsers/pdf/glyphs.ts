/** The parts of a pdf.js font that say which letters its glyphs represent. */
export interface GlyphFont {
  readonly composite?: boolean;
  readonly isType3Font?: boolean;
  /** Letters, or the code point of one. */
  readonly toUnicode: { get(code: number): string | number | undefined };
  /** Codes that draw something. */
  readonly toFontChar: { has(code: number): boolean };
  readonly differences?: ReadonlyMap<number, string>;
  /** Names of the glyphs in the font program, where it holds any, and the glyph of each code. */
  readonly glyphs?: {
    readonly names?: readonly unknown[];
    readonly ofCode: ReadonlyMap<number, number>;
  };
}

/** The code point of a named glyph, -1 where the name is not known. */
type Known = (name: string) => number;

/** Placeholder for a glyph whose letters the file does not give; `page/holes.ts` looks further. */
const hole = "\ufffd";

/**
 * The letters of a name such as `t_i`, `f_f_i.alt` or `uni00740069`. Source: Adobe Glyph List Specification.
 */
function lettersOfName(name: string, known: Known): string | undefined {
  const [base = ""] = name.split(".");
  let letters = "";
  for (const part of base.split("_")) {
    const codes = /^uni(?:[\dA-F]{4})+$/.test(part) ? (part.match(/[\dA-F]{4}/g) ?? []) : [];
    const code = known(part);
    if (codes.length > 0)
      letters += codes.map((each) => String.fromCharCode(Number.parseInt(each, 16))).join("");
    else if (code > 31) letters += String.fromCodePoint(code);
    else return undefined;
  }
  return letters;
}

/** Whether a font gives most of its glyphs the names that everybody gives them. */
function usesKnownNames({ glyphs, differences }: GlyphFont, known: Known): boolean {
  const names = [...(glyphs?.names ?? []), ...(differences?.values() ?? [])].filter(
    (name): name is string => typeof name === "string" && name !== ".notdef",
  );
  return names.filter((name) => lettersOfName(name, known) !== undefined).length * 2 > names.length;
}

function named(font: GlyphFont, code: number, known: Known): string | undefined {
  const name = font.differences?.get(code) ?? font.glyphs?.names?.[font.glyphs.ofCode.get(code) ?? -1];
  if (typeof name !== "string") return undefined;
  // Some writers name a ligature by its letters, without a mark between them.
  return (
    lettersOfName(name, known) ??
    (/^[A-Za-z]{2,3}$/.test(name) && usesKnownNames(font, known) ? name : undefined)
  );
}

/**
 * The letters that a code of a font represents: from its map, else from the glyph's name; `hole` where a
 * glyph is drawn and neither says. Undefined leaves it to pdf.js, which takes the code for a letter.
 */
export function readGlyph(font: GlyphFont, code: number, known: Known): string | undefined {
  const entry = font.toUnicode.get(code);
  const stated = typeof entry === "number" ? String.fromCodePoint(entry) : entry;
  const isStated = stated !== undefined && stated !== "" && stated !== hole && !stated.includes("\0");
  if (isStated) return stated;
  const letters = named(font, code, known);
  if (letters !== undefined) return letters;
  if (font.isType3Font !== true && !font.toFontChar.has(code)) return undefined;
  if (stated !== undefined) return hole;
  const isLetter = font.composite !== true && (font.isType3Font === true || code > 31);
  return isLetter ? undefined : hole;
}
