import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonOf } from "./verdicts.ts";

describe("a figure that stands in a passage", () => {
  it("is the total of a row that no other row of the year has a share in", () => {
    const text =
      "| February 2, 2019 | February 3, 2018\nReceivables | 1,015 | 1,049\nMerchandise inventories | 5,409 | 5,209\nOther current assets | 466 | 438";
    const question = "What was the total amount of inventories in 2019?";
    assert.equal(reasonOf(question, text, "5,409"), undefined);
    assert.notEqual(reasonOf(question, text, "5,209"), undefined);
    const parts = "Region | Sales\nNorth | 120\nSouth | 45\nEast | 51";
    assert.match(
      reasonOf("What are the total sales?", parts, "The total sales are 120.") ?? "",
      /not the total/,
    );
    const years = "Region | 2021 | 2022\nNorth | 120 | 98\nSouth | 45 | 51";
    const all = "What are the total sales of North?";
    assert.match(reasonOf(all, years, "The total sales of North are 120.") ?? "", /not the total/);
  });

  it("is that of the row asked for, where nothing else is said", () => {
    const text =
      "| January 28, 2023 | January 29, 2022\nMerchandise inventories | 5,140 | 5,965\nTotal current assets | 8,802 | 10,539\nTotal assets | 15,803 | 17,504";
    const question = "What is total current assets on January 28, 2023?";
    assert.equal(reasonOf(question, text, "8,802"), undefined);
    assert.equal(reasonOf(question, text, "15,803"), "15,803 appears in [1], but for something else");
  });

  it("is part of a score as it stands there", () => {
    const text =
      "The Quays defeated the Larks in the second round, 23–16, by scoring 11 points in the final minutes of the game. They then beat the Rooks in the last game, 20–18.";
    assert.equal(
      reasonOf("What was the final score of the game between the Quays and the Larks?", text, "23–16"),
      undefined,
    );
  });

  it("may be one of several that a sentence lists, whichever of them has more of the question", () => {
    const text =
      "In September 2012 the Quay Club issued a check to a company known as Montane in the amount of $35,000.\nIn February 2013 a second check, number 151545, in the amount of $40,684 was issued payable to Montane.";
    const question = "What are the amounts on checks issued to the Montane company?";
    const both = "The amounts on checks issued to the Montane company are $35,000 and $40,684.";
    assert.equal(reasonOf(question, text, both), undefined);
    const swapped = "Rent was $3,000 in May. Wages were $5,000 in May.";
    assert.match(
      reasonOf("What were rent and wages in May?", swapped, "Rent was $5,000, wages were $3,000.") ?? "",
      /but for something else/,
    );
  });

  it("may be the end of a span of years that the question names, though the text has only its beginning", () => {
    const text = "Agency plan of 2020. The assessment uses the Quay Rating method to rank events by risk.";
    const question = "What method does the agency's 2020-2024 plan use to rank events by risk?";
    const plan = "The agency's 2020-2024 plan uses the Quay Rating method to rank events by risk.";
    assert.equal(reasonOf(question, text, plan), undefined);
    const alone = reasonOf(question.replace("2020-", ""), text, plan.replace("2020-", ""));
    assert.match(alone ?? "", /not 2024/);
  });

  it("is what is counted, though another number counts something else beside more of the question", () => {
    const text =
      "Over 20 instructors provide Delegated Examining Training and Evaluator Training to agencies. In FY 2014, the office conducted 52 formal training classes. In FY 2013, it held 61 training classes.";
    const question =
      "How many delegated examining and evaluator training classes did the office hold in FY 2014?";
    assert.equal(reasonOf(question, text, "52 formal training classes"), undefined);
    assert.notEqual(reasonOf(question, text, "61 training classes"), undefined);
  });

  it("is not of the time that something is done for", () => {
    const text =
      "In FY 2019, the agency changed its tools. It ended a pilot of the tools with 123 employees in order to prepare for a wider use beginning in FY 2020.";
    const question = "How many employees took part in the pilot of the tools in fiscal year 2019?";
    assert.equal(reasonOf(question, text, "123 employees"), undefined);
    const later = "The agency will run a pilot of the tools with 450 employees in FY 2020.";
    assert.match(reasonOf(question, `${text}\n${later}`, "450 employees") ?? "", /for fy 2020/);
  });

  it("is of its year and of the thing that opens the series it stands in", () => {
    const text =
      "Depreciation expense on property and equipment was $4.9 billion , $6.4 billion , and $8.8 billion which includes amortization of property and equipment acquired under capital leases of $2.7 billion , $3.8 billion , and $5.4 billion for 2015 , 2016 , and 2017 . Accumulated depreciation of property and equipment was $9.1 billion at the end of 2017.";
    const question = "What is the depreciation expense on property and equipment in 2017?";
    const said = (amount: string) =>
      reasonOf(
        question,
        text,
        `The depreciation expense on property and equipment in 2017 is ${amount} billion.`,
      );
    assert.equal(said("$8.8"), undefined);
    for (const other of ["$6.4", "$4.9", "$9.1"]) assert.notEqual(said(other), undefined, other);
  });
});
