import { type Dict, isDict, isStream, nameOf } from "./pdfjs.ts";

/**
 * Whether a font draws glyphs by their numbers without saying which letters these are: its text then consists
 * of the numbers, whatever the page shows.
 */
export function isUnmappedFont(font: Dict): boolean {
  if (!nameOf(font.get("Encoding")).startsWith("Identity")) return false;
  const families = font.getArray("DescendantFonts");
  const face: unknown = Array.isArray(families) ? families[0] : undefined;
  if (!isDict(face)) return false;
  const system = face.get("CIDSystemInfo");
  if (!isDict(system) || system.get("Ordering") !== "Identity") return false;
  // With an embedded table from number to glyph, the numbers usually are letters.
  if (isStream(face.get("CIDToGIDMap"))) return false;
  const descriptor = face.get("FontDescriptor");
  // Of a font that the file does not hold, pdf.js knows the usual order of glyphs.
  if (!isDict(descriptor) || !["FontFile", "FontFile2", "FontFile3"].some((name) => descriptor.has(name)))
    return false;
  const letters = font.get("ToUnicode");
  return !isStream(letters) || !letters.getString().includes("beginbf");
}
