import { rowNumbersOf } from "../core/documents/cells.ts";
import {
  type Block,
  type DocumentTable,
  type ParsedContent,
  rowsPerBlock,
  type Table,
} from "../core/documents/document.ts";

/** A table and the ones that continue it. */
interface Parts {
  readonly first: DocumentTable;
  readonly others: Table[];
  readonly pages: Set<number>;
  /** Whether nothing stands between them and what comes next. */
  isOpen: boolean;
}

/**
 * Whether a table continues in the next one: a long sheet is cut into blocks that repeat its header, and a
 * table over several pages repeats it too.
 */
function goesOn({ first, others, isOpen }: Parts, next: Table): boolean {
  const headerOf = ({ rows, headerRows }: Table): string => JSON.stringify(rows.slice(0, headerRows));
  const last = others.at(-1) ?? first;
  const isCut =
    first.sheet === undefined && first.range === undefined
      ? isOpen && first.headerRows > 0
      : (last.rows.length - last.headerRows) % rowsPerBlock === 0;
  return isCut && last.sheet === next.sheet && headerOf(last) === headerOf(next);
}

/** A table joined with the rows of its continuations. */
function joined({ first, others, pages }: Parts): DocumentTable {
  const placed = pages.size === 0 ? first : { ...first, pages: [...pages] };
  if (others.length === 0) return placed;
  const rows = [first.rows, ...others.map((part) => part.rows.slice(part.headerRows))].flat();
  const isGrid = first.range !== undefined || first.rowNumbers !== undefined;
  return { ...placed, rows, ...(isGrid ? { rowNumbers: [first, ...others].flatMap(rowNumbersOf) } : {}) };
}

/** Longest caption or heading that names a table, in characters. */
const longestCaption = 120;

/**
 * A table that begins at a block: with the caption above it, or the one below it that no other table follows,
 * or else the heading above it.
 */
function beginAt(blocks: readonly Block[], at: number, table: Table, above: string): Parts {
  const [before, below, next] = [blocks[at - 1], blocks[at + 1], blocks[at + 2]];
  const isBelow = before?.kind !== "caption" && below?.kind === "caption" && next?.table === undefined;
  const caption = (isBelow ? below.text : above).slice(0, longestCaption);
  const isSheet = table.sheet !== undefined || caption === "";
  return { first: isSheet ? table : { ...table, caption }, others: [], pages: new Set(), isOpen: true };
}

const close = (parts: Parts | undefined): void => {
  if (parts !== undefined) parts.isOpen = false;
};

/** The tables of blocks that have rows, each whole; of a text with the caption or the heading beside them. */
export function mergeTables(blocks: readonly Block[]): readonly DocumentTable[] {
  const found: Parts[] = [];
  let above = "";
  for (const [at, { kind, text, pages, table }] of blocks.entries()) {
    if (kind === "heading" || kind === "caption") above = text;
    const open = found.at(-1);
    if (table === undefined || table.rows.length <= table.headerRows) {
      close(open);
      continue;
    }
    const parts = open !== undefined && goesOn(open, table) ? open : beginAt(blocks, at, table, above);
    if (parts === open) open.others.push(table);
    else found.push(parts);
    for (const page of pages) parts.pages.add(page);
  }
  return found.map(joined);
}

/** The tables of a document, each whole: those of its blocks, then those that no block has. */
export const documentTables = ({ blocks, tables = [] }: ParsedContent): readonly DocumentTable[] => [
  ...mergeTables(blocks),
  ...tables,
];
