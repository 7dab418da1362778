import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "../../../../src/core/documents/document.ts";
import { drawn, parsePdf, type Sheet } from "../pdf-make.ts";

const slide: [number, number] = [960, 540];

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

/** Writes a block: a title and lines below it. */
function block(
  { write, bold }: Sheet,
  [title, ...lines]: readonly string[],
  x: number,
  y: number,
  { title: titleSize, size, step }: { title: number; size: number; step: number },
): void {
  write(title ?? "", x, y, { size: titleSize, font: bold });
  for (const [at, line] of lines.entries()) write(line, x, y + titleSize + 12 + at * step, { size });
}

const onSlide = { title: 18, size: 16, step: 26 };
const joined = (lines: readonly string[]): string => lines.join(" ");

const before = ["Today", "• Four pumps run without a spare", "• Readings are kept on paper"];
const after = ["Next year", "• Two pumps stand by at all times", "• Readings go to the control room"];

test("two lists below their titles on a slide are read one after the other", async () => {
  const text = await readText((sheet) => {
    sheet.write("The pump house", 60, 70, { size: 28, font: sheet.bold });
    block(sheet, before, 60, 140, onSlide);
    block(sheet, after, 500, 140, onSlide);
  }, slide);
  assert.equal(text, `The pump house ${joined(before)} ${joined(after)}`);
});

test("phrases without marks below their titles are read block by block", async () => {
  const [left, right] = [before, after].map((lines) => lines.map((line) => line.replace("• ", "")));
  const text = await readText((sheet) => {
    block(sheet, left ?? [], 60, 140, onSlide);
    block(sheet, right ?? [], 500, 140, onSlide);
  }, slide);
  assert.equal(text, joined([...(left ?? []), ...(right ?? [])]));
});

test("three cards side by side are read one after the other, and those of the next row after them", async () => {
  const cards = ["Intake", "Filter", "Outlet", "Archive", "Office", "Store"].map((name) => [
    name,
    `The ${name.toLowerCase()} is checked on`,
    "every working day by the",
    "person on the early shift.",
  ]);
  const text = await readText((sheet) => {
    for (const [at, card] of cards.entries())
      block(sheet, card, 50 + (at % 3) * 190, at < 3 ? 120 : 280, { title: 13, size: 10, step: 12 });
  });
  assert.equal(text, joined(cards.flat()));
});

test("captions below two pictures side by side are read one after the other", async () => {
  const [left, right] = [
    ["The old weir above the mill, as it", "stood before the flood of spring"],
    ["The new weir with its fish ladder", "and the gauge on the left bank"],
  ];
  const text = await readText((sheet) => {
    sheet.write("Two weirs on the river", 60, 80, { size: 16 });
    for (const [at, line] of (left ?? []).entries()) sheet.write(line, 60, 300 + at * 12);
    for (const [at, line] of (right ?? []).entries()) sheet.write(line, 330, 300 + at * 12);
  });
  assert.equal(text, joined(["Two weirs on the river", ...(left ?? []), ...(right ?? [])]));
});

test("notes beside a list whose lines do not stand level with it are read by themselves", async () => {
  const [left, right] = [
    ["Oil the main bearing", "Clean the strainer", "Read both gauges", "Sign the log book"],
    ["Shift leader: A. Meyer", "Desk in the west hall", "Keys at the gatehouse", "Radio on channel two"],
  ];
  const text = await readText((sheet) => {
    for (const [at, line] of left.entries()) sheet.write(line, 60, 200 + at * 15, { size: 11 });
    for (const [at, line] of right.entries()) sheet.write(line, 330, 207 + at * 13.5, { size: 11 });
  });
  assert.equal(text, joined([...left, ...right]));
});

