import assert from "node:assert/strict";
import { test } from "node:test";
import { stripFormat } from "../../../src/language/asking/answer-form.ts";
import { classify } from "../../../src/language/asking/kinds/kinds.ts";
import { comparisonSides } from "../../../src/language/asking/sides.ts";
import { analyzeQuestion } from "../../../src/pipeline/answer/question.ts";

const asked = "How far did the allowance fall from 2016 to 2017?";

test("what a question says of the form of its answer is left out in three languages", () => {
  for (const form of [
    "Round your answer to one decimal",
    "Give me an integer.",
    "Give me a percantage value.",
    "Please write the answer into float format.",
    "Write down the answer in integer format",
    "Answer in million.",
    'The answer should be formatted as a list, for example ["P-1","P-2"]',
    "List the numbers in the list format in descending order.",
    "If the allowance is not a useful metric, then state that and explain why.",
    "If allowances are not explicitly outlined then state 0.",
    "Answer in one sentence.",
    "In one sentence.",
    "Antworte in Stichworten.",
    "Bitte in einem Satz antworten.",
    "Runde auf zwei Dezimalstellen.",
    "Trả lời ngắn gọn.",
    "Làm tròn đến hai chữ số thập phân.",
  ])
    assert.equal(stripFormat(`${asked} ${form}`), asked, form);
  assert.equal(stripFormat("What is a tag-out procedure, in one sentence?"), "What is a tag-out procedure?");
  assert.equal(stripFormat("Erkläre die Freischaltung in zwei Sätzen."), "Erkläre die Freischaltung.");
});

test("a request for something that documents hold is no form of the answer", () => {
  for (const question of [
    "Which pumps leak? List the seals that they have.",
    "Which pumps leak? Explain the list format.",
    "Which pumps leak? Describe the list format.",
    "Who signed it? Give the number of employees of the plant.",
    "What is the torque? State the pressure of valve 3.2.",
    "Which share of adults has a phone? Write the answer as a list for the survey of 2013.",
    "What changed in one sentence of the contract of lease?",
    "If the pump does not start, what should be checked? Who is told?",
    "Which file is read? What format does it have?",
    "Ground floor: who sits there? Format the disk how?",
  ])
    assert.equal(stripFormat(question), question);
});

test("the sides of a comparison are searched without the form of the answer", () => {
  const sides = comparisonSides(
    `What is the change of the allowance from 2016 to 2017? Round your answer to one decimal`,
  );
  assert.deepEqual(
    sides.map(({ query }) => query),
    ["change allowance 2016", "change allowance 2017"],
  );
});

test("the form of an answer gives a question no name, code or kind", () => {
  const question = analyzeQuestion(`${asked} Round your answer to one decimal`);
  assert.deepEqual(question.names, []);
  assert.deepEqual(
    analyzeQuestion('Which of them fell? Answer as a list, for example ["P-1","P-2"]').codes,
    [],
  );
  assert.equal(
    classify("When was the plant opened? List the numbers in the list format."),
    classify("When was the plant opened?"),
  );
});
