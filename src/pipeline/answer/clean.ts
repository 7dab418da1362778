/**
 * Zero-width, bidirectional, control, tag, filler and private-use characters and variation selectors: a model
 * reads what a person cannot see.
 */
const invisible =
  /[\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000E-\u001F\u007F-\u009F]/gu;

/**
 * Text as a person sees it: no hidden characters, every line break a `\n`, and words rejoined where a soft
 * hyphen broke them at the end of a line.
 */
export function normalizeVisibleText(text: string): string {
  return text
    .replace(/\r\n?|[\u000B\u000C\u0085\u2028\u2029]/g, "\n")
    .replace(/\u00AD\n/g, "")
    .replace(invisible, "");
}

/** Retrieved text without hidden characters and without bracketed numbers that could pass for our markers. */
export function sanitizePassage(text: string): string {
  return normalizeVisibleText(text).replace(/[[［【]\s*(\d[\d\s,;–-]*)[\]］】]/g, "($1)");
}

/** Retrieved text, cleaned, on one line. */
export const cleanLine = (text: string): string => sanitizePassage(text).replace(/\s+/g, " ").trim();
