import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { evaluate, indexTables } from "../../../src/pipeline/tables/answer.ts";
import { readCellQueries } from "../../../src/tables/query/cells-asked.ts";
import { chunkOf } from "../fixtures.ts";

const notes = `Note 7 - Crew and Quay
Costs of the quay (in thousands) are

 | For the Years Ended December 31, | 
 | 2021 | 2020 | 2019
Crew wages and meals | $3,250 | $950 | $800
Harbour dues, net | 240 | 545 | 600
Harbour dues | 300 | 610 | 650
Discount rate | 4.25% | 3.5 % | 3.0%
Dues per berth | 12.50 | 11.75 | 11.00
Pilots:
Fees | 40 | (10) | 20
Tug boats:
Fees and fuel | 75 | 70 | 65
Provision for (benefit from) storms | (4) | 9 | —`;

const page = (text: string, at: number) => ({ ...chunkOf(text), id: `c${at}`, ordinal: at, pages: [at] });

const ask = (question: string, chunks = [page(notes, 3)], called: readonly string[] = []): string | null => {
  const { byYears: query } = readCellQueries(question);
  return query && (evaluate(query, indexTables(chunks), new Set(called))?.text ?? null);
};

describe("rows of tables with years", () => {
  it("are read without the marks of notes behind their years, labels and figures", () => {
    const marked = `Costs of the quay (in thousands)

 | 2021[1] | 2020
Crew wages and meals[2] | $3,250[3] | $950`;
    assert.equal(
      ask("What were the crew wages and meals in 2021 and 2020 respectively?", [page(marked, 3)]),
      "Crew wages and meals, 2020: $950 thousand, 2021: $3,250 thousand",
    );
  });

  for (const [question, answer] of [
    [
      "What were the crew wages and meals in 2021 and 2020 respectively?",
      "Crew wages and meals, 2020: $950 thousand, 2021: $3,250 thousand",
    ],
    [
      "What is the change in crew wages and meals from 2020 to 2021?",
      "Crew wages and meals, 2020: $950 thousand, 2021: $3,250 thousand, change: $2,300 thousand",
    ],
    [
      "What was the average Harbour dues, net for 2020 and 2021?",
      "Harbour dues, net, 2020: 545 thousand, 2021: 240 thousand, mean: 392.50 thousand",
    ],
    [
      "What is the percentage change in harbour dues between 2020 and 2021?",
      "Harbour dues, 2020: 610 thousand, 2021: 300 thousand, growth: -50.8%",
    ],
    ["What was the discount rate in 2021?", "Discount rate, 2021: 4.25%"],
    [
      "What was the percentage change in the discount rate between 2020 and 2021?",
      "Discount rate, 2020: 3.5%, 2021: 4.25%, change: 0.75%",
    ],
    ["What were the dues per berth in FY2020?", "Dues per berth, 2020: 11.75"],
    ["What were the fees of pilots in 2020?", "Fees, 2020: -10 thousand"],
    ["What was the provision for storms in 2020?", "Provision for (benefit from) storms, 2020: 9 thousand"],
    [
      "What were the harbour dues from 2019 to 2021?",
      "Harbour dues, 2019: 650 thousand, 2020: 610 thousand, 2021: 300 thousand",
    ],
  ] as const)
    it(`answers “${question}”`, () => assert.equal(ask(question), answer));

  for (const question of [
    "What were the wages of the pilots in 2021?",
    "What were the harbour dues before tax in 2021?",
    "What were the total harbour dues in 2021?",
    "What were the harbour dues of Nordwind in 2021?",
    "What were the harbour dues in 2014?",
    "What were the fees in the second quarter of 2021?",
    "What were the harbour dues?",
    "Why were the harbour dues lower in 2021?",
  ])
    it(`leaves “${question}” to others`, () => assert.equal(ask(question), null));

  it("takes the words of the document's name for said", () => {
    assert.equal(
      ask("What were the harbour dues of Nordwind in 2021?", [page(notes, 3)], ["nordwind"]),
      "Harbour dues, 2021: 300 thousand",
    );
  });

  it("says nothing where two rows are called so and differ, and answers where they say the same", () => {
    const other = " | 2021 | 2020\nHarbour dues | 299 | 610";
    assert.equal(ask("What were the harbour dues in 2021?", [page(notes, 3), page(other, 9)]), null);
    assert.equal(
      ask("What were the harbour dues in 2020?", [page(notes, 3), page(other, 9)]),
      "Harbour dues, 2020: 610 thousand",
    );
  });

  it("reads no columns of another table under the years of one before", () => {
    const levels = " | Level 1 | Level 2 | Level 3\nBonds | 10 | 20 | 30";
    const prose = `The following table has the values of bonds at the end of the year, ${"by their kind, ".repeat(9)}and so on.`;
    assert.equal(ask("What were the bonds in 2020?", [page(`${notes}\n${levels}`, 3)]), null);
    assert.equal(
      ask("What were the bonds in 2020?", [page(`${notes}\n${prose}\nBonds | 10 | 20 | 30`, 3)]),
      null,
    );
    const units = " | 2021 | 2020\n | £m | £m\nBonds | 10 | 20";
    assert.equal(ask("What were the bonds in 2020?", [page(units, 3)]), "Bonds, 2020: 20");
  });

  const on = (lines: string, question: string): string | null => ask(question, [page(lines, 3)]);

  it("takes the number in the column of a year, and none where that cell is not one number", () => {
    const extra =
      " | Note | 2021 | 2020 | Change\nStore openings | 4 | 40 | 30 | 10\nLoans | 12 | n/a | 300 | (40)%";
    assert.equal(on(extra, "What were the store openings in 2021?"), "Store openings, 2021: 40");
    assert.equal(on(extra, "What were the loans in 2020?"), "Loans, 2020: 300");
    assert.equal(on(extra, "What were the loans in 2021?"), null);
    const odd =
      " | 2021 | 2020\nPosts | 45 (1) | 40\nRates | 4.0% – 5.0% | 3.0%\nLamps | 1 234 | 1.234\nBuoys | −40 | 30";
    for (const row of ["posts", "rates", "lamps"])
      assert.equal(on(odd, `What were the ${row} in 2021?`), null, row);
    assert.equal(on(odd, "What were the lamps in 2020?"), null);
    assert.equal(
      on(odd, "What was the change in buoys from 2020 to 2021?"),
      "Buoys, 2020: 30, 2021: -40, change: -70",
    );
    const spread = " | 2021 | 2020\nNets | $ | 345 | $ | (150)";
    assert.equal(on(spread, "What were the nets in 2020?"), "Nets, 2020: -$150");
  });

  it("reads no quarter for a year, no month of another date, and no table under a header it cannot read", () => {
    const rows = "Bonds | 10 | 20";
    assert.equal(
      on(`Three months ended June 30,\n | 2021 | 2020\n${rows}`, "What were the bonds in 2021?"),
      null,
    );
    const dated = ` | December 31, 2021 | December 31, 2020\n${rows}`;
    assert.equal(on(dated, "What were the bonds on June 30, 2021?"), null);
    assert.equal(on(dated, "What were the bonds as of December 31, 2021?"), "Bonds, 2021: 10");
    for (const header of [
      " | 12/31/2021 | 2020 (pro forma)",
      "Port | North | South",
      " | Group 2021 | Group 2021",
    ])
      assert.equal(
        on(` | 2021 | 2020\nBuoys | 1 | 2\n${header}\n${rows}`, "What were the bonds in 2021?"),
        null,
        header,
      );
  });

  it("takes no row for a header: a date that labels one, or amounts that look like years", () => {
    const dates = " | 2021 | 2020\nDecember 31, 2019 | 100 | 200\nBonds | 10 | 20";
    const amounts = " | 2021 | 2020\nBuoys | 2019 | 1998\nBonds | 10 | 20";
    assert.equal(on(dates, "What were the bonds in 2020?"), "Bonds, 2020: 20");
    for (const table of [dates, amounts])
      for (const year of [1998, 2019]) assert.equal(on(table, `What were the bonds in ${year}?`), null);
  });

  it("puts no unit on what it is not said of, and keeps the digits of a cell", () => {
    const table =
      "($ in millions)\n | 2021 | 2020\nNumber of pilots | 1,200 | 1,100\nDividends per share | $0.1255 | $0.12";
    assert.equal(on(table, "What was the number of pilots in 2021?"), "Number of pilots, 2021: 1,200");
    assert.equal(
      on(table, "What were the dividends per share in 2021?"),
      "Dividends per share, 2021: $0.1255",
    );
  });

  it("takes no row for another one that is called nearly so, and no growth over what is not there", () => {
    const table =
      " | 2021 | 2020 | 2019\nLoans from directors | 1 | 2 | 3\nScope 1 emissions | 4 | 5 | 6\nOperating income (before impairment) | 7 | 8 | 9\nHeadcount | 450 | 440 | 430\nAverage headcount | 445 | 435 | 425\nNet loss | (40) | (30) | 5";
    for (const question of [
      "What were the loans to directors in 2021?",
      "What were the scope 3 emissions in 2021?",
      "What was the operating income in 2021?",
      "What was the percentage change in net loss between 2020 and 2021?",
      "What was headcount as a percentage of emissions in 2021?",
      "What was the difference between headcount and average headcount in 2021?",
    ])
      assert.equal(on(table, question), null, question);
    assert.equal(on(table, "What was the average headcount in 2021?"), "Average headcount, 2021: 445");
    assert.equal(
      on(table, "What was the percentage change in headcount from 2019 to 2021?"),
      "Headcount, 2019: 430, 2021: 450, growth: 4.7%",
    );
  });

  it("reads any text without an error", () => {
    const line = fc.string({ unit: fc.constantFrom(..."ab $(),.|0129 —%\n-Dues20 "), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.string(), (lines, question) => {
        ask(`What was the ${question} dues in 2021?`, [page(lines.join("\n"), 1)]);
      }),
      { numRuns: 200 },
    );
  });

  it("leaves a question to others that says behind its mark what else it wants", () => {
    const question = "What were the harbour dues in 2020 and 2021?";
    for (const wish of [
      "Give the average.",
      "Use net amounts.",
      "Answer in euros.",
      "Answer for the parent only.",
    ])
      assert.equal(ask(`${question} ${wish}`), null, wish);
    for (const format of [
      "Answer in thousands.",
      "Round to two decimal places.",
      "Please give the answer in USD millions.",
    ])
      assert.match(ask(`${question} ${format}`) ?? "", /610 thousand/, format);
  });
});
