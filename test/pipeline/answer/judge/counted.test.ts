import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonOf } from "./verdicts.ts";

describe("a bare number that is asked for by what it counts", () => {
  it("may count that in any sentence that has it, not only in the shortest", () => {
    const text =
      "At August 29, 2021, we operated 815 yards for members:\nRegion | Own land | Leased land | Total\nNorth | 454 | 110 | 564\nTotal | 644 | 171 | 815\n\nWe employ 28 guards.";
    const question = "How many yards did we operate in 2021?";
    assert.equal(reasonOf(question, text, "815"), undefined);
    assert.notEqual(reasonOf(question, text, "28"), undefined);
  });

  it("stands in a row however its digits are grouped", () => {
    const text =
      "| 2021 | 2020\nOther assets | 1,312 | 1,023\nTOTAL ASSETS | $59,268 | $55,556\nTOTAL LIABILITIES | 41,190 | 36,851";
    const question = "How much total assets did Gull have at the end of FY2021?";
    assert.equal(reasonOf(question, text, "$59268.00"), undefined);
    assert.notEqual(reasonOf(question, text, "$41190.00"), undefined);
  });

  it("counts what stands beside a short line or a row without a label", () => {
    const sample =
      "Target population: patients with severe hemophilia of the unit\nSample size: 15\nVersion 3";
    assert.equal(
      reasonOf("How many severe hemophilia patients will be in the study?", sample, "15"),
      undefined,
    );
    const rows =
      "Users of the Aidan assistant\nDescription | Type | End | Number\n | Target | 2021-09-30 | 500,000\n | Target | 2022-09-30 | 750,000\nNumber of users of the Aidan assistant. | Actual | 2020-09-30 | 545,763";
    const question = "How many users of the Aidan assistant are the target for fiscal 2022?";
    assert.equal(reasonOf(question, rows, "750,000"), undefined);
  });
});

describe("a statement that is nothing but a number", () => {
  it("may be the number of a question that asks how many of so many, or offers it", () => {
    const papers = "Table 12 has 40 papers, of which 12 are proposed in 2021.";
    assert.equal(reasonOf("How many papers of Table 12 are proposed in 2021?", papers, "12"), undefined);
    const stops = "All 12 stops of the line have lifts. The line has 9 trains.";
    assert.equal(reasonOf("How many of the 12 stops have lifts?", stops, "12"), undefined);
    assert.equal(reasonOf("How many stops have lifts, 12 or 9?", stops, "12"), undefined);
  });
});
