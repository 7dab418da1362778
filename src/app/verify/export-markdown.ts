import type { Chunk } from "../../core/documents/chunk.ts";
import type { Block, ParsedContent, Table } from "../../core/documents/document.ts";

const onOneLine = (text: string) => text.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks));

const cellText = (text: string) => onOneLine(text.replace(/\\/g, "\\\\").replace(/\|/g, "\\|"));

function markdownTable({ rows }: Table): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, index) => cellText(row[index] ?? "")).join(" | ")} |`;
  // A Markdown table requires a header row; a table without one gets its first row there.
  const [first = [], ...others] = rows;
  return [
    line(first),
    `| ${Array.from({ length: width }, () => "---").join(" | ")} |`,
    ...others.map(line),
  ].join("\n");
}

function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  return `${"`".repeat(longest + 1)}\n${text}\n${"`".repeat(longest + 1)}`;
}

function markdownBlock(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `${"#".repeat(Math.min(6, Math.max(1, block.level ?? 1)))} ${onOneLine(block.text)}`;
    case "table":
      return block.table === undefined ? block.text : markdownTable(block.table);
    case "code":
      return fence(block.text);
    case "picture":
      return `![${block.text.replace(/[[\]]/g, "").replace(/\s+/g, " ")}]()`;
    case "notes":
      return block.text
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
    default:
      return block.text;
  }
}

/** The parsed content as Markdown: one blank line between blocks, a newline at the end. */
export function renderMarkdown(content: ParsedContent): string {
  return `${content.blocks.map(markdownBlock).join("\n\n")}\n`;
}

/** Chunks as data for an export, in document order; the text is the one that is cited. */
export const renderChunks = (chunks: readonly Chunk[]) =>
  chunks.map(({ ordinal, title, headings, pages, text }) => ({ ordinal, title, headings, pages, text }));
