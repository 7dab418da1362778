import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { numberOf } from "../../../src/pipeline/tables/amounts.ts";
import { periodColumns } from "../../../src/pipeline/tables/periods.ts";
import { readTables } from "../../../src/pipeline/tables/read.ts";
import { chunkOf } from "../fixtures.ts";

/** What the columns under a header cover. */
function readHeader(header: readonly string[]) {
  const lines = header.map((line) => line.split("|").map((cell) => cell.trim()));
  return periodColumns(lines, Math.max(...lines.map(({ length }) => length)), []);
}

/** Columns as `3 July 1, 2023`: months, 0 for a day, and the day. */
const columnsOf = (...header: string[]): readonly string[] =>
  readHeader(header).map(({ months, day }) => `${months} ${day}`);

const rowsOf = (text: string) =>
  readTables([chunkOf(text)]).flatMap(({ rows, periods }) =>
    rows.flatMap(({ label, cells }) => {
      const values = periods.map(
        ({ at, months, day }) => `${months} ${day}: ${numberOf(cells[at] ?? "")?.value}`,
      );
      return values.length === 0 || values.some((value) => value.endsWith("undefined"))
        ? []
        : [[label, values]];
    }),
  );

describe("columns of parts of years", () => {
  const quarters = ["3 July 1, 2023", "3 June 25, 2022", "9 July 1, 2023", "9 June 25, 2022"];
  for (const [what, header] of [
    [
      "lengths, days and years in lines of their own",
      [
        " |  | Three Months Ended |  | Nine Months Ended",
        " | July 1, | June 25, | July 1, | June 25,",
        " | 2023 | 2022 | 2023 | 2022",
      ],
    ],
    [
      "all in cells of one line",
      [" | Three months ended July 1, 2023 | June 25, 2022 | Nine months ended July 1, 2023 | June 25, 2022"],
    ],
    [
      "cells that were run together",
      [
        " |  | Three Months Ended Nine Months Ended",
        "(In Millions; Unaudited) | Jul 1, 2023 | Jun 25, 2022 Jul 1, 2023 Jun 25, 2022",
      ],
    ],
    [
      "weeks",
      [
        " | 13 Weeks Ended | 39 Weeks Ended",
        " | July 1, | June 25, | July 1, | June 25,",
        " | 2023 | 2022 | 2023 | 2022",
      ],
    ],
  ] as const)
    it(`are told from a header with ${what}`, () => assert.deepEqual(columnsOf(...header), quarters));

  it("have the one day that stands above the years", () => {
    assert.deepEqual(columnsOf("Three Months Ended September 30, |  | 2023 |  | 2022"), [
      "3 September 30, 2023",
      "3 September 30, 2022",
    ]);
    assert.deepEqual(
      columnsOf(
        " |  | Quarter Ended December 31, |  | Six Months Ended December 31,",
        "($ in millions) | 2022 | 2021 | 2022 | 2021",
      ),
      ["3 December 31, 2022", "3 December 31, 2021", "6 December 31, 2022", "6 December 31, 2021"],
    );
  });

  it("are days alone in a balance sheet", () =>
    assert.deepEqual(columnsOf(" | July 1, | September 24,", " | 2023 | 2022"), [
      "0 July 1, 2023",
      "0 September 24, 2022",
    ]));

  it("are not told where lengths do not share the columns alike, or a day is missing", () => {
    const lengths = " | Three Months Ended | Nine Months Ended";
    assert.deepEqual(columnsOf(lengths, " | July 1, | April 1, | July 1,", " | 2023 | 2023 | 2023"), []);
    assert.deepEqual(columnsOf(lengths, " | June 30,", " | 2023 | 2022 | 2021 | 2023"), []);
    assert.deepEqual(columnsOf(" | 2023 | 2022 | 2023 | 2022"), []);
  });

  it("hold the values of rows with as many amounts, until another header", () => {
    const text = `Statements of Income
(In millions) (Unaudited) |  |
Three Months Ended September 30, |  | 2023 |  | 2022
Total revenue |  | 56 |  | 50
Costs | 16
Net income | $ | 22 | $ | (17)
 | Level 1 | Level 2
Bonds | 4 | 5
 | September 30, | June 30,
 | 2023 | 2023
Cash | 80 | 34`;
    assert.deepEqual(rowsOf(text), [
      ["Total revenue", ["3 September 30, 2023: 56", "3 September 30, 2022: 50"]],
      ["Net income", ["3 September 30, 2023: 22", "3 September 30, 2022: -17"]],
      ["Cash", ["0 September 30, 2023: 80", "0 June 30, 2023: 34"]],
    ]);
  });

  it("are apart, and as many as the years of their header, whatever it holds", () => {
    const piece = fc.constantFrom(
      "Three Months Ended",
      "Nine Months Ended",
      "July 1,",
      "June 30",
      "2023",
      "2022",
      "|",
      "13 weeks ended",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join(" ");
        const columns = readHeader([text]);
        if (columns.length === 0) return;
        assert.ok(columns.length <= (text.match(/20\d\d/g)?.length ?? 0));
        const keys = new Set(columns.map(({ months, end, year }) => `${months} ${end} ${year}`));
        assert.equal(keys.size, columns.length);
      }),
    );
  });
});
