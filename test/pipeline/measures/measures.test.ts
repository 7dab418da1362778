import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { answerMeasure } from "../../../src/pipeline/measures/answer.ts";
import { parseMeasureQuestion } from "../../../src/pipeline/measures/asked.ts";
import { compute } from "../../../src/pipeline/measures/compute.ts";
import { parseMeasures } from "../../../src/pipeline/measures/entries.ts";
import { readReport } from "../../../src/pipeline/measures/readings.ts";
import { type ReadLine, readStatements } from "../../../src/pipeline/measures/statements.ts";
import { isWholeYear } from "../../../src/pipeline/tables/periods.ts";
import { readTables } from "../../../src/pipeline/tables/read.ts";
import { tryEvaluate as calculate } from "../../../src/tools/calculator/evaluate.ts";
import { chunkOf } from "../fixtures.ts";

const config = (name: string): unknown =>
  parse(readFileSync(new URL(`../../../config/${name}`, import.meta.url), "utf8"));
const { kinds } = config("glossary.yaml") as { kinds: Record<string, string[]> };
const book = parseMeasures(config("measures.yaml"), kinds);

const income = `Harbour Mills, Inc.

Consolidated Statements of Operations
(in thousands, except per share data)

 | Year Ended December 31, |  | 
 | 2021 | 2020 | 2019
Net sales | $4,000 | $3,200 | $ 3,000
Cost of sales | 2,800 | 2,400 | 2,310
Gross profit | 1,200 | 800 | 690
Operating income (loss) | 500 | (100) | 60
Interest expense | (40) | (50) | (20)
Income before income taxes | 460 | (150) | 40
Provision for income taxes | 115 | — | 10
Net income attributable to noncontrolling interests | 5 | 1 | 1
Net income | $ 345 $ | (150) | $30`;

const balance = `Consolidated Balance Sheets

(In thousands) December 31, 2021 2020

Cash and cash equivalents | $700 | $450
Inventories (Note 5) | 5 | 300 | 340
Total current assets | 1,500 | 1,100
Property and equipment, net of accumulated depreciation of $90 and $80 | 900 | 1,000
Total assets | $2,600 | $2,300
Accounts payable | 250 | 150
Total current liabilities | 1,000 | 1,400
Long-term debt | 400 | 300
Current portion of long-term debt | 50 | 10
Total stockholders’ equity | 1,100 | 500`;

/** Another company in the same report, with more lines and no title. */
const guarantor = `Summarised information of the guarantors
 | 2021 | 2020
Cash and cash equivalents | 7 | 4
Inventories | 3 | 3
Accounts receivable, net | 1 | 1
Total current assets | 15 | 11
Property and equipment, net | 9 | 10
Goodwill | 2 | 2
Total assets | 26 | 23
Accounts payable | 2 | 1
Total current liabilities | 10 | 14
Total liabilities | 20 | 20
Long-term debt | 4 | 3
Total equity | 6 | 3`;

/** A company that owes for a short time beside what falls due of its long-term debt. */
const indebted = `Consolidated Balance Sheets
(In millions) | December 31, |
 | 2021 | 2020
Total current assets | 1,500 | 1,100
Total assets | 2,600 | 2,300
Current portion of long-term debt | 13 | 14
Short-term debt | 48 | 136
Total current liabilities | 1,000 | 1,400
Long-term debt | 6,793 | 6,340
Total equity | 1,100 | 500`;

const quarters = `Consolidated Statements of Operations
 | Three months ended June 30, | Six months ended June 30,
 | 2021 | 2020 | 2021 | 2020
Net sales | 10 | 9 | 20 | 18
Operating income | 1 | 2 | 3 | 4`;

const page = (text: string, at: number) => ({ ...chunkOf(text), id: `c${at}`, ordinal: at, pages: [at] });
const report = [page(income, 40), page(balance, 41), page(guarantor, 90)];

/** Reads lines of statements by years. */
function readYears(chunks: typeof report): ReadLine {
  const read = readStatements(chunks, readTables(chunks), book, isWholeYear);
  return (item, year) => read(item, (column) => column.year === year);
}
const drivers = { book, read: readYears(report), calculate };

const ask = (question: string, chunks = report): string | null => {
  const asked = parseMeasureQuestion(question, book);
  const readings = asked === null ? [] : readReport(asked, chunks, book, []).readings;
  return asked && (answerMeasure(asked, readings, { book, calculate }, 2026)?.text ?? null);
};

test("debt that falls due is all that the statement has of it", () => {
  const answer = (question: string, chunks = [page(indebted, 40)]): string | null => ask(question, chunks);
  assert.equal(answer("What was the total debt in 2021?"), "Total debt, 2021: 6,854 million");
  assert.equal(answer("What was the short-term debt in 2020?"), "Short term debt, 2020: 136 million");
  assert.equal(
    answer("What was the current portion of long-term debt in 2020?"),
    "Current portion of long term debt, 2020: 14 million",
  );
  assert.equal(answer("What was the current debt in 2020?"), "Current debt, 2020: 150 million");
  assert.equal(ask("What was the total debt in 2021?"), "Total debt, 2021: $450 thousand");
});

