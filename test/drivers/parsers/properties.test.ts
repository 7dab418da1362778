import assert from "node:assert/strict";
import { test } from "node:test";
import { PDFDocument } from "pdf-lib";
import htmlParser from "../../../src/drivers/parsers/markup/html.ts";
import markdownParser from "../../../src/drivers/parsers/markup/markdown.ts";
import odfParser from "../../../src/drivers/parsers/office/odf/odf.ts";
import xlsxParser from "../../../src/drivers/parsers/office/sheets/xlsx.ts";
import docxParser from "../../../src/drivers/parsers/office/word/docx.ts";
import pdfParser from "../../../src/drivers/parsers/pdf/pdf.ts";
import { zip } from "./make.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function markdown(front: string) {
  const { properties } = await markdownParser().parse(bytes(`---\n${front}\n---\n# Pump\n\nText.\n`), {
    name: "p.md",
  });
  return properties;
}

test("front matter is metadata, with numbers, truth values, dates and lists as they are", async () => {
  assert.deepEqual(
    await markdown(
      'title: Pump\nauthor: Ada\nversion: 1.15\ndraft: false\ndate: 2024-06-01\ntags: [pump, seal]\ncode: "007"',
    ),
    { author: "Ada", version: 1.15, draft: false, date: "2024-06-01", tags: ["pump", "seal"], code: "007" },
  );
  assert.equal(await markdown("title: Pump"), undefined);
});

test("front matter that is broken or a bomb is no metadata, and the document is read", async () => {
  for (const front of [
    "a: [1, 2",
    "- a\n- b",
    `a: &a [x, x]\n${Array.from({ length: 9 }, (_, at) => `b${at}: &b${at} [*a, *a]`).join("\n")}`,
    `long: ${"x".repeat(30_000)}`,
  ])
    assert.equal(await markdown(front), undefined, front.slice(0, 20));
});

test("a page's author, keywords and dates are metadata; what browsers and robots are told is not", async () => {
  const page = `<html><head><title>Pump</title><meta name="Author" content="Ada"><meta name="keywords" content="pump; seal, valve">
    <meta property="article:published_time" content="2024-06-01T10:00:00+02:00"><meta name="DC.publisher" content="Works">
    <meta name="viewport" content="width=1"><meta name="constructor" content="x"></head><body><p>Text.</p></body></html>`;
  const { properties } = await htmlParser().parse(bytes(page), { name: "p.html" });
  assert.deepEqual(properties, {
    author: "Ada",
    keywords: ["pump", "seal", "valve"],
    created: "2024-06-01T08:00:00Z",
    publisher: "Works",
  });
});

test("what a program writes where a PDF states nothing is no metadata", async () => {
  const document = await PDFDocument.create();
  document.addPage([200, 200]).drawText("Pump", { x: 20, y: 100 });
  document.setAuthor("(anonymous)");
  document.setSubject("(unspecified)");
  for (const epoch of [new Date("2000-01-01T00:00:00Z"), new Date(0)]) {
    document.setCreationDate(epoch);
    document.setModificationDate(epoch);
    const { properties } = await pdfParser().parse(await document.save(), { name: "p.pdf" });
    assert.equal(properties, undefined, epoch.toJSON());
  }
});

test("a PDF's properties are metadata, the program that made it is not", async () => {
  const document = await PDFDocument.create();
  document.addPage([200, 200]).drawText("Pump", { x: 20, y: 100 });
  document.setAuthor("Ada");
  document.setSubject("Pumps");
  document.setKeywords(["pump,", "seal"]);
  document.setCreationDate(new Date("2024-06-01T08:00:00Z"));
  document.setModificationDate(new Date("2024-06-02T08:00:00Z"));
  const { properties } = await pdfParser().parse(await document.save(), { name: "p.pdf" });
  assert.deepEqual(properties, {
    author: "Ada",
    subject: "Pumps",
    keywords: ["pump", "seal"],
    created: "2024-06-01T08:00:00Z",
    modified: "2024-06-02T08:00:00Z",
  });
});

const core = `<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="t"><dc:title>T</dc:title>
  <dc:creator>Ada</dc:creator><dc:subject>Pumps</dc:subject><cp:keywords>pump; seal</cp:keywords><cp:lastModifiedBy>Bob</cp:lastModifiedBy>
  <dcterms:created>2024-06-01T08:00:00Z</dcterms:created><dcterms:modified>2024-06-02T08:00:00Z</dcterms:modified></cp:coreProperties>`;
const custom = `<Properties xmlns:vt="v"><property name="Case No"><vt:i4>12</vt:i4></property>
  <property name="Final"><vt:bool>true</vt:bool></property><property name="Client"><vt:lpwstr>Works</vt:lpwstr></property></Properties>`;
const stated = {
  author: "Ada",
  subject: "Pumps",
  keywords: ["pump", "seal"],
  created: "2024-06-01T08:00:00Z",
  modified: "2024-06-02T08:00:00Z",
};

test("a Word document's properties are metadata, with those that somebody added", async () => {
  const file = zip({
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels":
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    "word/document.xml":
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Text</w:t></w:r></w:p></w:body></w:document>',
    "docProps/core.xml": core,
    "docProps/custom.xml": custom,
  });
  const { properties } = await docxParser().parse(file, { name: "p.docx" });
  assert.deepEqual(properties, { ...stated, case_no: 12, final: true, client: "Works" });
});

test("an OpenDocument's author is who made it, not who changed it last", async () => {
  const file = zip({
    "content.xml":
      '<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:p>Text</text:p></office:text></office:body></office:document-content>',
    "meta.xml": `<office:document-meta xmlns:meta="m" xmlns:dc="d"><office:meta><dc:creator>Bob</dc:creator><meta:initial-creator>Ada</meta:initial-creator>
      <dc:subject>Pumps</dc:subject><meta:keyword>pump</meta:keyword><meta:keyword>seal</meta:keyword><meta:creation-date>2024-06-01T08:00:00Z</meta:creation-date>
      <dc:date>2024-06-02T08:00:00Z</dc:date><meta:user-defined meta:name="Case No" meta:value-type="float">12</meta:user-defined></office:meta></office:document-meta>`,
  });
  const { properties } = await odfParser().parse(file, { name: "p.odt" });
  assert.deepEqual(properties, { ...stated, case_no: 12 });
});

test("a workbook's properties are metadata", async () => {
  const { utils, write } = await import("xlsx");
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([["Pump", 1]]), "S");
  book.Props = {
    Author: "Ada",
    Subject: "Pumps",
    Keywords: "pump; seal",
    CreatedDate: new Date("2024-06-01T08:00:00Z"),
  };
  book.Custprops = { "Case No": 12, Client: "Works" };
  const file = new Uint8Array(write(book, { type: "array", bookType: "xlsx" }));
  const { properties = {} } = await xlsxParser().parse(file, { name: "p.xlsx" });
  const { author, subject, keywords, created } = stated;
  const { modified: _, ...rest } = properties;
  assert.deepEqual(rest, { author, subject, keywords, created, case_no: 12, client: "Works" });
});
