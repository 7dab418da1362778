import assert from "node:assert/strict";
import { test } from "node:test";
import { renderMarkdown } from "../../src/app/verify/export-markdown.ts";
import type { Block } from "../../src/core/documents/document.ts";

const block = (kind: Block["kind"], text: string, more: Partial<Block> = {}): Block => ({
  kind,
  text,
  pages: [],
  ...more,
});

test("blocks are written as Markdown, a table's bars and a code's fences kept apart from the marks", () => {
  const table = { rows: [["a|b", "c"], ["d\ne"]], headerRows: 1 };
  const content = {
    title: "x",
    blocks: [
      block("heading", "Pumps", { level: 2 }),
      block("list", "- one\n  - two"),
      block("table", "", { table }),
      block("code", "```\nx"),
      block("picture", "A [red] pump"),
      block("notes", "Say\nhello"),
    ],
    pageCount: 0,
    pagesWithoutText: [],
    warnings: [],
  };
  assert.equal(
    renderMarkdown(content),
    "## Pumps\n\n- one\n  - two\n\n| a\\|b | c |\n| --- | --- |\n| d e |  |\n\n````\n```\nx\n````\n\n![A red pump]()\n\n> Say\n> hello\n",
  );
});
