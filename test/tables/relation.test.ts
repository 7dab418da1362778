import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "../../src/core/documents/document.ts";
import { relationsOf } from "../../src/tables/relation.ts";
import type { SheetTable } from "../../src/tables/schema.ts";
import { mergeTables } from "../../src/tables/whole.ts";

const tableOf = (rows: SheetTable["rows"], facts: Partial<SheetTable> = {}): SheetTable => ({
  ...{ documentId: "d", sourceName: "plant.xlsx", sheet: "", headerRows: 1, rows },
  ...facts,
});

const read = (rows: SheetTable["rows"], facts: Partial<SheetTable> = {}) =>
  relationsOf(tableOf(rows, facts), { isLenient: true });

/** Name, type and unit of each column of the only relation, and its cells row by row. */
function only(rows: SheetTable["rows"], facts: Partial<SheetTable> = {}) {
  const [relation, ...others] = read(rows, facts);
  assert.ok(relation);
  assert.deepEqual(others, []);
  return {
    columns: relation.schema.columns.map(({ name, type, unit }) => [name, type, unit]),
    cells: relation.loaded.rows.map(({ cells }) => cells),
  };
}

/** A column of these texts beside a column of names. */
const column = (...texts: readonly string[]) => {
  const { columns, cells } = only([
    ["Name", "Amount"],
    ...texts.map((text, at) => [`row ${"abcdef"[at]}`, text]),
  ]);
  return { type: columns[1]?.slice(1), cells: cells.map((row) => row[1]) };
};

test("headers of two levels are joined, and a title above them names the table", () => {
  const rows = [
    ["Sales by region", "Sales by region", "Sales by region"],
    ["", "2023", "2023"],
    ["Region", "Units", "Revenue"],
    ["North", "3", "40"],
    ["South", "5", "60"],
  ];
  assert.deepEqual(
    only(rows, { headerRows: 3 }).columns.map(([name]) => name),
    ["region", "c_2023_units", "c_2023_revenue"],
  );
  assert.equal(read(rows, { headerRows: 3 })[0]?.schema.name, "sales_by_region");
});

test("rows that add up others are kept apart from them", () => {
  const rows = [
    ["Item", "Cost"],
    ["Seal", "10"],
    ["Ring", "20"],
    ["Subtotal", "30"],
    ["Pump", "5"],
    ["Total", "35"],
  ];
  assert.deepEqual(
    read(rows).map(({ schema, loaded, totalsOf }) => [
      schema.name,
      loaded.rows.map(({ cells }) => cells),
      totalsOf,
    ]),
    [
      [
        "plant",
        [
          ["Seal", 10],
          ["Ring", 20],
          ["Pump", 5],
        ],
        undefined,
      ],
      [
        "plant_totals",
        [
          ["Subtotal", 30],
          ["Total", 35],
        ],
        "plant",
      ],
    ],
  );
});

test("numbers are read as English, German, French and Swiss write them", () => {
  assert.deepEqual(column("1,234.50", "12.25", "7"), { type: ["real", ""], cells: [1234.5, 12.25, 7] });
  assert.deepEqual(column("1.234,50", "12,25", "7"), { type: ["real", ""], cells: [1234.5, 12.25, 7] });
  assert.deepEqual(column("1 234,50", "1\u202f234,25", "7"), {
    type: ["real", ""],
    cells: [1234.5, 1234.25, 7],
  });
  assert.deepEqual(column("1'234.50", "1’234.25", "7"), { type: ["real", ""], cells: [1234.5, 1234.25, 7] });
});

test("brackets and signs before, behind and of print make a number negative", () => {
  assert.deepEqual(column("(1,200)", "-3", "−4", "5-").cells, [-1200, -3, -4, -5]);
  assert.deepEqual(column("($1,200)", "-$3", "$4").cells, [-1200, -3, 4]);
});

test("shares and currencies before or behind a number are its unit", () => {
  assert.deepEqual(column("12%", "3.5 %", "0"), { type: ["real", "%"], cells: [12, 3.5, 0] });
  assert.deepEqual(column("$1,200", "$ 3"), { type: ["integer", "$"], cells: [1200, 3] });
  assert.deepEqual(column("1.200,50 €", "3,00 €"), { type: ["real", "€"], cells: [1200.5, 3] });
  assert.deepEqual(column("EUR 5", "EUR 6"), { type: ["integer", "EUR"], cells: [5, 6] });
});

test("dates, dates with a time, and times of day are told apart", () => {
  assert.deepEqual(column("31.12.2024", "01.05.2024"), {
    type: ["date", ""],
    cells: ["2024-12-31", "2024-05-01"],
  });
  assert.deepEqual(column("2024-05-01 7:30", "2024-05-02 18:00").cells, [
    "2024-05-01 07:30",
    "2024-05-02 18:00",
  ]);
  assert.deepEqual(column("7:30", "18:05"), { type: ["text", ""], cells: ["07:30", "18:05"] });
});

test("a header that is repeated over pages is no row", () => {
  const table = (rows: readonly (readonly string[])[]) => ({
    headerRows: 1,
    rows: [["Tag", "Bar"], ...rows],
  });
  const block = (page: number, ...rows: readonly (readonly string[])[]): Block => ({
    ...{ kind: "table", text: "", pages: [page], table: table(rows) },
  });
  const [whole, ...others] = mergeTables([
    block(1, ["P1", "2"], ["Tag", "Bar"], ["P2", "3"]),
    block(2, ["P3", "4"]),
  ]);
  assert.ok(whole);
  assert.deepEqual(others, []);
  const { sheet: _, ...facts } = { ...whole, sheet: "" };
  assert.deepEqual(only(whole.rows, facts).cells, [
    ["P1", 2],
    ["P2", 3],
    ["P3", 4],
  ]);
  assert.deepEqual(whole.pages, [1, 2]);
});

test("ragged rows lack their last cells, and columns without a header have the letters of the sheet", () => {
  assert.deepEqual(
    only([
      ["Tag", "Bar", "Note"],
      ["P1", "2"],
      ["P2", "3", "new"],
    ]).cells,
    [
      ["P1", 2, null],
      ["P2", 3, "new"],
    ],
  );
  const bare = only(
    [
      ["P1", "2"],
      ["P2", "3"],
    ],
    { headerRows: 0, range: "C4:D5" },
  );
  assert.deepEqual(bare, {
    columns: [
      ["column_c", "text", ""],
      ["column_d", "integer", ""],
    ],
    cells: [
      ["P1", 2],
      ["P2", 3],
    ],
  });
});

test("names that are SQL, or nothing at all, become plain names of their own", () => {
  const [relation] = read(
    [
      ["select", "Select", "%", ""],
      ["a", "b", "c", "d"],
      ["e", "f", "g", "h"],
    ],
    {
      sheet: 'x"; DROP TABLE pumps; --',
    },
  );
  assert.equal(relation?.schema.name, "x_drop_table_pumps");
  assert.deepEqual(
    relation?.schema.columns.map(({ name }) => name),
    ["c_select", "c_select_2", "percent", "column_d"],
  );
});

test("the texts among the numbers of a column stand in a column beside it", () => {
  const { columns, cells } = only([
    ["Tag", "Bar"],
    ...["2", "3", "4", "see note", "5"].map((bar, at) => [`P${at}`, bar]),
  ]);
  assert.deepEqual(columns.slice(1), [
    ["bar", "integer", ""],
    ["bar_other", "text", ""],
  ]);
  assert.deepEqual(cells[3], ["P3", null, "see note"]);
});
