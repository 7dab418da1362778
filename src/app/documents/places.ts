import type { Block, Box, ParsedContent } from "../../core/documents/document.ts";
import { sentences } from "../../language/sentences.ts";

const plain = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Shorter texts, such as the number of a list item, may occur anywhere by chance. */
const shortest = 12;

/**
 * The place of a passage on its pages: the boxes of the blocks it was made from; empty where the format has
 * no positions.
 */
export function boxesOf(
  passage: string,
  pages: readonly number[],
  { blocks }: Pick<ParsedContent, "blocks">,
): readonly Box[] {
  const text = plain(passage);
  if (text === "") return [];
  return blocks
    .filter((block) => block.pages.some((page) => pages.includes(page)) && stands(block, text))
    .flatMap(({ boxes = [] }) => boxes)
    .filter(({ page }) => pages.includes(page));
}

/**
 * Whether a block is a part of a passage or holds it; long blocks are spread over passages by sentences and
 * rows.
 */
function stands(block: Block, passage: string): boolean {
  const whole = plain(block.text);
  if (whole === "") return false;
  if (passage.includes(whole) || whole.includes(passage)) return true;
  return sentences(block.text)
    .map(plain)
    .some((sentence) => sentence.length >= shortest && passage.includes(sentence));
}
