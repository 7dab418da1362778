import assert from "node:assert/strict";
import { test } from "node:test";
import { damagedFile, tableText } from "../../../src/drivers/parsers/blocks.ts";

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

test("a damaged file is named with a reason whose full stop does not stand before what to do", () => {
  const message = (reason: string) => damagedFile("a.pdf", "a PDF", new Error(reason)).message;
  assert.equal(message("Invalid PDF structure."), "cannot read a.pdf as a PDF: Invalid PDF structure");
  assert.equal(message("it ended early..."), "cannot read a.pdf as a PDF: it ended early...");
});
