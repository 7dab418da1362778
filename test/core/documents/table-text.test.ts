import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellsOfRow,
  hasEmptyCell,
  hasRow,
  headersOf,
  rowsAsText,
  rowText,
  tableText,
} from "../../../src/core/documents/table-text.ts";

const rows = [
  ["Part", "Torque", "Torque (dry)"],
  ["Hook", "12 Nm", "-"],
  ["", "", "9"],
];

test("the cells of a row are read back from its line as they were written", () => {
  for (const row of rows) {
    assert.equal(hasRow(rowText(row)), true);
    assert.deepEqual(cellsOfRow(rowText(row)), row);
  }
  assert.deepEqual(rowsAsText(rows).split("\n").map(cellsOfRow), rows);
});

test("a line without cells is no row, and one cell", () => {
  assert.equal(hasRow("Either|or, a || b"), false);
  assert.deepEqual(cellsOfRow("Tighten the hook."), ["Tighten the hook."]);
});

test("a row below others has the first of them as its header, up to a line that is no row", () => {
  const text = `Parts\n${rowsAsText(rows)}\n…\nDrum | 40 | 3\n\nPump | 7`;
  const header = rowText(rows[0] ?? []);
  assert.deepEqual(
    [...headersOf(text)],
    ["Hook | 12 Nm | -", "|  | 9", "Drum | 40 | 3"].map((row) => [row, header]),
  );
});

test("a cell that is left empty behind another is found, at the end of its row too", () => {
  assert.equal(hasEmptyCell("Name | \nDate | 3 May"), true);
  assert.equal(hasEmptyCell(rowText(["Name", "", "Smith"])), true);
  assert.equal(hasEmptyCell(rowText(["", "Name", "Smith"])), false);
});

test("empty cells at the end of a row and empty rows are left out, those inside a row stay", () => {
  const rows = [
    ["Part", "Torque", ""],
    ["", "", ""],
    ["", "12 Nm", ""],
    ["a | b", " "],
  ];
  assert.equal(tableText(rows), "Part | Torque\n | 12 Nm\na | b");
});

test("a row of ten thousand empty cells with a filled one behind them is one line", () => {
  const row = [...Array.from({ length: 10_000 }, () => ""), "end"];
  assert.equal(tableText([row]), row.join(" | "));
  assert.equal(tableText([["start", ...row.slice(0, -1)]]), "start");
});
