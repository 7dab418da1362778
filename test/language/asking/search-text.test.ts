import assert from "node:assert/strict";
import { test } from "node:test";
import { searchText } from "../../../src/language/asking/search-text.ts";

test("what a question says of the form of its answer is not searched", () => {
  for (const [question, sought] of [
    ["What was the tax rate of 2020? Round your answer to two decimals.", "What was the tax rate of 2020?"],
    ["What was the tax rate?Answer in percentage terms.", "What was the tax rate?"],
    ["Which seal leaks? Please give the answer as a list.", "Which seal leaks?"],
    ["How large is the tank (in units of litres, rounded)?", "How large is the tank ?"],
    [
      "Is the margin rising? If margin is not a useful metric here, then state that and explain why.",
      "Is the margin rising?",
    ],
    ["Assume that you are an analyst. What did the pump cost?", "What did the pump cost?"],
    ["Answer the following question from the table: what did the pump cost?", "what did the pump cost?"],
  ] as const)
    assert.equal(searchText(question), sought);
});

test("a request that is the question itself stays", () => {
  for (const question of [
    "Give the number of employees of the plant.",
    "Round the edges of the plate how?",
    "If the pump does not start, what should be checked?",
    "Wie hoch war der Umsatz im Jahr 2020?",
    "State the pressure of valve 3.2 in the manual.",
  ])
    assert.equal(searchText(question), question);
});

test("in which document to look is not searched, where a clause says only that", () => {
  for (const [question, sought] of [
    [
      "How far did spending fall in 2020, according to the agency's 2022-2026 strategic plan?",
      "How far did spending fall in 2020 ?",
    ],
    ["According to this guidebook, how is it reset?", "how is it reset?"],
    ["What was the margin of Acme as stated in the Q3 2022 10-Q?", "What was the margin of Acme ?"],
  ] as const)
    assert.equal(searchText(question), sought);
  for (const question of [
    "According to Figure 3, which method is best?",
    "According to the report on page 5, who signed?",
    "How is revenue counted, according to the plan of 2015?",
  ])
    assert.equal(searchText(question), question);
});
