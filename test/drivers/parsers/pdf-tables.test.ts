import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, parsePdf, prose, type Sheet, textsOf } from "./pdf-make.ts";

function grid({ rule, write }: Sheet, rows: readonly (readonly string[])[], top: number): void {
  const columns = [72, 212, 352, 492];
  for (let row = 0; row <= rows.length; row++) rule(72, top + row * 20, 492, top + row * 20);
  for (const x of columns) rule(x, top, x, top + rows.length * 20);
  for (const [index, row] of rows.entries()) {
    for (const [column, text] of row.entries()) write(text, (columns[column] ?? 0) + 5, top + index * 20 + 14);
  }
}

test("a table drawn with lines is read cell by cell, words included", async () => {
  const rows = [
    ["City", "Country", "River"],
    ["Vienna", "Austria", "Danube"],
    ["Paris", "France", "Seine"],
  ];
  const { blocks } = await parsePdf(await drawn([(sheet) => grid(sheet, rows, 100)]));
  const table = blocks.find((block) => block.kind === "table");
  assert.deepEqual(table?.table, { rows, headerRows: 1 });
  assert.deepEqual(table?.boxes?.[0], { page: 1, left: 72, top: 100, right: 492, bottom: 160 });
});

test("a merged cell is a span, and its text stands in every place it covers", async () => {
  const bytes = await drawn([
    ({ rule, write }) => {
      for (const y of [100, 140, 160]) rule(72, y, 372, y);
      rule(172, 120, 372, 120);
      for (const x of [72, 172, 372]) rule(x, 100, x, 160);
      rule(272, 120, 272, 160);
      write("Product", 80, 124);
      write("Sales by year", 220, 114);
      write("2022", 200, 134);
      write("2023", 300, 134);
      write("Pumps", 80, 154);
      write("410", 200, 154);
      write("455", 300, 154);
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  const table = blocks.find((block) => block.kind === "table")?.table;
  assert.deepEqual(table?.rows, [
    ["Product", "Sales by year", "Sales by year"],
    ["Product", "2022", "2023"],
    ["Pumps", "410", "455"],
  ]);
  assert.deepEqual(table?.spans, [
    { row: 0, column: 0, rows: 2, columns: 1 },
    { row: 0, column: 1, rows: 1, columns: 2 },
  ]);
  assert.equal(table?.headerRows, 2);
});

test("a table between rules across, without lines between columns, is read by the alignment of its words", async () => {
  const rows = [
    ["Model", "Licence", "Language"],
    ["alpha small", "MIT", "English"],
    ["beta large", "Apache", "German"],
    ["gamma tiny", "BSD", "French"],
  ];
  const bytes = await drawn([
    ({ rule, write }) => {
      for (const y of [100, 120, 190]) rule(72, y, 400, y);
      for (const [index, row] of rows.entries()) {
        for (const [column, text] of row.entries()) write(text, 76 + column * 110, 114 + index * 20);
      }
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(blocks.find((block) => block.kind === "table")?.table, { rows, headerRows: 1 });
});

test("a table that goes on over a page is one table with both pages; its repeated header is said once", async () => {
  const header = ["Name", "Role", "Team"];
  const first = [header, ["Ada", "Engineer", "Core"], ["Bo", "Writer", "Docs"]];
  const second = [header, ["Cy", "Lawyer", "Legal"], ["Di", "Tester", "Core"]];
  const { blocks } = await parsePdf(await drawn([(sheet) => grid(sheet, first, 600), (sheet) => grid(sheet, second, 80)]));
  const tables = blocks.filter((block) => block.kind === "table");
  assert.equal(tables.length, 1);
  assert.deepEqual(tables[0]?.pages, [1, 2]);
  assert.deepEqual(tables[0]?.table?.rows, [...first, ...second.slice(1)]);
  assert.equal(tables[0]?.boxes?.length, 2);
});

test("a caption stays beside its table, and a frame around prose is no table", async () => {
  const bytes = await drawn([
    (sheet) => {
      sheet.write("Table 1: Cities and their rivers", 72, 90);
      grid(
        sheet,
        [
          ["City", "Country", "River"],
          ["Vienna", "Austria", "Danube"],
          ["Paris", "France", "Seine"],
        ],
        100,
      );
      for (const y of [300, 400]) sheet.rule(60, y, 560, y);
      for (const x of [60, 560]) sheet.rule(x, 300, x, 400);
      for (const [index, line] of prose(5, "frames").entries()) sheet.write(line, 70, 320 + index * 14);
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  const kinds = blocks.map((block) => block.kind);
  assert.equal(kinds[kinds.indexOf("table") - 1], "caption");
  assert.equal(kinds.filter((kind) => kind === "table").length, 1);
  assert.match(textsOf(blocks, "paragraph").join(" "), /Sentence 4 about frames/);
});
