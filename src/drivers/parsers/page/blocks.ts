import type { Block } from "../../../core/documents/document.ts";
import { type BlockDraft, finishDrafts } from "./drafts.ts";
import type { PageRegions } from "./furniture.ts";
import { createHeadingLevels, type OutlineEntry } from "./headings.ts";
import { readRegion } from "./region.ts";
import { bodyFonts, type PageStyle } from "./style.ts";

/** Makes blocks of pages that come one by one in order. */
export interface BlockBuilder {
  push(page: PageRegions): void;
  finish(): Block[];
}

/**
 * Builds the blocks of a document in reading order:
 * 1. the lines of every region become blocks (`region.ts`);
 * 2. a paragraph that stops in mid-sentence continues in the next region or page, past anything in smaller
 *    type between them; a table continues on the next page where nothing comes between;
 * 3. heading sizes become levels at the end.
 */
export function createBlockBuilder(outline: readonly OutlineEntry[], style: PageStyle): BlockBuilder {
  const drafts: BlockDraft[] = [];
  const givenLevel = createHeadingLevels(outline);
  const { hyphenated } = style;
  return {
    push(page) {
      const body = style.body();
      const context = { page, body, usual: bodyFonts(page, body), givenLevel, hyphenated, drafts };
      for (const region of page.regions) readRegion(region, context);
      const loose = { size: body.size, open: false };
      for (const text of page.pictures)
        drafts.push({ ...loose, boxes: [], pages: [page.number], kind: "picture", text });
      for (const text of page.notes)
        drafts.push({ ...loose, boxes: [], pages: [page.number], kind: "paragraph", text });
    },
    finish: () => finishDrafts(drafts, style.body().size),
  };
}