test("a list and sentences beside it, and names below far larger titles, are read apart", async () => {
  const list = ["• Check the oil", "• Check the water", "• Check the belts"];
  const text = ["The driver signs the sheet", "before the first trip and", "hands it to the office."];
  const teams = [
    ["Early shift", "Anna", "Boris", "Clara"],
    ["Late shift", "David", "Emil", "Frida"],
  ];
  const read = await readText((sheet) => {
    for (const [at, line] of list.entries()) sheet.write(line, 60, 100 + at * 22, { size: 18 });
    for (const [at, line] of text.entries()) sheet.write(line, 500, 100 + at * 22, { size: 18 });
    for (const [at, team] of teams.entries())
      block(sheet, team, 60 + at * 440, 300, { title: 22, size: 16, step: 26 });
  }, slide);
  assert.equal(read, joined([...list, ...text, ...teams.flat()]));
});

test("labels and values of a form in two columns are read across", async () => {
  const rows = [
    ["Applicant", "Anna Meyer", "Date of entry", "3 May 2024"],
    ["Street", "Mill Lane 4", "Department", "Water works"],
    ["Town", "Oldenburg", "Room", "West hall"],
  ];
  const text = await readText((sheet) => {
    for (const [at, row] of rows.entries())
      for (const [column, cell] of row.entries())
        sheet.write(cell, [60, 150, 320, 430][column] ?? 0, 200 + at * 18);
  });
  assert.equal(text, joined(rows.flat()));
});

test("labels and the values that wrap beside them are read across", async () => {
  const text = await readText((sheet) => {
    sheet.write("Scope", 60, 200);
    sheet.write("All pumps of the lower park and", 200, 200);
    sheet.write("the valves beside them", 200, 212);
    sheet.write("Owner", 60, 236);
    sheet.write("The head of the water works or", 200, 236);
    sheet.write("whoever stands in", 200, 248);
  });
  assert.equal(
    text,
    "Scope All pumps of the lower park and the valves beside them " +
      "Owner The head of the water works or whoever stands in",
  );
});

test("large figures and what they count are read across", async () => {
  const facts = ["of all pumps were checked this year", "hours without a fault", "calls at night"];
  const text = await readText((sheet) => {
    for (const [at, fact] of facts.entries()) {
      sheet.write(["85 %", "4 200", "12"][at] ?? "", 80, 180 + at * 90, { size: 40 });
      sheet.write(fact, 320, 176 + at * 90, { size: 18 });
    }
  }, slide);
  assert.equal(text, `85 % ${facts[0]} 4 200 ${facts[1]} 12 ${facts[2]}`);
});

test("a table without lines stays a table, also below larger titles", async () => {
  const rows = [
    ["Pump", "Place", "State"],
    ["Intake one", "Upper park", "In service"],
    ["Intake two", "Upper park", "On standby"],
    ["Drain", "Lower park", "In service"],
    ["Booster", "West hall", "Under repair"],
  ];
  for (const titleSize of [10, 12]) {
    const blocks = await readBlocks(({ write, bold }) => {
      for (const [at, row] of rows.entries())
        for (const [column, cell] of row.entries())
          write(
            cell,
            60 + column * 150,
            200 + at * 16,
            at === 0 ? { size: titleSize, font: bold } : { size: 10 },
          );
    });
    assert.deepEqual(blocks.find(({ table }) => table !== undefined)?.table?.rows, rows);
  }
});

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

test("a bold heading as large as the text divides all columns where they begin level below it", async () => {
  const lines: string[] = [];
  const blocks = await readBlocks((sheet) => {
    lines.push(...trees(sheet, ["Upper park"], ["alder", "birch"], 60));
    sheet.write("Lower park", 50, 170, { size: 8.5, font: sheet.bold });
    lines.push("Lower park");
    lines.push(...trees(sheet, [], ["young alder", "young birch"], 180));
  });
  assert.equal(joined(blocks.map(({ text }) => text)), joined(lines));
  assert.ok(blocks.some(({ kind, text }) => kind === "heading" && text === "Lower park"));
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
