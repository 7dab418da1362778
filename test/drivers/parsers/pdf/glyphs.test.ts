import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { openOcrEngine } from "../../../../src/drivers/parsers/ocr/engine.ts";
import type { ParserOptions } from "../../../../src/drivers/parsers/options.ts";
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
const tableAt = (tag: string, file: Buffer = face): number => {
  const rows = Array.from({ length: file.readUInt16BE(4) }, (_, index) => 12 + index * 16);
  const row = rows.find((at) => file.toString("latin1", at, at + 4) === tag) ?? 0;
  return file.readUInt32BE(row + 8);
};
/** The face without names of its glyphs. */
const nameless = Buffer.from(face);
nameless.writeUInt32BE(0x00030000, tableAt("post"));

const widths = Array.from(
  { length: 100 },
  (_, glyph) => (face.readUInt16BE(tableAt("hmtx") + glyph * 4) * 1000) / 2048,
).join(" ");
const glyph = (letter: string) => (letter.charCodeAt(0) - 29).toString(16).padStart(4, "0");
const four = (letter: string) => letter.charCodeAt(0).toString(16).padStart(4, "0");

/** A map to letters of all but `lost`, which `entry` stands for where it is given. */
function mapOf(lost: string, entry?: string): string {
  const letters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  const rows = letters.flatMap((letter) =>
    letter !== lost
      ? [`<${glyph(letter)}> <${four(letter)}>`]
      : entry
        ? [`<${glyph(letter)}> <${entry}>`]
        : [],
  );
  return `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${rows.length} beginbfchar ${rows.join("\n")} endbfchar endcmap`;
}

/** A page whose lines in `~` are set by numbers in the face, with this map to letters. */
function page(content: string, map: string, file = nameless): Uint8Array {
  const descriptor = "<< /Type /FontDescriptor /FontName /Face /Flags 32 /FontFile2 4 0 R >>";
  const family = `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Face /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [0 [${widths}]] /FontDescriptor ${descriptor} >>`;
  const font = `<< /Type /Font /Subtype /Type0 /BaseFont /Face /Encoding /Identity-H /DescendantFonts [${family}] /ToUnicode 5 0 R >>`;
  const drawn = content.replace(/~([^~]*)~/g, (_, text: string) => `<${Array.from(text, glyph).join("")}>`);
  const form = {
    ...packed(drawn),
    entries: `/Filter /FlateDecode /Resources << /Font << /A 3 0 R /N ${font} >> >>`,
  };
  return rawPdf([[packed("/F2 Do")]], [packed(file), packed(map), form]);
}

const lines = [
  "Each participant keeps the option after the vesting date.",
  "A fitting notice is sent to the committee in writing.",
];
const set = (texts: readonly string[]) =>
  `BT /N 14 Tf 72 720 Td ${texts.map((text) => `~${text}~ Tj 0 -30 Td`).join(" ")} ET`;
async function read(bytes: Uint8Array, options: ParserOptions = {}) {
  const { blocks, warnings } = await parsePdf(bytes, options);
  return { text: blocks.map(({ text }) => text).join("\n"), warnings };
}
const whole = { text: lines.join(" "), warnings: [] };

for (const [how, entry] of [
  ["to nothing", "0000"],
  ["not at all", undefined],
  ["to the mark of what is unknown", "fffd"],
] as const) {
  test(`a glyph that its font maps ${how} is read by its name in the font program`, async () => {
    assert.deepEqual(await read(page(set(lines), mapOf("p", entry), face)), whole);
  });

  test(`a nameless glyph that its font maps ${how} is read by OCR where it stands, else named`, async () => {
    const bytes = page(set(lines), mapOf("p", entry));
    assert.deepEqual(await read(bytes, { ocr }), whole);
    const { text, warnings } = await read(bytes);
    assert.match(text, /Each \ufffdartici\ufffdant kee\ufffds the o\ufffdtion/);
    assert.match(warnings.join(), /fonts without character codes.*: 1$/);
  });
}

test("it is read as the page says that it reads, also in pieces and by a named list", async () => {
  const said = [
    "BT /N 14 Tf 72 720 Td ~Each par~ Tj /Span << /ActualText <FEFF00740069> >> BDC ~t~ Tj EMC ~cipan~ Tj",
    "/Span << /ActualText (t keeps) >> BDC ~t ~ Tj /X BMC ~keeps~ Tj EMC EMC ~ one.~ Tj ET",
  ].join("\n");
  assert.deepEqual(await read(page(said, mapOf("t", "0000"))), {
    text: "Each participant keeps one.",
    warnings: [],
  });
});

test("what a page says of letters that its fonts name changes nothing", async () => {
  const said =
    "BT /N 14 Tf 72 720 Td ~Each par~ Tj /Span << /ActualText (nothing) >> BDC ~ti~ Tj EMC ~cipant~ Tj ET";
  assert.equal((await read(page(said, mapOf("~")))).text, "Each participant");
});

test("a glyph of a font with an encoding is read by the name that is stated there", async () => {
  const names = "[1 /t_i /f_f_t /uni00740069 /T_h.alt /tt /u0416]";
  const font = `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 1 /LastChar 126 /Widths [${"556 ".repeat(126)}] /Encoding << /BaseEncoding /WinAnsiEncoding /Differences ${names} >> >>`;
  const content = String.raw`BT /N 14 Tf 72 720 Td (Par\001cipants o\002en ac\003ve \004e commi\005ee \006 went home) Tj ET`;
  const form = {
    ...packed(content),
    entries: `/Filter /FlateDecode /Resources << /Font << /N ${font} >> >>`,
  };
  const { text } = await read(rawPdf([[packed("/F0 Do")]], [form]));
  assert.equal(text, "Participants offten active The committee Ж went home");
});

test("a lone glyph that nothing names is a mark, and asks for nothing", async () => {
  const bullets = set(["t", ...lines.map((line) => line.replaceAll("t", "d"))]);
  assert.deepEqual((await read(page(bullets, mapOf("t", "0000")))).warnings, []);
});
