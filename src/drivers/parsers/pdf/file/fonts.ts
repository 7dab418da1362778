import { isReference, type PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";

/** Whether a map to letters names any. */
function mapsLetters(objects: PdfObjects, map: PdfValue | undefined): boolean {
  if (!isReference(map)) return false;
  const bytes = objects.stream(map);
  // One that is packed in a way not known here is believed.
  return bytes === undefined || Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("beginbf");
}

/**
 * Whether a font draws glyphs by their numbers and says nowhere which letters these are: its text is made of
 * the numbers, whatever the page shows.
 */
export function drawsByNumber(objects: PdfObjects, value: PdfValue | undefined): boolean {
  const font = objects.dictionary(value);
  const encoding = objects.resolve(font?.get("/Encoding"));
  if (typeof encoding !== "string" || !encoding.startsWith("/Identity")) return false;
  const families = objects.resolve(font?.get("/DescendantFonts"));
  const face = Array.isArray(families) ? objects.dictionary(families[0]) : undefined;
  const system = objects.dictionary(face?.get("/CIDSystemInfo"));
  const ordering = objects.string(system?.get("/Ordering"));
  if (ordering === undefined || Buffer.from(ordering).toString("latin1") !== "Identity") return false;
  // With a table of their own from number to glyph, the numbers are letters more often than not.
  if (objects.dictionary(face?.get("/CIDToGIDMap")) !== undefined) return false;
  const descriptor = objects.dictionary(face?.get("/FontDescriptor"));
  // Of a font that the file does not hold, pdf.js knows the usual order of glyphs.
  if (!["/FontFile", "/FontFile2", "/FontFile3"].some((name) => descriptor?.has(name))) return false;
  return !mapsLetters(objects, font?.get("/ToUnicode"));
}
