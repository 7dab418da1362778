import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { evaluate, indexTables } from "../../../src/pipeline/tables/answer.ts";
import { readTables } from "../../../src/pipeline/tables/read.ts";
import { readCellQueries } from "../../../src/tables/query/cells-asked.ts";
import { assertLinear } from "../../helpers/linear.ts";
import { chunkOf } from "../fixtures.ts";

const page = (text: string, at = 1) => ({ ...chunkOf(text), id: `c${at}`, ordinal: at, pages: [at] });

const ofYears = (question: string, ...pages: readonly string[]): string | undefined => {
  const { byYears: asked } = readCellQueries(question);
  assert.ok(asked, question);
  const chunks = pages.map((text, at) => page(text, at + 1));
  return evaluate(asked, indexTables(chunks), new Set())?.text;
};
const ofCells = (question: string, ...pages: readonly string[]): string | undefined => {
  const { ofCells: asked } = readCellQueries(question);
  assert.ok(asked, question);
  const chunks = pages.map((text, at) => page(text, at + 1));
  return evaluate(asked, indexTables(chunks), new Set())?.text;
};

/** Tables as `label|cell|cell` by row. */
const rowsOf = (...pages: readonly string[]): readonly (readonly string[])[] =>
  readTables(pages.map((text, at) => page(text, at + 1))).map(({ rows }) =>
    rows.map(({ cells }) => cells.join("|")),
  );

describe("a table is read", () => {
  it("without a header: its rows are there, and nothing says what they are of", () => {
    const bare = "Harbour dues | 300 | 610\nQuay dues | 10 | 20";
    assert.deepEqual(rowsOf(bare), [["Harbour dues|300|610", "Quay dues|10|20"]]);
    assert.deepEqual(readTables([page(bare)])[0]?.periods, []);
    assert.equal(ofYears("What were the harbour dues in 2021?", bare), undefined);
    assert.equal(
      ofYears("What were the harbour dues in 2021?", `December 31, 2021 2020\n\n${bare}`),
      "Harbour dues, 2021: 300",
    );
  });

  it("with ragged rows: cells in line alone are read", () => {
    const ragged = "Pier | Berths | Depth\nEast | 4\nWest | 9 | 12 m\nSouth | 7 | 8 m | dry";
    assert.equal(ofCells("How many berths does East have?", ragged), "East, Berths: 4");
    assert.equal(ofCells("What is the depth of East?", ragged), undefined);
    assert.equal(ofCells("Which pier has the most berths?", ragged), undefined);
  });

  it("with spans over everything: they are titles and groups", () => {
    const spanned =
      "Piers of the harbour | Piers of the harbour | Piers of the harbour\nPier | Berths | Depth\nOld docks | Old docks | Old docks\nEast | 4 | 9 m\nWest | 9 | 12 m";
    assert.deepEqual(rowsOf(spanned), [["East|4|9 m", "West|9|12 m"]]);
    assert.equal(
      ofCells("How many berths does the pier East of the old docks have?", spanned),
      "East, Berths: 4",
    );
  });

  it("with ten thousand columns, in time that grows with them", () => {
    const wide = (columns: number): string => {
      const cells = Array.from({ length: columns }, (_, at) => at);
      return `Pier | ${cells.map((at) => `Berth ${at}`).join(" | ")}\nEast | ${cells.join(" | ")}`;
    };
    assert.equal(ofCells("What is Berth 9998 of East?", wide(10_000)), "East, Berth 9998: 9998");
    assertLinear(
      (text) => readTables([page(`Pier${text}\nEast${text}`)]),
      [" | 2021", " | berth 4", "a | 1\n", "a\n\nb | 1\n"],
    );
  });

  it("with numbers in words, which are told and not computed with", () => {
    const words = "Pier | Berths\nEast | four\nWest | nine\nSouth | two";
    assert.equal(ofCells("What are the berths of East?", words), "East, Berths: four");
    assert.equal(ofCells("Which pier has the most berths?", words), undefined);
  });

  it("with mixed scales, each of its own rows", () => {
    const mixed =
      "(in millions)\n | 2021 | 2020\nHarbour dues | 3 | 2\nFleet (in thousands) |  | \nFerry costs | 450 | 440";
    assert.equal(ofYears("What were the harbour dues in 2021?", mixed), "Harbour dues, 2021: 3 million");
    assert.equal(ofYears("What were the ferry costs in 2021?", mixed), "Ferry costs, 2021: 450 thousand");
  });

  it("with amounts in brackets, which are less than nothing", () => {
    const losses = " | 2021 | 2020\nNet result | $ (1,250) | $ 300";
    assert.equal(
      ofYears("What was the change in net result from 2020 to 2021?", losses),
      "Net result, 2020: $300, 2021: -$1,250, change: -$1,550",
    );
  });

  it("over a page break in the middle of a row: what has lost its label is no other row", () => {
    const first = " | 2021 | 2020\nQuay dues | 10 | 20\nDues of the harbour, with all";
    const second = " | 2021 | 2020\nrefunds of pilots | 300 | 610\nFerry costs | 5 | 6";
    assert.equal(ofYears("What were the ferry costs in 2020?", first, second), "Ferry costs, 2020: 6");
    assert.equal(ofYears("What were the quay dues in 2020?", first, second), "Quay dues, 2020: 20");
    assert.equal(ofYears("What were the dues of the harbour in 2021?", first, second), undefined);
  });

  it("beside another one: the same year twice, or a head twice, names no column", () => {
    const years = " | Ferries |  |  | Docks | \n | 2021 | 2020 |  | 2021 | 2020\nCosts | 1 | 2 |  | 3 | 4";
    assert.equal(ofYears("What were the costs in 2021?", years), undefined);
    const parts = "Part | Stock | Part | Stock\nDrum | 40 | Rope | 12\nHook | 25 | Chain | 9";
    assert.equal(ofCells("What is the stock of the drum?", parts), undefined);
    assert.equal(ofCells("What is the stock of the rope?", parts), undefined);
  });

  it("with a label in two groups: the group tells which row, and nothing is taken without it", () => {
    const groups = " | 2021 | 2020\nFerries |  | \nWages | 70 | 60\nDocks |  | \nWages | 9 | 8";
    assert.equal(ofYears("What were the wages in 2021?", groups), undefined);
    assert.equal(ofYears("What were the docks wages in 2021?", groups), "Wages, 2021: 9");
  });
});
