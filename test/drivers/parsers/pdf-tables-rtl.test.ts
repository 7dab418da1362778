import assert from "node:assert/strict";
import { test } from "node:test";
import { inReadingOrder } from "../../../src/drivers/parsers/page/tables/right-to-left.ts";

test("columns of a table written from right to left are read from the right, merged cells with them", () => {
  const span = { row: 0, column: 0, rows: 1, columns: 2 };
  const table = {
    rows: [
      ["סכום", "סכום", "כמות"],
      ["8", "96", "12"],
    ],
    headerRows: 1,
    spans: [span],
  };
  assert.deepEqual(inReadingOrder(table), {
    rows: [
      ["כמות", "סכום", "סכום"],
      ["12", "96", "8"],
    ],
    headerRows: 1,
    spans: [{ ...span, column: 1 }],
  });
  const arabic = {
    rows: [
      ["المجموع", "الكمية"],
      ["9", "3"],
    ],
    headerRows: 1,
  };
  assert.deepEqual(inReadingOrder(arabic).rows, [
    ["الكمية", "المجموع"],
    ["3", "9"],
  ]);
  const english = {
    rows: [
      ["Total", "כמות"],
      ["Amount of pumps", "3"],
    ],
    headerRows: 1,
  };
  assert.equal(inReadingOrder(english), english);
});
