import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonOf } from "./verdicts.ts";

describe("a number that names something", () => {
  const letter =
    "Gull & Tern LLP\nMs Ada Brook, 255 Quay Street, 3rd floor, Wexmouth Tel: 514-312-0293 Fax: 514-312-0292\nThe letter of February 8 is signed.";

  it("is one number, however its digits are grouped", () => {
    const question = "What is the fax number of Gull & Tern LLP?";
    for (const right of ["514-312-0292", "The fax number of Gull & Tern LLP is (514) 312-0292."])
      assert.equal(reasonOf(question, letter, right), undefined, right);
    for (const part of ["0292", "312", "514-312-0299"])
      assert.match(reasonOf(question, letter, part) ?? "", /does not stand/, part);
  });

  it("is not held against people counted beside its owner's name", () => {
    const text =
      "The Elms Residential Home\nTel: 01983 873655\nThe Elms Residential Home has room for a maximum of 32 people.";
    const question = "What is the telephone no for The Elms Residential Home?";
    const statement = "The telephone no for The Elms Residential Home is 01983 873655.";
    assert.equal(reasonOf(question, text, statement), undefined);
  });

  it("is one with its year where it is the number of a case", () => {
    const text =
      "Court of Appeals, Third Circuit\nNo. 21-13199\nThe case was argued before the 12 judges of the Court of Appeals.";
    const question = "What is the case number at the Court of Appeals?";
    assert.equal(reasonOf(question, text, "The case number at the Court of Appeals is 21-13199."), undefined);
    assert.match(reasonOf(question, text, "21-13198") ?? "", /does not stand/);
    assert.notEqual(reasonOf("How many judges signed the ruling?", text, "21-13199"), undefined);
  });

  it("is no range of years or amounts, nor a date", () => {
    const text = "From 2003-2007 the yard built 500-1000 boats a year.\nIt closed on 2021-10-01.";
    assert.equal(reasonOf("How many boats did the yard build a year?", text, "500 to 1000 boats"), undefined);
    assert.equal(reasonOf("When did the yard close?", text, "1 October 2021"), undefined);
  });
});

describe("an amount grouped as in India", () => {
  it("is the same as without its commas", () => {
    const text =
      "Year | Total Dividend (Rs.) | Unclaimed Dividend\n1999-00 | 3,02,16,492.00 | 3,19,648.00\n2000-01 | 4,10,00,000.00 | 2,00,100.00";
    const question = "What was the total dividend in 1999-00?";
    assert.equal(reasonOf(question, text, "30216492.00"), undefined);
    assert.equal(reasonOf(question, text, "3,02,16,492"), undefined);
    assert.match(reasonOf(question, text, "3021649") ?? "", /does not stand/);
  });
});
