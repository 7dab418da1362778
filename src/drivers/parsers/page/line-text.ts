/** The beginning of a list item. */
export const bullet = /^(?:[•●▪◦‣∙·■□➢✓*]|[-–—+»](?=\s)|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)](?=\s))\s*/;
/** The end of a sentence, closing marks included. */
export const sentenceEnd = /[.!?:]["”’)\]]*$/;
/** The beginning of a caption of a figure or table. */
export const caption =
  /^(?:figure|fig\.|table|exhibit|chart|listing|algorithm|abbildung|tabelle|tableau)\s+[\dA-Z][\d.\-A-Z]*\s*[:.–—|]/i;
/** A section's number before its title. */
export const sectionNumber =
  /^(?:(?:chapter|section|part|item|appendix|note)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z])[.)]?\s+\S/i;
/** The beginning of a footnote. */
export const noteMark = /^(?:[*†‡§¶]{1,3}|[¹²³⁰-⁹]{1,3}|\(?\d{1,3}\)?)\s*(?=[\p{L}“"(])/u;

/** Letters and digits only, in lower case: what two spellings of a heading share. */
export function normalizeHeading(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Ends a line within a word that is written without a hyphen. */
const softHyphen = "\u00ad";

/**
 * Adds every pair of words with a hyphen between them, so that a line break at such a hyphen keeps it, and
 * the soft hyphen of a document that breaks its words with it.
 */
export function collectHyphenated(text: string, words: Set<string>): void {
  if (text.endsWith(softHyphen)) words.add(softHyphen);
  if (!text.includes("-")) return;
  for (const [word] of text.toLowerCase().matchAll(/(?<!\p{L})\p{L}+(?:-\p{L}+)+/gu)) {
    const parts = word.split("-");
    for (let index = 1; index < parts.length; index++) words.add(`${parts[index - 1]}-${parts[index]}`);
  }
}

/**
 * Joins two lines of one paragraph. A word broken at the line's end is mended unless it is written with its
 * hyphen elsewhere, or the document breaks words otherwise. After a single letter, before a capital and next
 * to a figure the hyphen belongs to the word.
 */
export function join(left: string, right: string, words: ReadonlySet<string>): string {
  if (left.endsWith(softHyphen)) return left.slice(0, -1) + right;
  if (!left.endsWith("-") && !left.endsWith("‐")) return `${left} ${right}`;
  if (!/[\p{L}\p{N}][-‐]$/u.test(left.slice(-3)) || !/^[\p{L}\p{N}]/u.test(right)) return `${left} ${right}`;
  const head = /(?<![\p{L}\p{N}])(\p{L}{2,})[-‐]$/u.exec(left.slice(-60))?.[1];
  const tail = /^\p{Ll}+/u.exec(right)?.[0];
  if (head === undefined || tail === undefined || words.has(softHyphen)) return left + right;
  return words.has(`${head}-${tail}`.toLowerCase()) || /\p{L}-\p{L}+[-‐]$/u.test(left.slice(-80))
    ? left + right
    : left.slice(0, -1) + right;
}
const number =
  /^[($€£¥+\-–—~<>]*\s*(?:[$€£¥]\s*)?(?:\(\s*)?[.,]*\d[\d.,]*\s*(?:\)\s*)?(?:(?:%|x|bps|[a-z]|\*+|\(\w\))\s*)?\)?(?:\[\d{1,3}(?:,\s?\d{1,3})*\])?$|^[—–-]+$|^n\/[am]$/i;
/** Letters that mean "no figure"; in lower case they are a unit. */
const none = /^N[AM]$/;

/** Whether a cell holds a figure, with the mark of a note or without, a dash standing for none, or `N/A`. */
export function isNumeric(text: string): boolean {
  return text.length <= 24 && (number.test(text) || none.test(text));
}

/** Whether a cell holds a year: a figure that heads a column as often as it fills one. */
export function isYear(text: string): boolean {
  return /^(19|20)\d\d(\s*\(\w\)|\[\d{1,3}\])?$/.test(text);
}