describe("measures of statements", () => {
  for (const [question, answer] of [
    ["What were the net sales of Harbour Mills in FY2020?", "Revenue, 2020: $3,200 thousand"],
    [
      "What is Harbour's FY2021 total assets? Answer in USD millions.",
      "Total assets, 2021: $2.6 million ($2,600 thousand)",
    ],
    [
      "what is working capital ratio for Harbour in FY2021? round to three decimal places",
      "Working capital ratio, 2021: 1.500",
    ],
    [
      "Does Harbour have positive working capital based on FY2020 data?",
      "No. Working capital, 2020: -$300 thousand",
    ],
    ["What was the effective tax rate of Harbour in 2021?", "Effective tax rate, 2021: 25.0%"],
    ["what is the interest coverage ratio in 2021?", "Interest coverage, 2021: 12.50"],
    ["What is the FY2021 inventory turnover ratio?", "Inventory turnover, 2021: 8.75"],
    [
      "What is the year-over-year change in revenue from FY2020 to FY2021?",
      "Growth of revenue, 2020 to 2021: 25.0%",
    ],
    ["Has the gross margin improved in FY2021?", "Yes. Gross margin, 2020: 25.0%, 2021: 30.0%, change: 5.0%"],
    [
      "What is the FY2019 - FY2021 3 year average gross margin?",
      "Gross margin, mean of 3 years: 26.0% (2019: 23.0%, 2020: 25.0%, 2021: 30.0%)",
    ],
    [
      "Is the gross margin of Harbour falling in FY2021?",
      "No. Gross margin, 2020: 25.0%, 2021: 30.0%, change: 5.0%",
    ],
    ["what is the sales to working capital ratio in FY 2021?", "Revenue to working capital, 2021: 8.00"],
    [
      "What is long-term debt as a % of total assets in 2021?",
      "Long term debt in percent of total assets, 2021: 15.4%",
    ],
    ["What is total liabilities in 2021?", "Total liabilities, 2021: $1,500 thousand"],
    ["What is the capitalization ratio of Harbour for 2021?", "Debt to capital, 2021: 0.29"],
    ["What was Harbour's net debt in 2021?", "Net debt, 2021: -$250 thousand"],
    ["What is Harbour's equity multiplier for FY2021?", "Equity multiplier, 2021: 2.36"],
    ["What is the debt ratio of Harbour in 2020?", "Debt ratio, 2020: 0.78"],
    ["What is the working capital turnover of Harbour for 2021?", "Working capital turnover, 2021: 40.00"],
    ["What is the net income of Harbour?", "Net income, 2021: $345 thousand"],
    [
      "What is the FY2021 days payable outstanding? DPO is defined as: 365 * (average accounts payable between FY2020 and FY2021) / (FY2021 COGS + change in inventory between FY2020 and FY2021). Round your answer to two decimal places.",
      "Days payable outstanding, 2021: 26.45",
    ],
  ] as const)
    it(`answers “${question.slice(0, 90)}”`, () => assert.equal(ask(question), answer));

  it("takes property, plant and equipment for net where the balance sheet has one line of it", () => {
    const plain = page(
      balance.replace(/Property and equipment, net[^|]*/, "Property, plant and equipment "),
      41,
    );
    assert.equal(
      ask("Did Harbour grow its PPNE between FY20 and FY21?", [page(income, 40), plain]),
      "No. Property plant and equipment, 2020: $1,000 thousand, 2021: $900 thousand, change: -$100 thousand",
    );
  });

  for (const question of [
    "What drove the change of gross margin in 2021?",
    "Who audits the total assets?",
    "What is the net income of Harbour in the second quarter of 2021?",
    "Compare the revenue, the net income and the total assets.",
    "What is the shelf life of flour?",
    "What is the ROA in 2021? ROA is defined as net income divided by the sum of hope and faith.",
  ])
    it(`leaves “${question.slice(0, 90)}” to others`, () => {
      const asked = parseMeasureQuestion(question, book);
      assert.ok(asked === null || asked.rest.length > 0, JSON.stringify(asked));
    });

  it("says nothing of a year, or from a line, that the statements do not have", () => {
    assert.equal(ask("What were the net sales in 2011?"), null);
    assert.equal(ask("What is the average total assets turnover in 2019? "), null);
    assert.equal(ask("What is the asset turnover in 2020?"), null);
    assert.equal(ask("What is the dividend payout ratio in 2021?"), null);
  });

  it("reads no table with quarters beside each other, and no year of a change in percent", () => {
    assert.equal(ask("What were the net sales in 2021?", [page(quarters, 3)]), null);
    const shares = `Statements of Operations\n | 2021 | 2020 | % Change\nNet sales | $20 | $16 | 25%\nOperating income | 3 | 2 | 50%`;
    assert.equal(ask("What were the net sales in 2021?", [page(shares, 3)]), "Revenue, 2021: $20");
  });

  it("reads years beside a currency, a scale and `FY`, as reports from outside America head their columns", () => {
    const sheet = `Balance sheet\nIn thousand GBP | 31 Dec 2024 | 31 Dec 2023\nTotal current assets | 14,200 | 13,180\nTotal assets | 35,550 | 34,080\nTotal current liabilities | 8,100 | 8,140`;
    const profits = `Income statement\n£ million | FY2024 | FY2023\nRevenue | 48.6 | 44.1\nOperating profit | 5.6 | 3.8\nNet profit | 3.8 | 2.3`;
    const abroad = [page(sheet, 2), page(profits, 3)];
    assert.equal(
      ask("What is the working capital ratio of Harbour for FY2024?", abroad),
      "Working capital ratio, 2024: 1.75",
    );
    assert.equal(
      ask("What are the total assets of Harbour in 2024?", abroad),
      "Total assets, 2024: GBP 35,550 thousand",
    );
    assert.equal(ask("What was the revenue of Harbour in FY2024?", abroad), "Revenue, 2024: £48.60 million");
    assert.equal(ask("What is the net profit of Harbour?", abroad), "Net income, 2024: £3.80 million");
    const inThousands = [page(sheet.replace("In thousand GBP", "£’000"), 2)];
    assert.equal(
      ask("What are the total assets of Harbour in 2024?", inThousands),
      "Total assets, 2024: £35,550 thousand",
    );
  });

  it("takes all lines of a statement from where it stands with its title, not from another company's", () => {
    const { read } = drivers;
    assert.equal(read("inventory", 2021)?.value, 300);
    assert.equal(read("goodwill", 2021), undefined);
    assert.deepEqual(read("total_assets", 2020)?.chunk.pages, [41]);
  });

  it("keeps the rows as they stand, and the formula with its numbers", () => {
    const computed = compute("avg(payables) / (cost_of_sales - 1)", 2021, drivers);
    assert.equal(computed?.sum, "((250 + 150) / 2) / (2800 - 1)");
    assert.deepEqual(
      computed?.lines.map(({ row }) => row),
      ["Accounts payable | 250 | 150", "Cost of sales | 2,800 | 2,400 | 2,310"],
    );
    assert.equal(compute("revenue / (inventory - 300)", 2021, drivers), null);
  });

  it("names in its formulas only lines that the file has", () => {
    const names = new Set(book.items.keys());
    for (const { of, name } of book.asked.values())
      for (const word of of.match(/[a-z_]{2,}/g) ?? [])
        assert.ok(names.has(word) || /^(?:avg|change)$/.test(word), `${name}: ${word}`);
    for (const { knownBy, titles } of book.statements.values()) {
      assert.ok(knownBy.every((line) => names.has(line)));
      assert.ok(titles.length > 0, "a kind of page of the glossary");
    }
  });

  it("reads any text without an error", () => {
    const line = fc.string({ unit: fc.constantFrom(..."ab $(),.|0129 —%\n-Net sales20 "), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.string(), (lines, question) => {
        readYears([page(lines.join("\n"), 1)])("revenue", 2021);
        parseMeasureQuestion(`${question} what is the revenue in 2021`, book);
      }),
      { numRuns: 200 },
    );
  });

  it("takes the columns of the year from a table that has those of its last quarter beside them", () => {
    const both =
      "Consolidated Statements of Income\n | Three Months Ended June 30, | Three Months Ended June 30, | Twelve Months Ended June 30, | Twelve Months Ended June 30,\n($ million) | 2022 | 2023 | 2022 | 2023\nNet sales | 3,909 | 3,673 | 14,544 | 14,694\nOperating income | 143 | 423 | 1,239 | 1,508\nNet income | 109 | 181 | 805 | (1,048)";
    assert.equal(
      ask("What were the net sales of Harbour Mills in FY2023?", [page(both, 5)]),
      "Revenue, 2023: $14,694 million",
    );
    assert.equal(
      ask("What was the net income of Harbour Mills in FY2022 and FY2023?", [page(both, 5)]),
      "Net income, 2022: $805 million, 2023: -$1,048 million, change: -$1,853 million",
    );
    const balanceBelow =
      "Consolidated Balance Sheets\n($ million) | 2023 | 2022\nTotal current assets | 40 | 50\nTotal assets | 50 | 60";
    assert.equal(
      ask("What were the total assets of Harbour Mills in FY2023?", [page(both, 5), page(balanceBelow, 5)]),
      "Total assets, 2023: $50 million",
    );
  });

  it("takes no column of a quarter for that of a year", () => {
    const quarter =
      "Consolidated Statements of Income\n(In thousands)\n | 13 Weeks Ended\n | January 28, | January 29,\n | 2023 | 2022\nNet sales | 3,226 | 2,729\nOperating income | 447 | 375";
    const whole = quarter.replace("13 Weeks", "52 Weeks").replace("3,226", "10,208");
    const question = "What were the net sales of Harbour Mills in FY2023?";
    assert.equal(ask(question, [page(quarter, 5)]), null);
    assert.equal(ask(question, [page(quarter, 5), page(whole, 6)]), "Revenue, 2023: 10,208 thousand");
  });
});
