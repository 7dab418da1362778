import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentTable } from "../../src/core/documents/document.ts";
import { slicesOf, tablesOfSlices } from "../../src/tables/slices.ts";

const long: DocumentTable = {
  rows: Array.from({ length: 5002 }, (_, row) =>
    Array.from({ length: 10 }, (_, column) => `${row}/${column}`),
  ),
  headerRows: 2,
  sheet: "Pumps",
  range: "A1:J5002",
  rowNumbers: Array.from({ length: 5000 }, (_, at) => at * 2),
  spans: [{ row: 0, column: 0, rows: 1, columns: 3 }],
};
const short: DocumentTable = { rows: [["A"], ["ß\u0000"]], headerRows: 1, caption: "Rooms", pages: [3, 4] };

test("tables come back from their slices as they were, long ones from several", async () => {
  const slices = await slicesOf([short, long, { rows: [], headerRows: 0 }]);
  assert.deepEqual(
    slices.map(({ ordinal, part }) => [ordinal, part]),
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [1, 2],
      [2, 0],
    ],
  );
  assert.deepEqual(tablesOfSlices(slices), [short, long, { rows: [], headerRows: 0 }]);
  assert.deepEqual(tablesOfSlices(slices.filter(({ ordinal }) => ordinal === 1)), [long]);
});
