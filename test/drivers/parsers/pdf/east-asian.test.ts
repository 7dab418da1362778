import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, rawPdf } from "../pdf-hostile.ts";
import { parsePdf } from "../pdf-make.ts";

/** A Japanese font that is not embedded; its text is UCS-2, set across (H) or downwards (V). */
function font(way: "H" | "V"): string {
  const descriptor =
    "<< /Type /FontDescriptor /FontName /HeiseiKakuGo-W5 /Flags 4 /Ascent 752 /Descent -221 >>";
  const family = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiKakuGo-W5 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor ${descriptor} >>`;
  return `<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiKakuGo-W5 /Encoding /UniJIS-UCS2-${way} /DescendantFonts [${family}] >>`;
}

const codes = (text: string): string =>
  Array.from(text, (letter) => letter.charCodeAt(0).toString(16).padStart(4, "0")).join("");

/** Texts at places of a page, in points from its lower left corner. */
function page(
  texts: readonly (readonly [text: string, x: number, y: number, size: number, way?: "H" | "V"])[],
): Uint8Array {
  const drawn = texts.map(
    ([text, x, y, size, way = "H"]) => `BT /${way} ${size} Tf ${x} ${y} Td <${codes(text)}> Tj ET`,
  );
  const entries = `/Filter /FlateDecode /Resources << /Font << /H ${font("H")} /V ${font("V")} >> >>`;
  return rawPdf(
    [[packed("/F0 Do")], [packed("/F1 Do")]],
    [
      { ...packed(drawn.join("\n")), entries },
      { ...packed("BT /H 11 Tf 72 700 Td <6c34> Tj ET"), entries },
    ],
  );
}

test("pages with text set downwards in columns are named, those beside them are not", async () => {
  const columns = ["水槽の温度は二十八度を", "超えてはなりません。"];
  const { warnings } = await parsePdf(page(columns.map((text, at) => [text, 500 - at * 24, 700, 14, "V"])));
  assert.deepEqual(warnings, ["vertical text may be read in the wrong order on pages: 1"]);
  const across = await parsePdf(page(columns.map((text, at) => [text, 72, 700 - at * 24, 14])));
  assert.deepEqual(across.warnings, []);
});

test("headings numbered by single characters for Roman numbers stand beside each other", async () => {
  const titles: readonly (readonly [string, number])[] = [
    ["Ⅲ. 水槽", 20],
    ["Ⅳ. 配管", 17],
    ["Ⅴ. 点検", 18.5],
  ];
  const line = "この装置の水は毎週月曜日に交換し、その記録を管理室に保存する。";
  const { blocks } = await parsePdf(
    page(
      titles.flatMap(([title, size], at) => [
        [title, 72, 720 - at * 120, size] as const,
        ...[0, 1, 2].map((row) => [line, 72, 690 - at * 120 - row * 16, 11] as const),
      ]),
    ),
  );
  const headings = blocks.filter(({ kind }) => kind === "heading");
  assert.equal(headings.length, titles.length);
  assert.deepEqual(new Set(headings.map(({ level }) => level)).size, 1);
});
