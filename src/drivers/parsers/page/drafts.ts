import type { Block, Box, Table } from "../../../core/documents/document.ts";
import { tableText } from "../../../core/documents/table-text.ts";
import type { PageRegions } from "./furniture.ts";
import type { Line } from "./lines.ts";
import { createNumberingLevels } from "./numbering.ts";

/** A block that may still grow. */
export interface BlockDraft {
  kind: Block["kind"];
  text: string;
  readonly pages: number[];
  level?: number;
  readonly size: number;
  /** The paragraph's last line ran to the edge of its region: it may continue elsewhere. */
  open: boolean;
  table?: Table;
  readonly boxes: { page: number; left: number; top: number; right: number; bottom: number }[];
  readonly confidence?: number;
}

/** Takes a line's place into the draft's page list and boxes. */
export function addPlace(draft: BlockDraft, line: Line, page: PageRegions): void {
  if (!draft.pages.includes(page.number)) draft.pages.push(page.number);
  if (!page.placed || line.y > page.height + 500) return;
  const [top, bottom] =
    line.table === undefined
      ? [line.y - line.size, line.y + line.size * 0.25]
      : [line.y, line.bottom ?? line.y];
  const box = draft.boxes.at(-1);
  if (box?.page !== page.number) {
    draft.boxes.push({ page: page.number, left: line.x0, top, right: line.x1, bottom });
    return;
  }
  box.left = Math.min(box.left, line.x0);
  box.right = Math.max(box.right, line.x1);
  box.top = Math.min(box.top, top);
  box.bottom = Math.max(box.bottom, bottom);
}

/** A draft of the block that starts at the line. */
export function draftOf(
  kind: Block["kind"],
  line: Line,
  page: PageRegions,
  text: string = line.text,
): BlockDraft {
  const { confidence } = page;
  const draft: BlockDraft = {
    kind,
    text,
    pages: [],
    size: line.size,
    open: false,
    boxes: [],
    ...(confidence === undefined ? {} : { confidence }),
  };
  addPlace(draft, line, page);
  return draft;
}

function sameRow(one: readonly string[] | undefined, two: readonly string[] | undefined): boolean {
  return (
    one !== undefined && two !== undefined && one.join("|").toLowerCase() === two.join("|").toLowerCase()
  );
}

/**
 * Joins a table with its continuation on the next page and drops the repeated header; undefined where the
 * second is a separate table.
 */
export function continueTable(first: Table, second: Table): Table | undefined {
  const width = first.rows[0]?.length ?? 0;
  if (width < 2 || second.rows[0]?.length !== width) return undefined;
  const headers = first.rows.slice(0, Math.max(1, first.headerRows));
  const repeats = first.headerRows > 0 && headers.every((row, index) => sameRow(row, second.rows[index]));
  if (!repeats && second.headerRows > 0 && first.headerRows > 0) {
    // The supposed header may be the first row: a header repeats no text and holds no figure.
    return undefined;
  }
  const skip = repeats ? headers.length : 0;
  const shift = first.rows.length - skip;
  const spans = [
    ...(first.spans ?? []),
    ...(second.spans ?? [])
      .filter(({ row }) => row >= skip)
      .map((span) => ({ ...span, row: span.row + shift })),
  ];
  return {
    ...first,
    rows: [...first.rows, ...second.rows.slice(skip)],
    ...(spans.length === 0 ? {} : { spans }),
  };
}

/**
 * Longest text that is a heading by its looks alone, in characters; several such lines that follow each other
 * are a paragraph.
 */
const maxHeading = 180;

/**
 * The drafts as blocks: heading sizes become levels, largest first, those of one numbering one level; outline
 * entries and tags keep the level the document gives.
 */
export function finishDrafts(drafts: readonly BlockDraft[], bodySize: number): Block[] {
  for (const draft of drafts) {
    if (draft.kind === "heading" && draft.level === undefined && draft.text.length > maxHeading)
      draft.kind = "paragraph";
  }
  const large = drafts.filter(({ kind, size }) => kind === "heading" && size > bodySize * 1.12);
  // What only the title page uses says nothing about the levels below.
  const inside = large.filter(({ pages }) => (pages[0] ?? 1) > 1);
  const ranked = [...new Set((inside.length > 3 ? inside : large).map(({ size }) => Math.round(size)))].sort(
    (one, two) => two - one,
  );
  const numbering = createNumberingLevels();
  const levelOf = (draft: BlockDraft) => {
    const isBodySize = draft.size <= bodySize * 1.12;
    const above = isBodySize ? ranked.length : ranked.filter((size) => size > Math.round(draft.size)).length;
    const level = Math.min(6, draft.level ?? above + 1);
    const numbered = numbering(draft.text, level);
    return draft.level === undefined ? numbered : level;
  };
  const round = ({ page, left, top, right, bottom }: Box): Box => {
    const [x0, y0, x1, y1] = [left, top, right, bottom].map((value) => Math.round(value * 10) / 10);
    return { page, left: x0 ?? 0, top: y0 ?? 0, right: x1 ?? 0, bottom: y1 ?? 0 };
  };
  return drafts
    .map((draft): Block => {
      const { kind, pages, table, boxes, confidence } = draft;
      return {
        kind,
        text: table === undefined ? draft.text : tableText(table.rows),
        ...(kind === "heading" ? { level: levelOf(draft) } : {}),
        pages,
        ...(table === undefined ? {} : { table }),
        ...(boxes.length === 0 ? {} : { boxes: boxes.map(round) }),
        ...(confidence === undefined ? {} : { confidence: Math.round(confidence * 1000) / 1000 }),
      };
    })
    .filter((block) => block.text.trim() !== "");
}
