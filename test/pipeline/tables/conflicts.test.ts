import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, figureTables } from "../../../src/pipeline/tables/conflicts.ts";
import { chunkOf } from "../fixtures.ts";

const statement = (rows: readonly string[], years = "2023 | 2022"): ReturnType<typeof figureTables> =>
  figureTables([chunkOf([`Fiscal year | ${years}`, ...rows].join("\n"))]);
const rows = [
  "Revenue | 4,120 | 3,980",
  "Costs | 2,310 | 2,255",
  "Tax | 402 | 391",
  "Profit | 1,408 | 1,334",
];
const changed = (from: string, to: string) => statement(rows.map((row) => row.replace(from, to)));
const found = (...documents: ReturnType<typeof figureTables>[]) =>
  differences(documents).map(({ one, other, agreeing }) => [
    one.row,
    one.period,
    one.cell,
    other.cell,
    agreeing,
  ]);

test("a figure that two documents with the same table give differently is a conflict", () => {
  assert.deepEqual(found(statement(rows), changed("1,334", "1,299")), [
    ["Profit", "2022", "1,334", "1,299", 7],
  ]);
});

test("the same table twice, another sign and a rounded figure are none", () => {
  assert.deepEqual(found(statement(rows), statement(rows)), []);
  assert.deepEqual(found(statement(rows), changed("2,310", "(2,310)")), []);
  assert.deepEqual(
    found(statement([...rows, "Yield | 4.26 | 4.10"]), statement([...rows, "Yield | 4.3 | 4.1"])),
    [],
  );
});

test("tables that share few figures, or differ in more than they share, are of different things", () => {
  assert.deepEqual(
    found(statement(rows), statement(["Revenue | 4,120 | 3,980", "Costs | 1,000 | 2,000"])),
    [],
  );
  const other = rows.map((row) => row.replace(/\d,\d+$/, "9,999").replace(/ 391$/, " 99"));
  assert.deepEqual(found(statement(rows), statement(other)), []);
});

test("a row that a table has twice with different values is compared with nothing", () => {
  const twice = [...rows, "Profit | 12 | 13"];
  assert.deepEqual(found(statement(twice), changed("1,334", "1,299")), []);
});

test("a figure of another period is not compared", () => {
  assert.deepEqual(found(statement(rows), statement(rows.slice(0, 4), "2021 | 2020")), []);
});

test("a share and an amount of the same name are not compared", () => {
  assert.deepEqual(
    found(statement([...rows, "Margin | 34% | 33%"]), statement([...rows, "Margin | 1,408 | 1,334"])),
    [],
  );
});
