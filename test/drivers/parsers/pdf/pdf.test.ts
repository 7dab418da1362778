import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "../../../../src/core/documents/document.ts";
import pdfParser from "../../../../src/drivers/parsers/pdf/pdf.ts";
import { type Drawn, encryptedPdf, pdf } from "../make.ts";

const parse = async (bytes: Uint8Array) => await pdfParser().parse(bytes, { name: "sample.pdf" });
const lines = (x: number, y: number, texts: readonly string[]): Drawn[] =>
  texts.map((text, index) => ({ x, y: y + index * 12, text }));
const texts = (blocks: readonly Block[], kind: Block["kind"]) =>
  blocks.filter((block) => block.kind === kind).map((block) => block.text);

test("two columns are read left column first, under a title that spans them", async () => {
  const left = Array.from({ length: 12 }, (_, index) => `left column line number ${index} of prose words`);
  const right = Array.from({ length: 12 }, (_, index) => `right column line number ${index} of prose words`);
  const { blocks, title } = await parse(
    await pdf([
      [
        { x: 150, y: 80, text: "A Study of Columns and Gutters", size: 20, bold: true },
        ...lines(60, 140, left),
        ...lines(330, 140, right),
      ],
    ]),
  );
  assert.equal(title, "A Study of Columns and Gutters");
  assert.deepEqual(blocks[0]?.kind, "heading");
  const body = texts(blocks, "paragraph").join(" ");
  assert.ok(body.indexOf("left column line number 11") < body.indexOf("right column line number 0"), body);
});

test("a paragraph that crosses a page boundary is one block with both pages, and hyphens at line ends are joined", async () => {
  const filler = (page: number) =>
    Array.from(
      { length: 20 },
      (_, index) => `Sentence ${index} of page ${page} goes all the way to the right margin of it`,
    );
  const { blocks } = await parse(
    await pdf([
      lines(72, 100, [
        ...filler(1),
        "The measurement was repeated under labora-",
        "tory conditions while the whole apparatus was kept at a",
      ]),
      lines(72, 100, [
        "constant temperature for the rest of the experiment that was being done.",
        ...filler(2),
      ]),
    ]),
  );
  const crossing = blocks.find((block) => block.text.includes("laboratory conditions"));
  assert.deepEqual(crossing?.pages, [1, 2]);
  assert.match(crossing?.text ?? "", /kept at a constant temperature/);
});

test("running headers, footers and page numbers are dropped, body text is kept", async () => {
  const pages = [1, 2, 3, 4].map((page) => [
    { x: 72, y: 30, text: "Acme Corporation Annual Report" },
    { x: 300, y: 770, text: `Page ${page} of 4` },
    ...lines(72, 200, [
      `Body text of page ${page} stands here in full.`,
      `It has a second sentence, number ${page}.`,
    ]),
  ]);
  const { blocks, pageCount } = await parse(await pdf(pages));
  const all = blocks.map((block) => block.text).join("\n");
  assert.equal(pageCount, 4);
  assert.doesNotMatch(all, /Acme Corporation|Page \d of 4/);
  assert.match(all, /second sentence, number 4/);
});

test("rows of figures become a table with header rows, currency signs joined to their numbers", async () => {
  const rows = ["Revenue 1,200 1,100", "Cost (700) (650)", "Net income 500 450"].map(
    (row) => /^(.*?) (\S+) (\S+)$/.exec(row) ?? [],
  );
  const drawn: Drawn[] = [
    { x: 330, y: 100, text: "2023" },
    { x: 430, y: 100, text: "2022" },
  ];
  rows.forEach(([, label = "", one = "", two = ""], index) => {
    const y = 115 + index * 14;
    drawn.push(
      { x: 72, y, text: label },
      { x: 315, y, text: "$" },
      { x: 330, y, text: one },
      { x: 430, y, text: two },
    );
  });
  const { blocks } = await parse(await pdf([drawn]));
  const table = blocks.find((block) => block.kind === "table");
  assert.deepEqual(table?.table, {
    rows: [
      ["", "2023", "2022"],
      ["Revenue", "$1,200", "1,100"],
      ["Cost", "$(700)", "(650)"],
      ["Net income", "$500", "450"],
    ],
    headerRows: 1,
  });
  assert.match(table?.text ?? "", /^Net income \| \$500 \| 450$/m);
});

test("bold and larger lines become headings with levels, bullets become one list", async () => {
  const { blocks } = await parse(
    await pdf([
      [
        { x: 72, y: 80, text: "Operating Manual", size: 22, bold: true },
        { x: 72, y: 130, text: "Safety", size: 14, bold: true },
        ...lines(72, 160, [
          "Read this before you switch the pump on for the first time.",
          "It applies to every model of the series and to its parts.",
        ]),
        { x: 72, y: 210, text: "Maintenance", bold: true },
        ...lines(72, 235, ["The pump needs little care, but it needs that care at the right time."]),
        ...lines(72, 265, ["• Check the seals every month", "• Replace the oil every year"]),
      ],
    ]),
  );
  assert.deepEqual(
    blocks.filter((block) => block.kind === "heading").map((block) => [block.text, block.level]),
    [
      ["Operating Manual", 1],
      ["Safety", 2],
      ["Maintenance", 3],
    ],
  );
  assert.deepEqual(texts(blocks, "list"), ["• Check the seals every month\n• Replace the oil every year"]);
});

test("pages without text are listed, and of a scan every page", async () => {
  const mixed = await parse(await pdf([lines(72, 100, ["Only the first page has words on it."]), []]));
  assert.deepEqual(mixed.pagesWithoutText, [2]);
  const scan = await parse(await pdf([[], []]));
  assert.deepEqual([scan.pagesWithoutText, scan.blocks], [[1, 2], []]);
});

test("an encrypted PDF, a truncated one and garbage are told apart", async () => {
  await assert.rejects(parse(encryptedPdf()), { code: "SOURCE_ENCRYPTED" });
  const whole = await pdf([lines(72, 100, ["Some words."])]);
  await assert.rejects(parse(whole.slice(0, 200)), { code: "SOURCE_DAMAGED" });
  await assert.rejects(parse(new TextEncoder().encode(`%PDF-1.7\n${"x".repeat(500)}`)), {
    code: "SOURCE_DAMAGED",
  });
});
