import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { openOcrEngine } from "../../../../src/drivers/parsers/ocr/engine.ts";
import { packed, rawPdf } from "../pdf-hostile.ts";
import { parsePdf } from "../pdf-make.ts";

const engine = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 60_000, workers: 1 });
after(() => engine[Symbol.asyncDispose]());
const ocr = { mode: "auto", engine } as const;

const face = readFileSync(
  new URL(
    "../../standard_fonts/LiberationSans-Regular.ttf",
    import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"),
  ),
);

/** Widths of the face's first glyphs, thousandths of its size. */
function widths(): string {
  const tables = Array.from({ length: face.readUInt16BE(4) }, (_, index) => 12 + index * 16);
  const table = tables.find((at) => face.toString("latin1", at, at + 4) === "hmtx") ?? 0;
  const start = face.readUInt32BE(table + 8);
  return Array.from({ length: 100 }, (_, glyph) => (face.readUInt16BE(start + glyph * 4) * 1000) / 2048).join(
    " ",
  );
}

/** A font that draws glyphs by their numbers, with the map to letters that is given. */
const numbered = (map: string) => {
  const descriptor = "<< /Type /FontDescriptor /FontName /Face /Flags 32 /FontFile2 4 0 R >>";
  const family = `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Face /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [0 [${widths()}]] /FontDescriptor ${descriptor} >>`;
  return `<< /Type /Font /Subtype /Type0 /BaseFont /Face /Encoding /Identity-H /DescendantFonts [${family}] ${map} >>`;
};

/** The numbers of the glyphs of a text in this face, four digits each. */
const glyphs = (text: string) =>
  Array.from(text, (letter) => (letter.charCodeAt(0) - 29).toString(16).padStart(4, "0")).join("");

/** A page whose lines in `~` are set by numbers. */
function page(content: string, font = numbered("")): Uint8Array {
  const drawn = content.replace(/~([^~]*)~/g, (_, text: string) => `<${glyphs(text)}>`);
  const form = {
    ...packed(drawn),
    entries: `/Filter /FlateDecode /Resources << /Font << /A 3 0 R /N ${font} >> >>`,
  };
  return rawPdf([[packed("/F1 Do")]], [packed(face), form]);
}
const textOf = (content: { readonly blocks: readonly { readonly text: string }[] }) =>
  content.blocks.map(({ text }) => text).join("\n");

const body = Array.from(
  { length: 6 },
  (_, index) => `(Line ${index} of the report says that all valves were closed again.) Tj 0 -14 Td`,
).join(" ");
const headed = page(`BT /N 18 Tf 72 720 Td ~Quarterly inspection~ Tj /A 11 Tf 0 -40 Td ${body} ET`);

test("a heading in a font without a map to letters is read by OCR, the rest from the file", async () => {
  const content = await parsePdf(headed, { ocr });
  assert.match(textOf(content), /^Quarterly inspection\nLine 0 of the report/);
  assert.deepEqual([content.blocks[0]?.kind, content.warnings], ["heading", []]);
});

test("without OCR it is left out and named", async () => {
  const content = await parsePdf(headed);
  assert.match(textOf(content), /^Line 0 of the report/);
  assert.match(content.warnings.join(), /fonts without character codes was skipped on pages: 1/);
});

test("figures in such a font are read where they stand in their lines", async () => {
  const lines = `BT /A 14 Tf 72 720 Td (The annual fee is) Tj /N 14 Tf 130 0 Td ~8520~ Tj /A 14 Tf -130 -30 Td ${body} ET`;
  assert.match(textOf(await parsePdf(page(lines), { ocr })), /The annual fee is 8520/);
  const joined = `BT /A 14 Tf 72 720 Td (The annual fee is ) Tj /N 14 Tf ~8520~ Tj /A 14 Tf 0 -30 Td ${body} ET`;
  assert.doesNotMatch(textOf(await parsePdf(page(joined))), /\u001b|;/);
});

test("a font that the file does not hold is read by the usual order of its glyphs", async () => {
  const heading = "BT /N 18 Tf 72 720 Td ~Quarterly inspection~ Tj ET";
  const known = numbered("")
    .replace("/FontFile2 4 0 R", "")
    .replaceAll(/(BaseFont|FontName) .Face/g, "$1 /CenturyGothic");
  const content = await parsePdf(page(heading, known));
  assert.deepEqual([textOf(content), content.warnings], ["Quarterly inspection", []]);
});

test("a lone glyph of such a font is a bullet, and asks for nothing", async () => {
  const content = await parsePdf(page(`BT /N 11 Tf 72 720 Td ~x~ Tj /A 11 Tf 14 0 Td ${body} ET`));
  assert.deepEqual(content.warnings, []);
});
