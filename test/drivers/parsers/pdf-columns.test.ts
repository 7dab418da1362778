import assert from "node:assert/strict";
import { test } from "node:test";
import { readLines } from "../../../src/drivers/parsers/page/lines.ts";
import type { Piece } from "../../../src/drivers/parsers/page/pieces.ts";
import { drawn, parsePdf, type Sheet } from "./pdf-make.ts";

/** Lines of one sentence that goes on over all of them, each begun in its middle. */
const running = (topic: string, count: number): string[] =>
  Array.from(
    { length: count },
    (_, line) =>
      `${line === 0 ? "The" : "and"} report of part ${topic} says on its line ${"abcdefghijklmnop"[line]}`,
  );

/** Writes lines below each other, 12 points apart. */
function column({ write }: Sheet, lines: readonly string[], x: number, y: number): void {
  for (const [index, line] of lines.entries()) write(line, x, y + index * 12);
}

async function readBlocks(draw: (sheet: Sheet) => void): Promise<string[]> {
  return (await parsePdf(await drawn([draw]))).blocks.map(({ text }) => text);
}

/** Lines of the page's regions, as they are read; for scripts that the fonts of a PDF cannot write. */
const readTexts = (pieces: readonly Piece[]): string[] =>
  readLines(pieces)
    .flat()
    .map(({ text }) => text);

/** Lines 15 points apart, from one edge to another. */
function linesAt(lines: readonly string[], x0: number, x1: number, rtl = false): Piece[] {
  return lines.map((text, line) => {
    const place = { x0, x1, y: 100 + line * 15, size: 10 };
    return { text, ...place, font: "", mono: false, rtl, role: "" };
  });
}

const joined = (lines: readonly string[]): string => lines.join(" ");

test("columns below a list of ratings are read one after the other, the list row by row", async () => {
  const [left, right] = [running("one", 8), running("two", 8)];
  const texts = await readBlocks((sheet) => {
    for (const [index, asked] of ["safe", "well led", "caring", "in time"].entries()) {
      sheet.write(`Is the service ${asked}?`, 60, 100 + index * 32);
      sheet.write("Requires improvement", 430, 100 + index * 32);
    }
    column(sheet, left, 60, 260);
    column(sheet, right, 320, 260);
  });
  const text = joined(texts);
  assert.ok(text.includes(joined(left)) && text.includes(joined(right)), text);
  assert.match(text.replace(/ ?\| ?/g, " "), /safe\? Requires improvement.*well led\? Requires improvement/);
});

test("columns stay whole below a figure whose labels cross them, and above a line across the page", async () => {
  const [left, right] = [running("one", 9), running("two", 9)];
  const texts = await readBlocks((sheet) => {
    for (let row = 0; row < 9; row++)
      for (let at = 0; at < 6; at++)
        sheet.write(`Label ${row} ${at}`, 70 + ((at * 83 + row * 29) % 420), 80 + row * 14);
    column(sheet, left, 60, 260);
    column(sheet, right, 320, 260);
    sheet.write(
      "A line that goes across both columns, from the left margin of the page to the right one",
      60,
      420,
    );
  });
  const text = joined(texts);
  assert.ok(text.includes(joined(left)) && text.includes(joined(right)), text);
  assert.ok(text.indexOf(joined(right)) < text.indexOf("A line that goes across"), text);
});

test("labels of a chart do not cut into the sentences of the column beside it", async () => {
  const left = running("one", 12).map((line) => line.replace("report of part one", "report"));
  const texts = await readBlocks((sheet) => {
    column(sheet, left, 60, 100);
    for (let row = 0; row < 10; row++) {
      sheet.write(String(94 - row * 7), 330 + row * 17, 106 + row * 13);
      if (row % 3 === 0) sheet.write("Every day", 500, 104 + row * 13);
    }
    sheet.write(
      "This paragraph goes from one margin of the page to the other and has no column beside it",
      60,
      290,
    );
  });
  assert.ok(joined(texts).includes(joined(left)), joined(texts));
});

