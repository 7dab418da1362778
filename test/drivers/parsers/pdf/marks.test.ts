import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParsedContent } from "../../../../src/core/documents/document.ts";
import { drawn, parsePdf, prose, type Sheet } from "../pdf-make.ts";

const textOf = ({ blocks, pageTexts = [] }: ParsedContent): string =>
  [...blocks, ...pageTexts].map(({ text }) => text).join("\n");

/** Writes marks all over a map, of texts in turn. */
function scatter({ write }: Sheet, marks: readonly string[], count: number): void {
  for (let at = 0; at < count; at++)
    write(marks[at % marks.length] ?? "", 80 + ((at * 137) % 430), 300 + ((at * 71) % 340), { size: 7 });
}

const story = prose(8, "the map below").map((line) => line.replace(/ \d/, ""));
const tell = ({ write }: Sheet) => {
  for (const [at, line] of story.entries()) write(line, 60, 80 + at * 14);
};

for (const [name, marks] of [
  ["zeros", ["0"]],
  ["letters of a font of symbols", ["l", "n", "l"]],
  ["symbols", ["*", "+", "x", "#", "<>", "0"]],
] as const) {
  test(`${name} all over a map are left out, and the page is named`, async () => {
    const read = await parsePdf(
      await drawn([
        (sheet) => {
          tell(sheet);
          scatter(sheet, marks, 60);
          sheet.write("Oldenburg", 300, 700);
        },
        tell,
      ]),
    );
    const text = textOf(read);
    for (const mark of marks) assert.ok(!text.split(/\s+/).includes(mark), `${mark} in ${text}`);
    assert.ok(text.includes("Oldenburg") && text.includes(story.at(-1) ?? "?"), text);
    assert.deepEqual(read.warnings, ["runs of symbols, as on maps and charts, were skipped on pages: 1"]);
  });
}

test("figures of a table, ticks beside words and the scale of a chart are no marks", async () => {
  const read = await parsePdf(
    await drawn([
      ({ write }) => {
        for (let row = 0; row < 6; row++) {
          write(`Depot ${"ABCDEF"[row]} in the north`, 60, 100 + row * 16);
          for (let column = 0; column < 4; column++)
            write(column === 3 ? "7" : "0", 250 + column * 60, 100 + row * 16);
        }
        for (let tick = 0; tick <= 10; tick++) write(String(tick * 9), 60 + tick * 40, 400);
      },
    ]),
  );
  assert.equal(textOf(read).match(/\b0\b/g)?.length, 2 * (18 + 1));
  assert.deepEqual(read.warnings, []);
});
