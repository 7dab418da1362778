import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf } from "../../../src/core/documents/cells.ts";
import { embedText, lexicalText } from "../../../src/core/documents/chunk.ts";
import type { Block, PageText } from "../../../src/core/documents/document.ts";
import { headingsAbove } from "../../../src/core/documents/sections.ts";
import { expandedChunk } from "../../../src/core/retrieval.ts";
import { windowChunks } from "../../../src/drivers/chunkers/windows.ts";
import { cellsForQuote } from "../../../src/tables/quoted-cells.ts";
import { chunkOf } from "../../helpers/chunk.ts";

const count = (text: string): number => text.match(/\S+/g)?.length ?? 0;
const tokenizer = { count, encode: () => [], encodeForModel: () => ({ ids: [], truncated: 0 }) };
const block = (kind: Block["kind"], text: string, ...pages: number[]): Block => ({ kind, text, pages });
const chunks = (pageTexts: readonly PageText[], blocks: readonly Block[], windowTokens = 402) => [
  ...windowChunks(
    {
      file: { path: "/r.pdf", name: "r.pdf", format: "pdf", sizeBytes: 1, sha256: "" },
      content: { title: "R", blocks, pageCount: 2, pagesWithoutText: [], warnings: [] },
      method: "pdfjs",
    },
    pageTexts,
    windowTokens,
    tokenizer,
  ),
];

test("a page is found by its text as it stands, running header included, and shown by its blocks", () => {
  const text = "ACME INC.\nBalance sheet\nCash 1 2\nDebt 3 4\n17";
  const table: Block = {
    ...block("table", "", 1),
    text: "x",
    table: {
      rows: [
        ["", "2018", "2017"],
        ["Cash", "1", "2"],
        ["Debt", "3", "4"],
      ],
      headerRows: 1,
    },
  };
  const [chunk, ...rest] = chunks([{ page: 1, text }], [block("heading", "Balance sheet", 1), table]);
  assert.deepEqual(rest, []);
  assert.ok(chunk);
  assert.equal(embedText({ ...chunk, title: "R" }), text);
  assert.equal(chunk.text, "Balance sheet\n\n | 2018 | 2017\nCash | 1 | 2\nDebt | 3 | 4");
  assert.deepEqual(chunk.headings, ["Balance sheet"]);
  assert.equal(chunk.ownHeadings, 1);
});

test("every block stands in the window in which it starts, and every line in some window", () => {
  const sentences = Array.from(
    { length: 40 },
    (_, at) => `Paragraph number${at} ${"word ".repeat(28).trim()}.`,
  );
  const text = sentences.join("\n");
  const made = chunks(
    [{ page: 3, text }],
    sentences.map((each) => block("paragraph", each, 3)),
  );
  assert.ok(made.length > 2);
  for (const { window, text: shown, tokenCount } of made) {
    assert.ok(window && tokenCount <= 402);
    const [first = ""] = shown.split("\n\n");
    assert.ok(window.pageText.slice(window.start, window.end).includes(first));
  }
  assert.deepEqual(
    made.flatMap(({ text: shown }) => shown.split("\n\n")),
    sentences,
  );
  const covered = made.reduce((end, { window }) => (window && window.start <= end ? window.end : end), 0);
  assert.equal(covered, text.length);
});

test("a paragraph that goes on is cited by both pages, a table's row by its own", () => {
  const rows = [
    ["Item", "Price"],
    ["alpha pump housing", "1"],
    ["omega valve spindle", "2"],
  ];
  const blocks: Block[] = [
    block("paragraph", "It begins here and goes on over there.", 1, 2),
    { ...block("table", "x", 1, 2), table: { rows, headerRows: 1 } },
  ];
  const made = chunks(
    [
      { page: 1, text: "It begins here\nItem Price\nalpha pump housing 1" },
      { page: 2, text: "and goes on over there.\nomega valve spindle 2" },
    ],
    blocks,
  );
  assert.deepEqual(
    made.map(({ pages }) => pages),
    [[1, 2], [2]],
  );
  assert.equal(made[1]?.text, "Item | Price\nomega valve spindle | 2");
});

test("a window of text that no block holds is shown as it stands", () => {
  const long = Array.from({ length: 90 }, (_, at) => `line${at} ${"word ".repeat(9).trim()}`);
  const made = chunks([{ page: 1, text: long.join("\n") }], [block("paragraph", long[0] ?? "", 1)]);
  assert.ok(made.length > 1);
  assert.ok(made.slice(1).every(({ text }) => text.startsWith("line")));
});