test("labels of a statement that wrap stay in the row of their figures", async () => {
  const rows: (readonly [string, string, string])[] = [
    ["Purchases of property and equipment", "(4,120)", "(3,907)"],
    ["Proceeds from the sale of marketable securities", "1,873", "2,044"],
    ["Payments for businesses, net of cash acquired", "(912)", "(655)"],
    ["Dividends paid to holders of common shares", "(388)", "(371)"],
    ["Repayments of notes and other long-term debt", "(750)", "(500)"],
    ["Effect of exchange rates on cash and equivalents", "(14)", "22"],
  ];
  const texts = await readBlocks((sheet) => {
    for (const [index, [label, first, second]] of rows.entries()) {
      sheet.write(label, 60, 100 + index * 14);
      sheet.write(first, 400, 100 + index * 14);
      sheet.write(second, 480, 100 + index * 14);
    }
  });
  assert.match(joined(texts), /marketable securities \| 1,873 \| 2,044/);
});

test("words drawn twice over each other to look bold are read once", async () => {
  const texts = await readBlocks(({ write }) => {
    for (const [index, word] of ["Yearly", "inspection", "report"].entries())
      write(word, 60 + index * 120, 100, { size: 24 });
    for (const [index, word] of ["Yearly", "inspection", "report"].entries())
      write(word, 60.8 + index * 120, 100.3, { size: 24 });
    write("Bookkeeping is a word of its own with doubled letters in it.", 60, 140);
  });
  assert.deepEqual(texts, [
    "Yearly inspection report",
    "Bookkeeping is a word of its own with doubled letters in it.",
  ]);
});

test("parts of a line that are drawn twice, and letters drawn one by one, are read once", async () => {
  const texts = await readBlocks(({ write, font }) => {
    for (const beside of [0, 0.4]) {
      write("Total assets", 60 + beside, 100);
      write("last year", 203 + beside, 100);
      write("Bold", 60 + beside, 180);
      let x = 60;
      for (const letter of "Illinois filings") {
        write(letter, x + beside, 140);
        x += font.widthOfTextAtSize(letter, 10);
      }
    }
    write("were higher than", 122, 100);
    write("and plain words follow it", 85, 180);
  });
  assert.deepEqual(texts, [
    "Total assets were higher than last year",
    "Illinois filings",
    "Bold and plain words follow it",
  ]);
});

test("words and figures that run into the column before them are read, though it says the same elsewhere", async () => {
  const texts = await readBlocks(({ write, font }) => {
    for (const [index, [label, next]] of [
      ["The Target Number of shares", "Target Number"],
      ["A total of 1100", "100"],
    ].entries()) {
      write(label ?? "", 60, 100 + index * 40);
      write(next ?? "", 55 + font.widthOfTextAtSize(label ?? "", 10), 100.5 + index * 40);
    }
  });
  assert.match(texts[0] ?? "", /shares ?Target Number$/);
  assert.match(texts[1] ?? "", /1100 ?100$/);
});

test("a headline over two of three columns does not hide that the third begins beside it", async () => {
  const [one, two, three] = ["one", "two", "three"].map((topic) => running(topic, 12)) as [
    string[],
    string[],
    string[],
  ];
  const texts = await readBlocks((sheet) => {
    const narrow = (lines: readonly string[], x: number, y: number) => {
      for (const [index, line] of lines.entries()) sheet.write(line, x, y + index * 10, { size: 7 });
    };
    sheet.write("Storm hits the northern coast", 50, 90, { size: 24 });
    narrow(one, 50, 120);
    narrow(two, 225, 120);
    narrow(three, 420, 80);
  });
  const text = joined(texts);
  for (const lines of [one, two, three]) assert.ok(text.includes(joined(lines)), text);
});

test("a contract in two languages side by side is read paragraph by paragraph", async () => {
  const sizes = [4, 6, 5, 3, 5, 4];
  const left = sizes.map((lines, at) => running(`a${at}`, lines));
  const right = sizes.map((lines, at) => running(`b${at}`, Math.max(2, lines - (at % 2))));
  const texts = await readBlocks((sheet) => {
    for (const side of [left, right]) {
      let y = 100;
      for (const [at, lines] of side.entries()) {
        column(sheet, lines, side === left ? 60 : 330, y);
        y += (sizes[at] ?? 0) * 12 + 8;
      }
    }
  });
  assert.deepEqual(
    texts,
    left.flatMap((lines, at) => [joined(lines), joined(right[at] ?? [])]),
  );
});

