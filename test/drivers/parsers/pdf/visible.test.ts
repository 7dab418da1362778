import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, type RawStream, rawPdf } from "../pdf-hostile.ts";
import { parsePdf } from "../pdf-make.ts";

const calculator = (program: string, outputs: number, inputs = 1): RawStream => ({
  ...packed(program),
  entries: `/Filter /FlateDecode /FunctionType 4 /Domain [${"0 1 ".repeat(inputs)}] /Range [${"0 1 ".repeat(outputs)}]`,
});
const ramp = (...results: string[]) =>
  `<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [${results[0]}] /C1 [${results[1]}] >>`;

/** Streams that colour spaces name, objects 4 and on. */
const streams: readonly RawStream[] = [
  { ...packed("profile"), entries: "/Filter /FlateDecode /N 1" },
  { ...packed("profile"), entries: "/Filter /FlateDecode /N 4" },
  // Eight bits a sample: from white to a dark blue.
  {
    ...packed(Buffer.from([0, 0, 0, 0, 255, 200, 0, 60])),
    entries:
      "/Filter /FlateDecode /FunctionType 0 /Domain [0 1] /Range [0 1 0 1 0 1 0 1] /Size [2] /BitsPerSample 8",
  },
  calculator("{ exch dup 0.2 mul 3 1 roll 0 exch dup 0 gt { 0.5 } { 0 } ifelse exch pop }", 4, 2),
  { ...packed(Buffer.from([255, 255, 255, 0, 0, 0])), entries: "/Filter /FlateDecode" },
  calculator("{ pop 0 0 0 0 }", 4),
  calculator("{ unheard }", 4),
];
const spaces: Readonly<Record<string, string>> = {
  Light: "[/ICCBased 4 0 R]",
  Press: "[/ICCBased 5 0 R]",
  Black: `[/Separation /Black /DeviceCMYK ${ramp("0 0 0 0", "0 0 0 1")}]`,
  Gray: `[/Separation /Spot /DeviceGray ${ramp("1", "0")}]`,
  Opaque: `[/Separation /White /DeviceCMYK ${ramp("0 0 0 1", "0 0 0 0")}]`,
  Sampled: "[/Separation /Blue [/ICCBased 5 0 R] 6 0 R]",
  Pair: "[/DeviceN [/Cyan /Spot] /DeviceCMYK 7 0 R]",
  Blank: "[/DeviceN [/None] /DeviceCMYK 9 0 R]",
  Odd: "[/Separation /Odd /DeviceCMYK 10 0 R]",
  Table: "[/Indexed /DeviceRGB 1 8 0 R]",
  Short: "[/Indexed /DeviceGray 1 (\\000\\377)]",
  Lab: "[/Lab << /WhitePoint [.95 1 1.09] >>]",
  Cal: "[/CalRGB << /WhitePoint [.95 1 1.09] >>]",
  Pattern: "[/Pattern /DeviceGray]",
};
const named = `/ColorSpace << ${Object.entries(spaces)
  .map(([name, space]) => `/${name} ${space}`)
  .join(" ")} >>`;

/** What is read of a page with this content, and whether something was left out as not to be seen. */
async function seen(content: string): Promise<string> {
  const bytes = rawPdf(
    [[packed(`BT /A 11 Tf 72 700 Td (Heading of the page) Tj ET\n${content}`)]],
    streams,
    named,
  );
  const { pageTexts } = await parsePdf(bytes);
  return (pageTexts?.[0]?.text ?? "").replace(/\s+/g, " ").replace("Heading of the page", "").trim();
}

const shown = (text: string, x = 72, y = 600) => `BT /A 11 Tf ${x} ${y} Td (${text}) Tj ET\n`;

