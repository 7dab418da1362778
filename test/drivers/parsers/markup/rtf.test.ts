import assert from "node:assert/strict";
import { test } from "node:test";
import rtfParser from "../../../../src/drivers/parsers/markup/rtf.ts";

const parse = (text: string) =>
  rtfParser().parse(new Uint8Array(Buffer.from(text, "latin1")), { name: "note.rtf" });
const shape = (blocks: readonly { kind: string; text: string }[]) =>
  blocks.map(({ kind, text }) => [kind, text]);
const head = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}}{\info{\title Pump guide}{\author Ann}}`;

test("RTF gives title, headings by style, characters in every notation, lists, tables and notes", async () => {
  const body = String.raw`
\pard\s1 Pumps\par
\pard Caf\'e9 \u8364?5 \u20013\'d6 and {\f1\'cf\'f0} {\b bold}{\v hidden}{\*\unknown gone}{\pict 0102ff}\line next line{\footnote\pard See page 3.}\par
{\listtext 1.\tab}Open\par
{\listtext\'b7\tab}Close\par
\trowd\cellx100\cellx200\pard\intbl Name\cell Bar\cell\row
\trowd\cellx100\cellx200\pard\intbl P-1\cell 10\cell\row
\pard After\par}`;
  const { blocks, title, warnings } = await parse(head + body);
  assert.equal(title, "Pump guide");
  assert.deepEqual(shape(blocks), [
    ["heading", "Pumps"],
    ["paragraph", "Café €5 中 and Пр bold\nnext line[1]"],
    ["footnote", "[1] See page 3."],
    ["list", "1. Open\n- Close"],
    ["table", "Name | Bar\nP-1 | 10"],
    ["paragraph", "After"],
  ]);
  assert.deepEqual(warnings, ["1 image was skipped"]);
});

test("damaged RTF never hangs: groups without end, a \\bin longer than the file, thousands of braces", async () => {
  assert.equal((await parse(String.raw`{\rtf1 open {\b group`)).blocks[0]?.text, "open group");
  assert.equal((await parse(String.raw`{\rtf1 text\par\bin999999999 x}`)).blocks[0]?.text, "text");
  await assert.rejects(parse(`{\\rtf1 ${"{".repeat(100_000)}`), {
    code: "SOURCE_DAMAGED",
    message: /nested more than/,
  });
  await assert.rejects(parse("{\\rtf1 }"), { code: "SOURCE_EMPTY" });
});

test("raised digits of RTF do not join the number before them", async () => {
  const body = String.raw`\pard 10{\super 6} cells, 85\super 2\nosupersub  euros, 25 m{\up6\fs16 2}, CO{\sub 2}, 7\super 1\plain 5\par
\trowd\cellx100\pard\intbl 640{\super\'31}\cell\row\pard End\par}`;
  assert.deepEqual(shape((await parse(head + body)).blocks), [
    ["paragraph", "10⁶ cells, 85[2] euros, 25 m², CO2, 7[1]5"],
    ["table", "640[1]"],
    ["paragraph", "End"],
  ]);
});

test("text that is struck out in RTF is left out and counted", async () => {
  const body = String.raw`\pard Rate: {\strike 62 {\b euros}} 71 euros, fee {\striked1 90} 110 \strike gone\strike0  stays\par
{\strike All of it.\par}
\trowd\cellx100\pard\intbl {\strike 7} 9\cell\row\pard End \strike x\plain y\par}`;
  const { blocks, warnings } = await parse(head + body);
  assert.deepEqual(shape(blocks), [
    ["paragraph", "Rate: 71 euros, fee 110 stays"],
    ["table", "9"],
    ["paragraph", "End y"],
  ]);
  assert.deepEqual(warnings, ["6 struck-out passages were left out"]);
});

test("letters of RTF from the Mac and from DOS are read in their character sets", async () => {
  const text = async (start: string) => shape((await parse(`${start} Gr\\'9a\\'a7e\\par}`)).blocks)[0]?.[1];
  assert.equal(await text("{\\rtf1\\mac"), "Größe");
  assert.equal(await text("{\\rtf1\\ansi\\ansicpg10000"), "Größe");
  assert.equal(shape((await parse("{\\rtf1\\pca Gr\\'94\\'e1e\\par}")).blocks)[0]?.[1], "Größe");
  assert.equal(shape((await parse("{\\rtf1\\ansi\\ansicpg932 \\'90\\'85\\par}")).blocks)[0]?.[1], "水");
});