test("a table without lines whose cells wrap is read row by row, each cell whole", async () => {
  const rows = [3, 5, 2, 4].map((lines, at) => ({
    text: running(`t${at}`, lines),
    states: at % 2 === 0 ? ["IA, IL, IN"] : ["IA, IL, IN, KY, MO,", "NJ, PA, TN, VA, WV"],
  }));
  const texts = await readBlocks((sheet) => {
    let y = 100;
    for (const [at, { text, states }] of rows.entries()) {
      column(sheet, [`Practice ${at}`, "of the states"], 60, y);
      column(sheet, text, 190, y);
      column(sheet, states, 460, y);
      y += text.length * 12 + 4;
    }
  });
  assert.deepEqual(
    texts,
    rows.flatMap(({ text, states }, at) => [`Practice ${at} of the states`, joined(text), joined(states)]),
  );
});

test("a list of offices and the names of who holds them is a table, not two columns of text", async () => {
  const rows: (readonly [string, string])[] = [
    ["Chief executive officer", "Maria Gonzales Fernandez"],
    ["Head of human resources", "Johann Sebastian Schmidt"],
    ["Director of public works", "Anna Katharina Petersen"],
    ["Clerk of the town council", "William Henry Montgomery"],
    ["Treasurer and accountant", "Elisabeth von Hohenfels"],
    ["Librarian of the main library", "Jean-Baptiste Moulin Roux"],
  ];
  const texts = await readBlocks(({ write }) => {
    for (const [index, [office, name]] of rows.entries()) {
      write(office, 60, 100 + index * 14);
      write(name, 320, 100 + index * 14);
    }
  });
  assert.equal(joined(texts), rows.map((row) => row.join(" | ")).join("\n"));
});

test("items that stand level in two columns of a list are read down the columns", async () => {
  const items = (side: string) =>
    Array.from({ length: 6 }, (_, at) => [
      `• Item ${side}${at} about the town`,
      "and what it spends on its roads",
    ]);
  const texts = await readBlocks((sheet) => {
    for (const [side, x] of [
      ["a", 60],
      ["b", 320],
    ] as const)
      for (const [at, lines] of items(side).entries()) column(sheet, lines, x, 100 + at * 30);
  });
  const expected = ["a", "b"].map((side) => items(side).map(joined).join("\n"));
  assert.deepEqual(texts, expected);
});

test("of two columns that are written from right to left, the right one is read first", () => {
  const lines = (topic: string) =>
    Array.from({ length: 8 }, (_, line) => `${topic}${line} המועצה הסכימה כי הכסף לכבישים חייב להיות`);
  const [first, second] = [lines("א"), lines("ב")];
  const title = "כותרת של כל העמוד הזה שעוברת מעל שני הטורים ביחד";
  const heading = linesAt([title], 100, 500, true).map((piece) => ({ ...piece, y: 70 }));
  const texts = readTexts([...heading, ...linesAt(second, 60, 280, true), ...linesAt(first, 320, 540, true)]);
  assert.deepEqual(texts, [title, ...first, ...second]);
});

test("three narrow columns in Japanese are read one after the other", () => {
  const lines = (topic: string) =>
    Array.from({ length: 8 }, (_, line) => `${topic}${line}市議会は道路の整備に必要`);
  const columns = ["甲", "乙", "丙"].map(lines);
  const texts = readTexts(columns.flatMap((each, at) => linesAt(each, 60 + at * 165, 200 + at * 165)));
  assert.deepEqual(texts, columns.flat());
});

test("a line of 200 000 runs side by side is read", () => {
  const place = { x0: 0, x1: 15, y: 100, size: 10, font: "", mono: false, rtl: false, role: "" };
  const pieces = Array.from({ length: 200_000 }, (_, at) => ({
    ...place,
    text: "the",
    x0: at * 100,
    x1: at * 100 + 15,
  }));
  assert.equal(readLines(pieces).flat()[0]?.cells.length, 200_000);
});
