import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, type RawStream, rawPdf } from "../pdf-hostile.ts";
import { parsePdf } from "../pdf-make.ts";

const cells = [
  ["City", "River"],
  ["Wien", "Donau"],
  ["Paris", "Seine"],
];
const texts = cells
  .flatMap((row, y) => row.map((text, x) => `BT /A 10 Tf ${80 + x * 100} ${705 - y * 20} Td (${text}) Tj ET`))
  .join("\n");
/** A line as a form draws it, which is placed again and again. */
const line: RawStream = { ...packed("0 0 m 200 0 l S"), entries: "/Filter /FlateDecode" };
const upright: RawStream = { ...packed("0 0 m 0 60 l S"), entries: "/Filter /FlateDecode" };
const place = (form: string, x: number, y: number) => `q 1 0 0 1 ${x} ${y} cm /${form} Do Q`;
const ruled = [
  ...[660, 680, 700, 720].map((y) => place("F0", 72, y)),
  ...[72, 172, 272].map((x) => place("F1", x, 660)),
  texts,
].join("\n");

async function rowsOf(bytes: Uint8Array): Promise<unknown> {
  const { blocks } = await parsePdf(bytes);
  return blocks.map(({ table }) => table?.rows);
}

test("lines that one form without text draws again and again make a table", async () => {
  assert.deepEqual(await rowsOf(rawPdf([[packed(ruled)]], [line, upright])), [cells]);
});

test("a file whose table of objects is lost has its drawn table read", async () => {
  const whole = Buffer.from(rawPdf([[packed(ruled)]], [line, upright])).toString("latin1");
  const lost = whole.replace(/startxref\n\d+/, "startxref\n0").replace(/\nxref\n0 \d+/, "\nxrrf\n9 9");
  assert.notEqual(lost, whole);
  assert.deepEqual(await rowsOf(Buffer.from(lost, "latin1")), [cells]);
});

test("lines drawn in several streams of a page, within what is saved and restored, make a table", async () => {
  const half = ruled.length >> 1;
  const at = ruled.indexOf("\n", half);
  const streams = [packed(ruled.slice(0, at)), packed(ruled.slice(at))];
  assert.deepEqual(await rowsOf(rawPdf([streams], [line, upright])), [cells]);
});

test("a form that draws itself ends, and what else the page draws is read", async () => {
  const circle: RawStream = {
    ...packed("/F2 Do 0 0 m 200 0 l S"),
    entries: "/Filter /FlateDecode /Resources << /XObject << /F2 6 0 R >> >>",
  };
  assert.deepEqual(await rowsOf(rawPdf([[packed(`${ruled}\n/F2 Do`)]], [line, upright, circle])), [cells]);
});

test("the text of a page has both of two cells that say the same beside each other", async () => {
  const same = ruled.replaceAll("(Donau)", "(Wien)");
  const { pageTexts = [] } = await parsePdf(rawPdf([[packed(same)]], [line, upright]));
  assert.match(pageTexts[0]?.text ?? "", /^Wien Wien$/m);
});