const visible: Readonly<Record<string, string>> = {
  "full black ink": "/Black cs 1 scn",
  "an ink whose alternate is light": "/Gray cs 1 scn",
  "a sampled ink": "/Sampled cs 1 scn",
  "two inks by a calculator": "/Pair cs 1 0 scn",
  "the other of two inks": "/Pair cs 0 1 scn",
  "an ink with a function not known": "/Odd cs 1 scn",
  "the second entry of a table": "/Table cs 1 sc",
  "the first entry of a table in a string": "/Short cs 0 sc",
  "a profile of four inks": "/Press cs 0 0 0 1 scn",
  "light in a profile": "/Light cs 0.2 scn",
  "black in Lab": "/Lab cs 10 0 0 scn",
  "yellow in Lab": "/Lab cs 97 0 80 scn",
  "a pattern that is coloured with white": "/Pattern cs 1 /P0 scn",
  "a space that nothing names": "/Nowhere cs 1 1 1 scn",
  "a colour space set anew": "1 g /Black cs",
  "white fill with black lines": "1 g 2 Tr",
  "yellow, of four inks": "0 0 1 0 k",
};
for (const [name, color] of Object.entries(visible)) {
  test(`text in ${name} is kept`, async () => {
    assert.equal(await seen(`${color}\n${shown("Annual fee 1,250")}`), "Annual fee 1,250");
  });
}

const white: Readonly<Record<string, string>> = {
  "light alone": "1 g",
  "four inks": "0 0 0 0 k",
  "a profile of light": "/Light cs 1 scn",
  "a profile of four inks": "/Press cs 0 0 0 0 scn",
  "an ink not used": "/Black cs 0 scn",
  "an ink whose alternate is light": "/Gray cs 0 scn",
  "a white ink": "/Opaque cs 1 scn",
  "a sampled ink not used": "/Sampled cs 0 scn",
  "two inks not used": "/Pair cs 0 0 scn",
  "an ink that leaves nothing": "/Blank cs 1 scn",
  "the first entry of a table": "/Table cs 0 sc",
  "the second entry of a table in a string": "/Short cs 1 sc",
  Lab: "/Lab cs 100 0 0 scn",
  CalRGB: "/Cal cs 1 1 1 scn",
  "lines alone": "1 G 1 Tr",
  "fill and lines": "1 g 1 G 2 Tr",
};
for (const [name, color] of Object.entries(white)) {
  test(`text that is white in ${name} is left out on white and kept on black`, async () => {
    const text = `${color}\n${shown("Nobody sees this sentence")}`;
    assert.equal(await seen(text), "");
    assert.equal(await seen(`0 g 60 580 300 40 re f\n${text}`), "Nobody sees this sentence");
  });
}

test("white text on a wide line, a shading, a gradient in its own shape is kept", async () => {
  const text = shown("Quarterly prices");
  assert.equal(await seen(`24 w 60 604 m 400 604 l S 1 g\n${text}`), "Quarterly prices");
  assert.equal(await seen(`1 G 24 w 60 604 m 400 604 l S 1 g\n${text}`), "");
  assert.equal(await seen(`q 7 Tr\n${text}/S0 sh Q`), "Quarterly prices");
  assert.equal(await seen(`q 7 Tr\n${text} Q`), "");
});

test("visible text that begins where white text does, or follows it on its line, is kept", async () => {
  const line = "BT /A 11 Tf 72 600 Td";
  assert.match(await seen(`${line} 0 g (Total 852) Tj 1 g (unseen words) Tj ET`), /Total 852/);
  assert.match(await seen(`${line} 1 g (unseen) Tj 0 g ( Total 852) Tj ET`), /Total 852/);
  assert.match(await seen(`${line} 1 g (unseen ) Tj 0 g 40.3 0 Td (Total 852) Tj ET`), /Total 852/);
  assert.match(await seen(`1 g ${shown("Total 852")} 0 g ${shown("Total 852")}`), /^Total 852$/);
});

test("where a page draws more than is looked at, white text is kept", async () => {
  const lines = "10 10 m 300 10 l S\n".repeat(7000);
  assert.equal(
    await seen(`${lines}0 g 60 580 300 40 re f 1 g\n${shown("Key of the map")}`),
    "Key of the map",
  );
});
