import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "../../../../src/core/documents/document.ts";
import { drawn, parsePdf, type Sheet } from "../pdf-make.ts";

const readBlocks = async (draw: (sheet: Sheet) => void, size?: [number, number]): Promise<readonly Block[]> =>
  (await parsePdf(await drawn([draw], size))).blocks;

/** The text as it is read, on one line; cells of tables by bars. */
async function readText(draw: (sheet: Sheet) => void, size?: [number, number]): Promise<string> {
  const blocks = await readBlocks(draw, size);
  return blocks
    .map(({ table, text }) => table?.rows.map((row) => row.join(" ")).join(" ") ?? text)
    .join(" ")
    .replaceAll(/[\s|]+/g, " ");
}

const joined = (lines: readonly string[]): string => lines.join(" ");

/** A part of a page in columns: a heading above, lines about each tree below. */
function trees(
  { write, bold }: Sheet,
  heading: readonly string[],
  names: readonly string[],
  y: number,
): string[] {
  for (const [at, line] of heading.entries()) write(line, 50, y + at * 16, { size: 13, font: bold });
  const top = y + (heading.length - 1) * 16 + 20;
  const width = 510 / names.length;
  return [
    ...heading,
    ...names.flatMap((name, column) =>
      Array.from({ length: 6 }, (_, line) => {
        const text = `${name} line ${line + 1} of the ${name} part`;
        write(text, 50 + column * width, top + line * 11, { size: 8.5 });
        return text;
      }),
    ),
  ];
}

test("a heading no wider than its column divides all columns where it stands alone above them", async () => {
  for (const names of [
    ["alder", "birch"],
    ["alder", "birch", "cedar"],
  ]) {
    for (const heading of [["Lower park"], ["Lower park and", "its meadows"]]) {
      const lines: string[] = [];
      const text = await readText((sheet) => {
        lines.push(...trees(sheet, ["Upper park"], names, 60));
        lines.push(
          ...trees(
            sheet,
            heading,
            names.map((name) => `young ${name}`),
            190,
          ),
        );
        lines.push(...trees(sheet, ["Far bank"], names, 340));
      });
      assert.equal(text, joined(lines));
    }
  }
});

test("a heading within one column leaves the other whole", async () => {
  const [left, right] = ["left", "right"].map((side) =>
    Array.from({ length: 16 }, (_, line) => `and the ${side} side goes on with its line ${line + 1}`),
  );
  const text = await readText((sheet) => {
    for (const [at, line] of (left ?? []).entries()) sheet.write(line, 50, 100 + at * 12 + (at > 7 ? 40 : 0));
    sheet.write("A heading", 50, 100 + 8 * 12 + 22, { size: 13, font: sheet.bold });
    for (const [at, line] of (right ?? []).entries()) sheet.write(line, 320, 100 + at * 12);
  });
  assert.ok(text.includes(joined(right ?? [])), text);
});
