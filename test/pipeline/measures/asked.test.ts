import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { parseMeasureQuestion } from "../../../src/pipeline/measures/asked.ts";
import { parseMeasures } from "../../../src/pipeline/measures/entries.ts";

const config = (name: string): unknown =>
  parse(readFileSync(new URL(`../../../config/${name}`, import.meta.url), "utf8"));
const { kinds } = config("glossary.yaml") as { kinds: Record<string, string[]> };
const book = parseMeasures(config("measures.yaml"), kinds);

const quarter = (at: number, year: number, isFiscal = false, months = 3) => ({
  ...{ kind: "quarter", quarter: at, year, isFiscal, months },
});
/** The month that a period ends in, counted from year 0. */
const monthOf = (year: number, month: number): number => year * 12 + month - 1;

describe("questions about parts of years", () => {
  for (const [question, measure, parts] of [
    ["What was Harbour's gross margin in Q3 2023?", "gross margin", [quarter(3, 2023)]],
    [
      "What were the net sales of Harbour in the third quarter of fiscal 2023?",
      "revenue",
      [quarter(3, 2023, true)],
    ],
    [
      "What effective tax rate did Harbour report in the latest quarter?",
      "effective tax rate",
      [{ kind: "latest" }],
    ],
    [
      "What was the gross margin for Harbour in the most recent 10-Q filing?",
      "gross margin",
      [{ kind: "latest" }],
    ],
    [
      "What did Harbour report as its net cash from operating activities in the Q3 2022 10-Q?",
      "operating cash flow",
      [quarter(3, 2022)],
    ],
    [
      "What cash flows from operations were disclosed by Harbour in the Q3 2022 10-Q?",
      "operating cash flow",
      [quarter(3, 2022)],
    ],
    [
      "What was Harbour's net income for the nine months ended September 30, 2023?",
      "net income",
      [{ kind: "ended", months: 9, end: monthOf(2023, 9) }],
    ],
    [
      "What was Harbour's net income for the three months ended July 1, 2023?",
      "net income",
      [{ kind: "ended", months: 3, end: monthOf(2023, 6) }],
    ],
    ["What was Harbour's revenue in the first nine months of 2023?", "revenue", [quarter(3, 2023, false, 9)]],
    [
      "Was there any drop in Cash & Cash equivalents between FY 2023 and Q2 of FY2024?",
      "cash and cash equivalents",
      [{ kind: "year", year: 2023 }, quarter(2, 2024, true)],
    ],
  ] as const)
    it(`are understood: “${question}”`, () => {
      const asked = parseMeasureQuestion(question, book);
      assert.equal(asked?.measure.name, measure);
      assert.deepEqual(asked.parts, parts);
      assert.deepEqual(asked.rest, measure.startsWith("cash") ? [] : ["harbour"]);
    });

  it("keep the words that tell a segment or another question", () => {
    const restOf = (question: string) => parseMeasureQuestion(question, book)?.rest;
    assert.deepEqual(restOf("What was Harbour's R&D expenditure in Q3 2023?"), ["harbour"]);
    assert.deepEqual(restOf("How much did Harbour invest in research and development in Q3 2023?"), [
      "harbour",
    ]);
    assert.deepEqual(restOf("How much of the revenue did Harbour invest in Q3 2023?"), ["harbour", "invest"]);
    assert.deepEqual(restOf("What was Harbour's Ferries revenue in Q3 2023?"), ["harbour", "ferries"]);
    assert.deepEqual(restOf("In Q3 2023, how did Harbour's inventory reflect demand?"), [
      "harbour",
      "reflect",
      "demand",
    ]);
  });

  for (const question of [
    "What was Harbour's revenue in 2023?",
    "What was Harbour's revenue for the year ended December 31, 2023?",
    "What was Harbour's revenue for the twelve months ended December 31, 2023?",
    "What was Harbour's quarterly revenue?",
    "What was Harbour's revenue in the second half of 2023?",
    "What was Harbour's revenue in Q1, Q2 and Q3 2023?",
    "Did Harbour's revenue grow in Q3 2023?",
    "What was the growth of Harbour's revenue in Q3 2023?",
    "What was Harbour's gross profit rate in Q3 2023?",
    "What percentage of Harbour's revenue were ferries in Q3 2023?",
    "What drove the change of Harbour's headcount in Q3 2023?",
    "How do FY 2022 and FY 2023 compare in revenue?",
  ])
    it(`are not seen in “${question}”`, () =>
      assert.deepEqual(parseMeasureQuestion(question, book)?.parts ?? [], []));
});
