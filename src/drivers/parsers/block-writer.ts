import type { Block } from "../../core/documents/document.ts";
import { tableBlock } from "./blocks.ts";
import { type GridCell, layOutGrid } from "./grid.ts";

/** Writes the blocks of a document in order; what has no text is left out. */
export interface BlockWriter {
  readonly blocks: Block[];
  add(kind: Block["kind"], text: string, level?: number): void;
  /** Adds an item to the list, which grows until something else is added. */
  item(depth: number, mark: string, text: string): void;
  /** Adds a table from its cells; `headerRows` undefined: guessed. */
  table(rows: readonly (readonly GridCell[])[], headerRows?: number): void;
  /** Ends the list. */
  end(): void;
}

/** Opens a writer of blocks on these pages. */
export function blockWriter(pages: readonly number[] = []): BlockWriter {
  const blocks: Block[] = [];
  let items: string[] = [];
  const push = (block: Block): void => {
    if (block.text.trim() !== "") blocks.push(block);
  };
  const end = (): void => {
    push({ kind: "list", text: items.join("\n"), pages });
    items = [];
  };
  return {
    blocks,
    add(kind, text, level) {
      end();
      push({ kind, text, pages, ...(level === undefined ? {} : { level }) });
    },
    item(depth, mark, text) {
      items.push(`${"  ".repeat(depth)}${mark} ${text.replace(/\n/g, " ")}`);
    },
    table(rows, headerRows) {
      end();
      push(tableBlock(layOutGrid(rows, headerRows), pages));
    },
    end,
  };
}
