import assert from "node:assert/strict";
import { test } from "node:test";
import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } from "docx";
import PptxGenJS from "pptxgenjs";
import * as xlsx from "xlsx";
import epubParser from "../../../../src/drivers/parsers/markup/epub.ts";
import odfParser from "../../../../src/drivers/parsers/office/odf/odf.ts";
import csvParser from "../../../../src/drivers/parsers/office/sheets/csv.ts";
import xlsxParser from "../../../../src/drivers/parsers/office/sheets/xlsx.ts";
import pptxParser from "../../../../src/drivers/parsers/office/slides/pptx.ts";
import docxParser from "../../../../src/drivers/parsers/office/word/docx.ts";
import { zip } from "../make.ts";

test("a Word document gives headings, paragraphs, lists and tables in order", async () => {
  const cell = (text: string) => new TableCell({ children: [new Paragraph(text)] });
  const document = new Document({
    sections: [
      {
        children: [
          new Paragraph({ text: "Pump guide", heading: HeadingLevel.HEADING_1 }),
          new Paragraph("The pump moves water."),
          new Paragraph({ text: "Check the seal", bullet: { level: 0 } }),
          new Paragraph({ text: "Limits", heading: HeadingLevel.HEADING_2 }),
          new Table({
            rows: [
              new TableRow({ children: [cell("Name"), cell("Bar")] }),
              new TableRow({ children: [cell("P-1"), cell("10")] }),
            ],
          }),
        ],
      },
    ],
  });
  const { blocks, title } = await docxParser().parse(new Uint8Array(await Packer.toBuffer(document)), {
    name: "guide.docx",
  });
  assert.equal(title, "Pump guide");
  assert.deepEqual(
    blocks.map(({ kind, text, level }) => [kind, text, level]),
    [
      ["heading", "Pump guide", 1],
      ["paragraph", "The pump moves water.", undefined],
      ["list", "- Check the seal", undefined],
      ["heading", "Limits", 2],
      ["table", "Name | Bar\nP-1 | 10", undefined],
    ],
  );
});

test("a workbook gives a heading and a table per sheet, cells as displayed, with the header row found under a title", async () => {
  const book = xlsx.utils.book_new();
  const pumps = xlsx.utils.aoa_to_sheet([
    ["Equipment list"],
    [],
    ["Pump", "Pressure", "Share"],
    ["P-1", 150, 0.5],
    ["P-2", 90, 0.25],
  ]);
  pumps["C4"] = { t: "n", v: 0.5, z: "0%" };
  xlsx.utils.book_append_sheet(book, pumps, "Pumps");
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([["a"], [1]]), "Other");
  const bytes = new Uint8Array(xlsx.write(book, { type: "buffer", bookType: "xlsx" }));
  const { blocks } = await xlsxParser().parse(bytes, { name: "equipment.xlsx" });
  assert.deepEqual(
    blocks.slice(0, 2).map(({ kind, text }) => [kind, text]),
    [
      ["heading", "Pumps"],
      ["paragraph", "Equipment list"],
    ],
  );
  assert.deepEqual(blocks[2]?.table, {
    rows: [
      ["Pump", "Pressure", "Share"],
      ["P-1", "150", "50%"],
      ["P-2", "90", "0.25"],
    ],
    headerRows: 1,
    sheet: "Pumps",
    range: "A3:C5",
  });
  const old = new Uint8Array(xlsx.write(book, { type: "buffer", bookType: "biff8" }));
  assert.equal((await xlsxParser().parse(old, { name: "equipment.xls" })).blocks.length, blocks.length);
});

test("CSV is read by its own delimiter, values untouched", async () => {
  const bytes = new TextEncoder().encode('id;name;when\n007;"Bond; James";01/02/2020\n008;Bill;x\n');
  const { blocks } = await csvParser().parse(bytes, { name: "agents.csv" });
  assert.deepEqual(blocks[0]?.table?.rows, [
    ["id", "name", "when"],
    ["007", "Bond; James", "01/02/2020"],
    ["008", "Bill", "x"],
  ]);
  assert.equal(blocks[0]?.table?.headerRows, 1);
});

test("slides become pages with titles, tables and speaker notes", async () => {
  // The package's declaration puts the class one default deeper than Node does.
  const Deck = PptxGenJS as unknown as new () => PptxGenJS.default;
  const deck = new Deck();
  const first = deck.addSlide();
  first.addText("Quarterly review", { x: 1, y: 0.3, placeholder: "title" });
  first.addText("Sales rose in every region of the country.", { x: 1, y: 2 });
  first.addNotes("Mention the weather.");
  deck.addSlide().addTable([
    [{ text: "Region" }, { text: "Sales" }],
    [{ text: "North" }, { text: "12" }],
  ]);
  const bytes = new Uint8Array((await deck.write({ outputType: "nodebuffer" })) as Uint8Array<ArrayBuffer>); // "nodebuffer" gives a Buffer
  const { blocks, pageCount } = await pptxParser().parse(bytes, { name: "review.pptx" });
  assert.equal(pageCount, 2);
  assert.deepEqual(
    blocks.map(({ kind, text, pages }) => [kind, text, pages[0]]),
    [
      ["heading", "Quarterly review", 1],
      ["paragraph", "Sales rose in every region of the country.", 1],
      ["notes", "Mention the weather.", 1],
      ["table", "Region | Sales\nNorth | 12", 2],
    ],
  );
});

// Made once: packing them takes longer than refusing them.
const bomb = zip({ "word/document.xml": Buffer.alloc(80 * 1024 ** 2) });
const liar = zip({ "word/document.xml": Buffer.alloc(4 * 1024 ** 2) }, 100);
const many = zip(Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`part${index}`, ""])));
const zipParsers = { docx: docxParser, xlsx: xlsxParser, pptx: pptxParser, odt: odfParser, epub: epubParser };
for (const [format, make] of Object.entries(zipParsers)) {
  const parse = (bytes: Uint8Array) => make().parse(bytes, { name: `bad.${format}` });

  test(`${format}: a zip bomb is refused with its numbers, whether it declares its size or lies`, async () => {
    await assert.rejects(parse(bomb), { code: "SOURCE_TOO_LARGE", message: /80 MiB, \d+ times/ });
    await assert.rejects(parse(liar), { code: "SOURCE_DAMAGED" });
    await assert.rejects(parse(many), { code: "SOURCE_TOO_LARGE", message: /20000 parts/ });
  });

  test(`${format}: names that escape, cut archives and empty shells are unreadable`, async () => {
    await assert.rejects(parse(zip({ "../../evil.xml": "x" })), { code: "SOURCE_DAMAGED" });
    const whole = zip({ "a.xml": "text".repeat(500) });
    await assert.rejects(parse(whole.slice(0, whole.length - 30)), { code: "SOURCE_DAMAGED" });
    await assert.rejects(parse(zip({ "nothing.txt": "x" })), { code: "SOURCE_DAMAGED" });
  });

  test(`${format}: an encrypted Office file says so`, async () => {
    const ole = Buffer.concat([
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      Buffer.alloc(1024),
      Buffer.from("EncryptedPackage", "utf16le"),
      Buffer.alloc(512),
    ]);
    await assert.rejects(parse(new Uint8Array(ole)), { code: "SOURCE_ENCRYPTED" });
  });
}
