import type { Block } from "../../../core/documents/document.ts";
import { tableBlock } from "../blocks.ts";

/** A text in markup while it is read: what is taken out of it leaves blank lines, so that lines keep their numbers. */
export interface NotebookPage {
  readonly lines: string[];
  /** Tables with their captions. */
  readonly blocks: Block[];
}

/** A row of a table. */
export interface SourceRow {
  readonly cells: readonly string[];
  /** Of its first line, from 1. */
  readonly number: number;
}

/** Makes lines of a page, from the index `from` to before `end`, a table with a caption. */
export function takeTable(
  { lines, blocks }: NotebookPage,
  [from, end]: readonly [number, number],
  rows: readonly SourceRow[],
  headerRows: number,
  caption = "",
): void {
  if (rows.length === 0) return;
  const place = { unit: "line", number: from + 1 } as const;
  const table = {
    rows: rows.map(({ cells }) => cells),
    headerRows: Math.min(headerRows, rows.length - 1),
    rowNumbers: rows.slice(headerRows).map(({ number }) => number),
  };
  if (caption !== "") blocks.push({ kind: "caption", text: caption, pages: [], place });
  blocks.push({ ...tableBlock(table, []), place });
  lines.fill("", from, end);
}
