import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { answerMeasure } from "../../../src/pipeline/measures/answer.ts";
import { parseMeasureQuestion } from "../../../src/pipeline/measures/asked.ts";
import { parseMeasures } from "../../../src/pipeline/measures/entries.ts";
import { readReport } from "../../../src/pipeline/measures/readings.ts";
import { tryEvaluate as calculate } from "../../../src/tools/calculator/evaluate.ts";
import { chunkOf } from "../fixtures.ts";

const config = (name: string): unknown =>
  parse(readFileSync(new URL(`../../../config/${name}`, import.meta.url), "utf8"));
const { kinds } = config("glossary.yaml") as { kinds: Record<string, string[]> };
const book = parseMeasures(config("measures.yaml"), kinds);

const cover = `FORM 10-Q
For the quarterly period ended October 29, 2023
Harbour Mills, Inc.
The third quarter of fiscal year 2024 was dry. In the third quarter of fiscal year 2024 the mill stood still; in the
third quarter of fiscal year 2023 it did not.`;

const income = `Statements of Operations
(In thousands) (Unaudited)
 |  | Three Months Ended | Nine Months Ended |
 | October 29, | October 30, | October 29, | October 30,
 | 2023 | 2022 | 2023 | 2022
Net sales | $400 | $320 | $1,000 | $900
Cost of sales | 300 | 250 | 800 | 700
Gross margin | 100 | 70 | 200 | 200
Operating income | 20 | 10 | 30 | 20
Income (loss) before taxes | (10) | 8 | 12 | 16
Provision for (benefit from) taxes | (4) | 2 | 3 | 4
Net income (loss) | (6) | 6 | 9 | 12`;

const balance = `Balance Sheets
(In thousands)
 | October 29, | January 29,
 | 2023 | 2023
Cash and cash equivalents | $60 | $100
Total current assets | 150 | 180
Total assets | $500 | $480
Total current liabilities | 100 | 90`;

const cash = `Statements of Cash Flows
(In thousands)
 | Nine Months Ended |
 | October 29, | October 30,
 | 2023 | 2022
Net cash provided by operating activities | $44 | $33
Purchases of property and equipment | (14) | (13)`;

const reportOf = (names: readonly string[], first = cover) => {
  const pages = [first, income, balance, cash];
  const chunks = pages.map((text, at) => ({ ...chunkOf(text), id: `c${at}`, ordinal: at, pages: [at + 1] }));
  return { chunks, names };
};

const answerOf = (question: string, { chunks, names }: ReturnType<typeof reportOf>) => {
  const asked = parseMeasureQuestion(question, book);
  assert.ok(asked !== null && asked.parts.length > 0, question);
  const { readings } = readReport(asked, chunks, book, names);
  return answerMeasure(asked, readings, { book, calculate }, 2026);
};

describe("measures of parts of years", () => {
  const report = reportOf(["2023 Q3 HARB.pdf", ""]);
  for (const [question, text] of [
    ["What was the net sales in Q3 2023?", "Revenue, three months ended October 29, 2023: $400 thousand"],
    [
      "What was the gross margin in the latest quarter?",
      "Gross margin, three months ended October 29, 2023: $100 thousand (25.0%)",
    ],
    [
      "What was the gross margin in percent in the latest quarter?",
      "Gross margin, three months ended October 29, 2023: 25.0%",
    ],
    [
      "What was the net sales for the nine months ended October 30, 2022?",
      "Revenue, nine months ended October 30, 2022: $900 thousand",
    ],
    [
      "What was the net sales in the first nine months of 2023?",
      "Revenue, nine months ended October 29, 2023: $1,000 thousand",
    ],
    [
      "What was the operating cash flow in Q3 2023?",
      "Operating cash flow, nine months ended October 29, 2023: $44 thousand",
    ],
    [
      "What was the free cash flow in the latest 10-Q?",
      "Free cash flow, nine months ended October 29, 2023: $30 thousand",
    ],
    ["What was the cash at the end of Q3 2023?", "Cash and cash equivalents, October 29, 2023: $60 thousand"],
    [
      "Was there any drop in cash between FY 2023 and Q3 of FY2024?",
      "Yes. Cash and cash equivalents, January 29, 2023: $100 thousand, October 29, 2023: $60 thousand, change: -$40 thousand (-40.0%)",
    ],
    [
      "How did net sales change from Q3 of fiscal 2023 to Q3 of fiscal 2024?",
      "Revenue, three months ended October 30, 2022: $320 thousand, three months ended October 29, 2023: $400 thousand, change: $80 thousand (25.0%)",
    ],
  ] as const)
    it(`answers “${question}”`, () => assert.equal(answerOf(question, report)?.text, text));

  it("takes a tax benefit for less than nothing", () =>
    assert.equal(
      answerOf("What was the effective tax rate in Q3 2023?", report)?.text,
      "Effective tax rate, three months ended October 29, 2023: 40.0%",
    ));

  it("cites the rows, and shows how it computed", () => {
    const answer = answerOf("What was the gross margin in Q3 2023?", report);
    assert.deepEqual(answer?.sums, [
      "three months ended October 29, 2023: 100 * gross profit / revenue = 100 * 100 / 400",
    ]);
    assert.deepEqual(
      answer?.lines.map(({ row }) => row),
      ["Gross margin | 100 | 70 | 200 | 200", "Net sales | $400 | $320 | $1,000 | $900"],
    );
  });

  it("calls fiscal quarters by what the text calls them, others by the name of the report", () => {
    const sales = (question: string) => answerOf(question, report)?.text.replace(/^.*: /, "");
    assert.equal(sales("What was the net sales in Q3 2023?"), "$400 thousand");
    assert.equal(sales("What was the net sales in Q3 of fiscal 2024?"), "$400 thousand");
    assert.equal(sales("What was the net sales in Q3 of fiscal 2023?"), "$320 thousand");
  });

  for (const question of [
    "What was the net sales in Q2 2023?",
    "What was the net sales in Q3 2021?",
    "What was the net sales for the three months ended July 30, 2023?",
    "What was the net sales for the six months ended October 29, 2023?",
    "What was the operating cash flow for the three months ended October 29, 2023?",
    "What was the return on assets in Q3 2023?",
    "What was the inventory turnover in Q3 2023?",
    "What was the cash and cash equivalents in Q3 2022?",
    "How did net sales change between FY 2023 and Q3 of FY2024?",
    "What was the research and development expense in Q3 2023?",
  ])
    it(`computes nothing for “${question}”`, () => assert.equal(answerOf(question, report), null));

  it("computes nothing for a quarter that neither text nor name calls so", () => {
    const mute = reportOf(["harbour.pdf", ""], cover.split("The third")[0]);
    assert.equal(answerOf("What was the net sales in Q3 2023?", mute), null);
    assert.equal(
      answerOf("What was the net sales in the latest quarter?", mute)?.text,
      "Revenue, three months ended October 29, 2023: $400 thousand",
    );
  });

  it("leaves open a quarter that the name of a report puts in another year than its text", () => {
    // By the name it is the column of the year before; by the text there is no such quarter.
    const other = reportOf(["2023 Q1 HARB.pdf", ""]);
    assert.equal(answerOf("What was the net sales in Q1 2022?", other), null);
    assert.equal(answerOf("What was the net sales in Q3 2024?", other), null);
    assert.match(
      answerOf("What was the net sales in Q1 2023?", other)?.text ?? "",
      /October 29, 2023: \$400/,
    );
  });
});
