import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openGrounding } from "../../../../src/pipeline/answer/ground.ts";
import { readQuestion } from "../../../../src/pipeline/answer/question.ts";
import { chunkOf } from "../../fixtures.ts";
import { reasonOf, verdictOf } from "./verdicts.ts";

const traffic =
  "Container traffic in thousand boxes\nPort | 2021 | 2022\nEastquay | 4.1 | 5.9\nNorthhaven | 28.35 | 30.12\nSouthport | 9.0 | 9.45";
const staff =
  "Group | Staff | Share (%)\nOperations | 612 | 51.0\nResearch | 340 | 28.3\nSales | 248 | 20.7\nTotal | 1,200 | 100.0";

describe("a number is tied that is worked out of numbers of the passage", () => {
  for (const [question, text, statement, derivation] of [
    [
      "By how much did the traffic of Eastquay rise from 2021 to 2022?",
      traffic,
      "The traffic of Eastquay rose by 1.8 thousand boxes from 2021 to 2022.",
      "5.9 - 4.1",
    ],
    [
      "How many times the traffic of Southport did Northhaven have in 2021?",
      traffic,
      "In 2021 Northhaven had 3.15 times the traffic of Southport.",
      "28.35 / 9.0",
    ],
    [
      "What was the growth of Eastquay from 2021 to 2022?",
      traffic,
      "The traffic of Eastquay grew by 43.9% from 2021 to 2022.",
      "(5.9 - 4.1) / 4.1 * 100",
    ],
    [
      "How many staff are in the largest group, of all groups together?",
      staff,
      "The largest group in all is Operations with 612 staff.",
      "max of 3 rows",
    ],
    [
      "What share of the total staff is in Sales?",
      "Group | Staff\nOperations | 612\nResearch | 340\nSales | 248\nTotal | 1,200",
      "Sales has 20.7% of the total staff.",
      "248 / 1,200 * 100",
    ],
    [
      "What was the average fee of 2021 and 2022?",
      "Year | Fee\n2021 | 40 EUR\n2022 | 50 EUR",
      "The average fee of 2021 and 2022 was 45 EUR.",
      "(40 + 50) / 2",
    ],
    [
      "How much more does the plane cost than the train?",
      "A train ticket costs 89 euros. A plane ticket costs 149 euros.",
      "The plane ticket costs 60 euros more than the train ticket.",
      "149 - 89",
    ],
    [
      "Um wie viel stieg der Umsatz von 2021 auf 2022?",
      "Jahr | Umsatz (EUR)\n2021 | 28.350\n2022 | 37.350",
      "Der Umsatz stieg von 2021 auf 2022 um 9.000 EUR.",
      "37.350 - 28.350",
    ],
  ] as const)
    it(`${statement} by ${derivation}`, () => {
      const verdict = verdictOf(question, text, statement);
      assert.notEqual(verdict?.support, "unsupported", verdict?.reason);
      if (!derivation.startsWith("max")) assert.equal(verdict?.derivation, derivation);
    });
});

describe("a number is not tied", () => {
  for (const [why, question, text, statement] of [
    [
      "that no operation comes to",
      "By how much did the traffic of Eastquay rise from 2021 to 2022?",
      traffic,
      "The traffic of Eastquay rose by 1.7 thousand boxes from 2021 to 2022.",
    ],
    [
      "that another row comes to",
      "By how much did the traffic of Eastquay rise from 2021 to 2022?",
      traffic,
      "The traffic of Eastquay rose by 0.45 thousand boxes from 2021 to 2022.",
    ],
    [
      "that another operation comes to",
      "What was the growth of Eastquay from 2021 to 2022?",
      traffic,
      "The traffic of Eastquay grew by 30.5% from 2021 to 2022.",
    ],
    [
      "that two pairs come to",
      "By how much does the rent rise?",
      "Hall A: the rent is 50 EUR, later the rent rises to 63 EUR. Hall B: the rent is 80 EUR, later the rent rises to 93 EUR.",
      "The rent rises by 13 EUR.",
    ],
    [
      "in a unit that nothing has",
      "How much more does the plane cost than the train?",
      "A train ticket costs 89 euros. A plane ticket costs 149 euros.",
      "The plane ticket costs 60 dollars more than the train ticket.",
    ],
    [
      "that is one of the two",
      "What was the change in the traffic of Eastquay from 2021 to 2022?",
      traffic,
      "The change in the traffic of Eastquay from 2021 to 2022 was 4.1.",
    ],
  ] as const)
    it(why, () => {
      assert.notEqual(reasonOf(question, text, statement), undefined);
    });
});

describe("the head of a column", () => {
  const harvest = "Country | Wheat (thousand metric tons)\nRuritania | 695572\nFreedonia | 12400";
  it("says what its numbers are counted in", () => {
    const question = "How much wheat did Ruritania harvest?";
    assert.equal(
      reasonOf(question, harvest, "Ruritania harvested 695572 thousand metric tons of wheat."),
      undefined,
    );
    assert.equal(
      reasonOf(question, harvest, "Ruritania harvested 695.6 million metric tons of wheat."),
      undefined,
    );
    assert.notEqual(
      reasonOf(question, harvest, "Ruritania harvested 695572 million metric tons of wheat."),
      undefined,
    );
    assert.notEqual(
      reasonOf(question, harvest, "Ruritania harvested 12400 thousand metric tons of wheat."),
      undefined,
    );
  });
});

it("is not worked out where that is switched off for a measurement", () => {
  const text = "A train ticket costs 89 euros. A plane ticket costs 149 euros.";
  const asked = readQuestion("How much more does the plane cost than the train?");
  const said = "The plane ticket costs 60 euros more than the train ticket. [1]";
  const passages = [{ marker: 1, text, chunk: chunkOf(text) }];
  const left = (...off: readonly string[]): string =>
    openGrounding(passages, asked, "strict", undefined, { off: new Set(off) }).ground(said).text;
  assert.deepEqual([left(), left("reckoned"), left("reckoned", "number")], [said, "", said]);
});
