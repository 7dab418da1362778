/** Longest line of a page, characters. */
const lineLength = 100;
/** A word that would begin a list, a heading or a quotation at the start of a line. */
const beginsBlock = /^(?:[-+*>]|#{1,6}|\d{1,9}[.)])$/;

/** `text` as a paragraph of lines of at most 100 characters; a code span or a link stays on one line. */
export function paragraph(text: string, first = "", next = ""): string {
  const lines = [first];
  for (const word of text.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`])+/g) ?? []) {
    const line = lines.at(-1) ?? "";
    const isStart = line === first || line === next;
    if (isStart || line.length + 1 + word.length <= lineLength || beginsBlock.test(word))
      lines[lines.length - 1] = isStart ? line + word : `${line} ${word}`;
    else lines.push(next + word);
  }
  return lines.join("\n");
}

/** An item of a list. */
export const item = (text: string): string => paragraph(text, "- ", "  ");

/** Plain text as Markdown that shows it as it is; code spans stay code. */
export const escaped = (text: string): string =>
  text.replace(/`[^`]*`|[<*|]/g, (found) => (found.length > 1 ? found : `\\${found}`));

/** A sentence: with a capital first letter and a full stop. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?:]$/.test(text) ? "" : "."}`;
