import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, parsePdf, type Sheet } from "../pdf-make.ts";

/** The text as it is read, on one line. */
async function readText(draw: (sheet: Sheet) => void): Promise<string> {
  const { blocks } = await parsePdf(await drawn([draw]));
  return blocks
    .map(({ text }) => text)
    .join(" ")
    .replaceAll(/\s+/g, " ");
}

const before = [
  "The separator does not empty at once after the machine has come to a stop on",
  "its own, and the gauge on the vessel shows the pressure that remains inside.",
];
const warning = [
  "Hot oil can spray out. Wait at least six minutes and make sure that the",
  "gauge reads zero before the filler plug is unscrewed by hand.",
];
const after = [
  "The doors of the cabinet are opened by an electrician and by nobody else in",
  "the house, and they are locked again before the machine is started.",
];

function write(sheet: Sheet, lines: readonly string[], x: number, y: number): void {
  for (const [at, line] of lines.entries()) sheet.write(line, x, y + at * 12);
}

const joined = (...parts: readonly (string | readonly string[])[]): string => parts.flat().join(" ");

test("a label beside the middle of a paragraph is read before it", async () => {
  for (const y of [146, 150, 152]) {
    const text = await readText((sheet) => {
      write(sheet, before, 60, 80);
      sheet.write("DANGER", 70, y, { font: sheet.bold, size: 9 });
      write(sheet, warning, 150, 140);
      write(sheet, after, 60, 200);
    });
    assert.equal(text, joined(before, "DANGER", warning, after), `label at ${y}`);
  }
});

test("labels in a side column are each read before the paragraph that they stand beside", async () => {
  const texts = [warning, after, before, warning.toReversed()];
  const text = await readText((sheet) => {
    for (const [at, lines] of texts.entries()) {
      sheet.write(`LABEL ${"ABCD"[at]}`, 60, 106 + at * 60, { font: sheet.bold });
      write(sheet, lines, 150, 100 + at * 60);
    }
  });
  assert.equal(text, joined(...texts.flatMap((lines, at) => [`LABEL ${"ABCD"[at]}`, lines])));
});

test("a mark right of a paragraph's middle is read after it", async () => {
  const text = await readText((sheet) => {
    write(sheet, warning, 60, 140);
    sheet.write("see page 12", 480, 146);
    write(sheet, after, 60, 200);
  });
  assert.equal(text, joined(warning, "see page 12", after));
});

test("a heading in one of two columns stays in its column", async () => {
  const column = (name: string) =>
    Array.from({ length: 8 }, (_, at) => `${name} line ${at} goes on over the column's width`);
  const [left, lower, right] = [column("the left"), column("the lower"), column("the right")];
  const text = await readText((sheet) => {
    write(sheet, left, 60, 100);
    sheet.write("2 Pumps", 60, 224, { font: sheet.bold });
    write(sheet, lower, 60, 248);
    write(sheet, right, 330, 100);
    write(sheet, ["the note below the text of this", "column ends the page at its foot"], 330, 218);
  });
  assert.ok(text.includes(joined(left, "2 Pumps", lower)), text);
});
