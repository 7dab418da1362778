import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { requireText, titleFromName } from "../blocks.ts";
import { decode } from "../decode.ts";

const item = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+/;

function blockOf(text: string): Block {
  const lines = text.split("\n");
  const items = lines.filter((line) => item.test(line)).length;
  const isList = items >= 2 && items >= lines.length * 0.5 && item.test(lines[0] ?? "");
  return { kind: isList ? "list" : "paragraph", text, pages: [] };
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const { text, warnings } = await decode(bytes, file.name);
  const parts = text
    .replace(/\f/g, "\n\n")
    .split(/\n[ \t]*\n+/)
    .map((part) =>
      part
        .replace(/(?<![ \t])[ \t]+$/gm, "")
        .replace(/^\n+/, "")
        .trimEnd(),
    );
  const blocks = requireText(parts.filter((part) => part.trim() !== "").map(blockOf), file.name);
  return { title: titleFromName(file.name), blocks, pageCount: 0, pagesWithoutText: [], warnings };
}

/** Plain text in any common charset; blank lines divide its blocks. */
export default (): Parser => ({ id: "text", parse });
