import assert from "node:assert/strict";
import { test } from "node:test";
import { degrees, rgb } from "pdf-lib";
import { drawn, parsePdf, prose, type Sheet, textsOf } from "./pdf-make.ts";

function grid({ rule, write }: Sheet, rows: readonly (readonly string[])[], top: number): void {
  const columns = [72, 212, 352, 492];
  for (let row = 0; row <= rows.length; row++) rule(72, top + row * 20, 492, top + row * 20);
  for (const x of columns) rule(x, top, x, top + rows.length * 20);
  for (const [index, row] of rows.entries()) {
    for (const [column, text] of row.entries())
      write(text, (columns[column] ?? 0) + 5, top + index * 20 + 14);
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

test("names of columns above the first rule head the table, and headings stand over all of theirs", async () => {
  const { blocks } = await parsePdf(
    await drawn([
      ({ write, rule, font }) => {
        const right = (text: string, x: number, y: number) =>
          write(text, x - font.widthOfTextAtSize(text, 10), y);
        for (const [index, line] of prose(3, "heads").entries()) write(line, 72, 60 + index * 12);
        write("Year ended June 30, 2022", 242, 128);
        write("Year ended June 30, 2023", 402, 128);
        write("($ million)", 72, 144);
        for (const x of [300, 380, 460, 540]) right(x % 160 === 140 ? "EBITDA" : "EBIT", x, 144);
        for (const y of [150, 170, 266]) rule(72, y, 545, y);
        const rows = [
          ["Tugs", "805", "95", "48", "70"],
          ["Pilots", "10", "12", "11", "9"],
          ["Dredgers", "30", "35", "25", "19"],
          ["Sheds and cranes", "1,829", "1,250", "2,080", "1,510"],
          ["Ferries", "57", "58", "60", "52"],
          ["Slips", "13", "15", "16", "11"],
          ["Locks", "77", "75", "71", "70"],
        ];
        for (const [index, [label = "", ...figures]] of rows.entries()) {
          write(label, 72, 164 + index * 16);
          for (const [column, text] of figures.entries()) right(text, 300 + column * 80, 164 + index * 16);
        }
        for (const [index, line] of prose(3, "below").entries()) write(line, 72, 300 + index * 12);
      },
    ]),
  );
  const table = blocks.find((block) => block.table !== undefined)?.table;
  assert.equal(table?.headerRows, 2);
  assert.deepEqual(
    [...(table?.rows.slice(0, 3) ?? []), table?.rows[5]],
    [
      ["", ...Array(2).fill("Year ended June 30, 2022"), ...Array(2).fill("Year ended June 30, 2023")],
      ["($ million)", "EBITDA", "EBIT", "EBITDA", "EBIT"],
      ["Tugs", "805", "95", "48", "70"],
      ["Sheds and cranes", "1,829", "1,250", "2,080", "1,510"],
    ],
  );
});

test("a title or prose above the first rule of a table names none of its columns", async () => {
  const ruled = async (above: (sheet: Sheet) => void) => {
    const { blocks } = await parsePdf(
      await drawn([
        (sheet) => {
          above(sheet);
          for (const y of [150, 250]) sheet.rule(72, y, 545, y);
          for (let row = 0; row < 6; row++)
            for (const [column, text] of ["Quay dues", "410", "455", "470"].entries())
              sheet.write(text, [72, 240, 360, 480][column] ?? 0, 164 + row * 16);
        },
      ]),
    );
    return blocks.find((block) => block.table !== undefined)?.table;
  };
  const title = await ruled(({ write }) => write("Annual report of Harbour Mills plc", 235, 144));
  assert.equal(title?.headerRows, 0);
  const columns = await ruled(({ write }) => {
    for (const [index, line] of prose(8, "left").entries()) {
      write(line.slice(0, 44), 72, 54 + index * 12);
      write(line.slice(0, 44), 330, 54 + index * 12);
    }
  });
  assert.deepEqual([columns?.headerRows, columns?.rows.length], [0, 6]);
});

test("the mark of a note behind the figure of a cell is no digit of it", async () => {
  const { blocks } = await parsePdf(
    await drawn([
      ({ write, rule }) => {
        for (const y of [100, 120, 140, 160]) rule(72, y, 372, y);
        for (const x of [72, 222, 297, 372]) rule(x, 100, x, 160);
        for (const [index, row] of [
          ["Berths", "2022", "2021"],
          ["Sheds", "1,234", "987"],
          ["Cranes", "41", "39"],
        ].entries())
          for (const [column, text] of row.entries())
            write(text, [80, 230, 305][column] ?? 0, 114 + index * 20);
        write("3", 230 + 25.02, 134 - 3.6, { size: 6.5 });
      },
    ]),
  );
  assert.deepEqual(blocks.find(({ table }) => table !== undefined)?.table?.rows[1], [
    "Sheds",
    "1,234[3]",
    "987",
  ]);
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
  const { blocks } = await parsePdf(
    await drawn([(sheet) => grid(sheet, first, 600), (sheet) => grid(sheet, second, 80)]),
  );
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

test("figures with a unit in a drawn table are cells of their own", async () => {
  const rows = [
    ["Position", "Fastener", "Torque"],
    ["101", "Casing bolts", "125 Nm"],
    ["102", "Bearing bolts", "34 Nm"],
    ["103", "Drain plug", "45 Nm"],
  ];
  const { blocks } = await parsePdf(await drawn([(sheet) => grid(sheet, rows, 100)]));
  assert.deepEqual(blocks.find((block) => block.kind === "table")?.table?.rows, rows);
});

test("words that stand in columns without any line are a table, and what wraps in a cell stays in it", async () => {
  const rows = [
    ["Fastener", "Thread", "Locking"],
    ["Casing cover bolts", "M16", "none"],
    ["Impeller nut", "M24", "HL-243 thread locker"],
    ["Anchor bolts", "M20", "second nut"],
  ];
  const bytes = await drawn([
    ({ write, bold }) => {
      for (const [index, line] of prose(4, "bolts").entries()) write(line, 72, 80 + index * 14);
      let y = 150;
      for (const [index, [name = "", thread = "", locking = ""]] of rows.entries()) {
        const face = index === 0 ? { font: bold } : {};
        write(name, 72, y, face);
        write(thread, 240, y, face);
        const [head = "", tail = ""] = locking.split(" thread ");
        write(tail === "" ? head : `${head} thread`, 340, y, face);
        if (tail !== "") write(tail, 340, y + 12);
        y += tail === "" ? 18 : 30;
      }
      for (const [index, line] of prose(4, "nuts").entries()) write(line, 72, 260 + index * 14);
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.map((block) => block.kind),
    ["paragraph", "table", "paragraph"],
  );
  assert.deepEqual(blocks[1]?.table, { rows, headerRows: 1 });
});

test("items with their marks set apart, and lines of an address beside a date, are no tables", async () => {
  const bytes = await drawn([
    ({ write }) => {
      write("Halden Works", 72, 80);
      write("14 March 2026", 430, 80);
      write("Storgata 1", 72, 94);
      write("1776 Halden", 72, 108);
      for (const [index, line] of prose(5, "items").entries()) {
        write(`${index + 1}.`, 72, 150 + index * 14);
        write(line, 100, 150 + index * 14);
      }
      for (const [index, line] of prose(5, "marks").entries()) {
        write("•", 72, 250 + index * 14);
        write(line, 100, 250 + index * 14);
      }
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(
    blocks.filter((block) => block.kind === "table"),
    [],
  );
});

test("letters that run up a drawn column are its heading, and a head shaded without lines is part of the table", async () => {
  const bytes = await drawn([
    ({ page, rule, write, font }) => {
      page.drawRectangle({ x: 72, y: 692 - 80, width: 300, height: 80, color: rgb(0.8, 0.85, 0.9) });
      for (const y of [180, 200, 220]) rule(72, y, 372, y);
      for (const x of [172, 272]) rule(x, 100, x, 220);
      write("Action", 80, 170);
      for (const [text, x] of [
        ["Reader", 225],
        ["Writer", 325],
      ] as const)
        page.drawText(text, { x, y: 792 - 170, size: 10, font, rotate: degrees(90) });
      for (const [index, row] of [
        ["Open", "yes", "yes"],
        ["Change", "no", "yes"],
      ].entries())
        for (const [column, text] of row.entries()) write(text, 80 + column * 100, 194 + index * 20);
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(blocks[0]?.table?.rows, [
    ["Action", "Reader", "Writer"],
    ["Open", "yes", "yes"],
    ["Change", "no", "yes"],
  ]);
  assert.equal(blocks.length, 1);
});

test("prose stays whole beside a list of facts, and two columns of long lines are not torn into a table", async () => {
  const story = [
    "She went on to star in several films that won",
    "her the award of the year and a nomination for",
    "another one in the spring, which she",
    "declined before the war had come to its end",
    "and the theatre was closed for good.",
  ];
  const bytes = await drawn([
    ({ write }) => {
      const facts = [
        ["Born", "2 March 1919"],
        ["Died", "17 May 2009"],
        ["Place", "Tulsa"],
        ["School", "Northwestern"],
        ["Work", "Actress"],
      ];
      for (const [index, line] of story.entries()) {
        write(line, 72, 80 + index * 14);
        write(facts[index]?.[0] ?? "", 350, 80 + index * 14);
        write(facts[index]?.[1] ?? "", 430, 80 + index * 14);
      }
      const pairs = [
        ["bw", "Variety meats keep one to two days in the coldest part"],
        ["Store without washing in the carton", "When storing meat longer than the times that are given"],
        ["on the interior shelf.", "NOTE: Use fresh fish on the day on which it was bought"],
        ["Milk", "Cover or wrap what has a strong smell before it goes in"],
      ];
      for (const [index, [left = "", right = ""]] of pairs.entries()) {
        write(left, 72, 300 + index * 14);
        write(right, 330, 300 + index * 14);
      }
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  assert.deepEqual(textsOf(blocks, "table"), [
    "Born | 2 March 1919\nDied | 17 May 2009\nPlace | Tulsa\nSchool | Northwestern\nWork | Actress",
  ]);
  assert.equal(textsOf(blocks, "paragraph")[0], story.join(" "));
});

test("rules that underline columns of figures do not cut the figures off from their labels", async () => {
  const bytes = await drawn([
    ({ rule, write }) => {
      for (const [column, x] of [300, 420].entries()) {
        write(["First", "Second"][column] ?? "", x + 20, 86);
        write("Quarter", x + 20, 98);
      }
      for (const y of [74, 102]) rule(300, y, 490, y);
      for (const [index, label] of [
        "Net sales",
        "Cost of sales",
        "Gross profit",
        "Expenses",
        "Income",
      ].entries()) {
        write(label, 72, 120 + index * 16);
        for (const [column, x] of [300, 420].entries()) {
          write("$", x, 120 + index * 16);
          write(`${4 + column},${120 + index * 7}`, x + 40, 120 + index * 16);
        }
      }
      for (const y of [108, 140, 156, 188]) for (const x of [300, 420]) rule(x, y, x + 70, y);
    },
  ]);
  const { blocks } = await parsePdf(bytes);
  const rows = blocks.find((block) => block.kind === "table")?.table?.rows ?? [];
  assert.deepEqual(rows.slice(0, 3), [
    ["", "First", "Second"],
    ["", "Quarter", "Quarter"],
    ["Net sales", "$4,120", "$5,120"],
  ]);
});

test("a row of words below a row that names each column is no heading, though figures come later", async () => {
  const rows = [
    ["Item", "Normal conditions", "Dusty conditions"],
    ["Oil level", "every day", "every shift"],
    ["Filter", "2,000", "800"],
    ["Belt", "4,000", "3,000"],
  ];
  const { blocks } = await parsePdf(await drawn([(sheet) => grid(sheet, rows, 100)]));
  assert.deepEqual(blocks.find((block) => block.kind === "table")?.table, { rows, headerRows: 1 });
});
