/**
 * Zero-width, bidirectional, control, tag, filler and private-use characters and variation selectors:
 * invisible to a reader, not to a model.
 */
const invisible =
  /[\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000E-\u001F\u007F-\u009F]/gu;

/**
 * A text as a reader sees it: nothing hidden in it, every line break a `\n`, and words whole that a soft
 * hyphen breaks at a line's end.
 */
export function visible(text: string): string {
  return text
    .replace(/\r\n?|[\u000B\u000C\u0085\u2028\u2029]/g, "\n")
    .replace(/\u00AD\n/g, "")
    .replace(invisible, "");
}

/**
 * Retrieved text with nothing hidden in it and no bracketed number that could pass for one of our markers.
 */
export function clean(text: string): string {
  return visible(text).replace(/[[［【]\s*(\d[\d\s,;–-]*)[\]］】]/g, "($1)");
}

/** The same on one line. */
export const cleanLine = (text: string): string => clean(text).replace(/\s+/g, " ").trim();
