import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, Table } from "../../src/core/documents/document.ts";
import { mergeTables } from "../../src/tables/whole.ts";

const header = ["Shipment", "Weight (kg)"];
const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => [`S${from + at}`, String(from + at)]);
const blockOf = (rows: Table["rows"], more: Partial<Table> = {}): Block => ({
  kind: "table",
  text: "",
  pages: [],
  table: { rows: [header, ...rows], headerRows: 1, sheet: "Shipments", ...more },
});

test("a spreadsheet that was cut into blocks is asked as one table", () => {
  const blocks = [
    blockOf(rowsOf(0, 500), { range: "A1:B501" }),
    blockOf(rowsOf(500, 500), { range: "A502:B1001" }),
    blockOf(rowsOf(1000, 200), { range: "A1002:B1201" }),
  ];
  const [whole, ...others] = mergeTables(blocks);
  assert.equal(others.length, 0);
  assert.deepEqual([whole?.rows.length, whole?.range], [1201, "A1:B501"]);
  assert.deepEqual(
    whole?.rowNumbers,
    Array.from({ length: 1200 }, (_, at) => at + 2),
  );
  assert.deepEqual(whole?.rows.slice(499, 502), [
    ["S498", "498"],
    ["S499", "499"],
    ["S500", "500"],
  ]);
});

test("tables of another sheet, of other columns or of fewer rows stay apart", () => {
  const full = blockOf(rowsOf(0, 500));
  assert.equal(mergeTables([full, blockOf(rowsOf(0, 3), { sheet: "Returns" })]).length, 2);
  assert.equal(
    mergeTables([
      full,
      blockOf([], {
        rows: [
          ["Item", "Price"],
          ["a", "1"],
        ],
      }),
    ]).length,
    2,
  );
  assert.equal(mergeTables([blockOf(rowsOf(0, 4)), blockOf(rowsOf(0, 4))]).length, 2);
});

const text = (kind: Block["kind"], said: string): Block => ({ kind, text: said, pages: [] });
const inText = (pages: readonly number[], ...rows: string[][]): Block => ({
  kind: "table",
  text: "",
  pages,
  table: { rows: [header, ...rows], headerRows: 1 },
});

test("a table of a text has the caption beside it, or the heading above it, and goes on over pages", () => {
  const tables = mergeTables([
    text("heading", "Returns"),
    text("paragraph", "As counted."),
    inText([3], ["S1", "1"]),
    inText([4], ["S2", "2"]),
    text("paragraph", "The others:"),
    inText([4], ["S3", "3"]),
    text("caption", "Table 2 Others"),
  ]);
  assert.deepEqual(
    tables.map(({ caption, pages, rows }) => [caption, pages, rows.length]),
    [
      ["Returns", [3, 4], 3],
      ["Table 2 Others", [4], 2],
    ],
  );
});