test("a page whose last block runs on into a further window is read with its end once, as the block has it", () => {
  const filler = Array.from({ length: 30 }, (_, at) => `Filler sentence ${at} has a few words of its own.`);
  const sentences = Array.from(
    { length: 24 },
    (_, at) => `Clause ${at} obliges the lessee to repair what the storm has dam- aged.`,
  );
  const wrapped = sentences.map((each) =>
    each.replace("the lessee", "the\nlessee").replace("dam- ", "dam-\n"),
  );
  const whole = sentences.map((each) => each.replace("dam- aged", "damaged")).join(" ");
  for (const kind of ["paragraph", "list", "code"] as const) {
    const blockText = kind === "paragraph" ? whole : whole.replaceAll(". ", ".\n");
    const text = [...filler, ...wrapped, "ACME INC. 25"].join("\n");
    const made = chunks(
      [{ page: 1, text }],
      [...filler.map((each) => block("paragraph", each, 1)), block(kind, blockText, 1)],
    );
    const ordinals = made.map((draft, ordinal) => chunkOf({ ...draft, ordinal, pages: [1] }));
    const [first, last] = [ordinals[0], ordinals.at(-1)];
    assert.ok(first && last && ordinals.length > 1);
    assert.ok(last.text.startsWith("Clause") && last.text.endsWith("damaged."), last.text);
    assert.equal(last.contentType, kind);
    const read = expandedChunk({ chunk: first, around: ordinals }).text;
    assert.equal(read, [...filler, blockText].join("\n\n"));
  }
});

test("BM25 indexes the whole page for each of its windows", () => {
  const text = Array.from({ length: 90 }, (_, at) => `line${at} ${"word ".repeat(9).trim()}`).join("\n");
  for (const chunk of chunks([{ page: 1, text }], []))
    assert.equal(lexicalText({ ...chunk, title: "" }), text);
});

test("a window over several sections is cited by the heading that all of it stands under", () => {
  const text =
    "2 Leave\n2.1 Entitlement\nThirty days a year are granted.\n2.2 Carry over\nEight days may be carried over.";
  const heading = (level: number, words: string): Block => ({ ...block("heading", words, 1), level });
  const paragraph = (words: string): Block => block("paragraph", words, 1);
  const carried = [heading(2, "2.2 Carry over"), paragraph("Eight days may be carried over.")];
  const blocks = [
    heading(1, "2 Leave"),
    heading(2, "2.1 Entitlement"),
    paragraph("Thirty days a year are granted."),
    ...carried,
  ];
  const [both] = chunks([{ page: 1, text }], blocks);
  assert.deepEqual([both?.headings, both?.ownHeadings], [["2 Leave"], 1]);
  assert.ok(both);
  assert.deepEqual(
    ["Thirty days a year are granted.", "Eight days may be carried over."].map((quote) =>
      headingsAbove(quote, both),
    ),
    [
      ["2 Leave", "2.1 Entitlement"],
      ["2 Leave", "2.2 Carry over"],
    ],
  );
  const [one] = chunks([{ page: 1, text }], blocks.slice(0, 3));
  assert.deepEqual([one?.headings, one?.ownHeadings], [["2 Leave", "2.1 Entitlement"], 2]);
});

test("a chunk names the labels of its pages beside their numbers", () => {
  const texts = ["Foreword of the manual.", "The wire is replaced after", "18 months. Pumps run weekly."];
  const made = chunks(
    texts.map((text, at) => ({ page: at + 1, text, ...(at > 0 && { label: String(at) }) })),
    [
      block("paragraph", texts[0] ?? "", 1),
      block("paragraph", "The wire is replaced after 18 months.", 2, 3),
      block("paragraph", "Pumps run weekly.", 3),
    ],
  );
  assert.deepEqual(
    made.map((chunk) => [chunk.pages, cellsOf(chunk)]),
    [
      [[1], []],
      [
        [2, 3],
        ["labelled 1", "labelled 2"],
      ],
      [[3], ["labelled 2"]],
    ],
  );
  const [, , pumps = { text: "" }] = made;
  assert.deepEqual(cellsForQuote("Pumps run weekly.", pumps), ["labelled 2"]);
});
