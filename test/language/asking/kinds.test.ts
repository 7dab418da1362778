import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { questionKinds } from "../../../src/core/answers/answer.ts";
import { z } from "../../../src/core/schema.ts";
import { classify } from "../../../src/language/asking/kinds/kinds.ts";
import { assertLinear } from "../../helpers/linear.ts";

const line = z.object({ question: z.string(), kind: z.enum(questionKinds), language: z.string() });
const asked = readFileSync(join(import.meta.dirname, "../../../fixtures/question-kinds.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((text) => line.parse(JSON.parse(text)));

it("tells the kind of nineteen labelled questions of twenty, and of four of five of each kind", () => {
  const isRight = ({ question, kind }: (typeof asked)[number]): boolean =>
    classify(question, kind === "follow_up") === kind;
  for (const kind of questionKinds) {
    const of = asked.filter((entry) => entry.kind === kind);
    assert.ok(of.length >= 20, `${of.length} questions of the kind ${kind}`);
    assert.ok(of.filter(isRight).length >= of.length * 0.8, kind);
  }
  assert.ok(asked.filter(isRight).length >= asked.length * 0.95);
});

it("takes no question for a list because its verb ends like a plural", () => {
  for (const asked of [
    "What was the key agenda of the meeting?",
    "What does the valve do?",
    "What is a seal made of?",
  ])
    assert.notEqual(classify(asked), "list", asked);
  assert.equal(classify("What tools are needed?"), "list");
});

it("takes a question for several things for a list, whatever stands before them", () => {
  for (const asked of [
    "What are major repairs that the works have done in 2023?",
    "What are three main suppliers named in the contract?",
    "What service intervals are given for the pump?",
    "What are the components of the cost of a pump?",
  ])
    assert.equal(classify(asked), "list", asked);
  for (const asked of [
    "What are pumps called there?",
    "What bearing was replaced?",
    "What are the costs of a pump?",
  ])
    assert.notEqual(classify(asked), "list", asked);
});

it("takes no amount, span of years or verb for a comparison, a total or a procedure", () => {
  assert.notEqual(classify("Which lines carry more than roughly 2 % of the load?"), "comparison");
  assert.equal(classify("Was the load higher than in 2011?"), "comparison");
  assert.notEqual(classify("What was the rate between 1995 and 2000?"), "comparison");
  assert.notEqual(classify("What did the inspector mean?"), "total");
  assert.notEqual(classify("What is the name of the process that hardens the shaft?"), "procedure");
});

it("takes a question for a follow-up only where something was said before", () => {
  assert.equal(classify("And in 2023?", true), "follow_up");
  assert.notEqual(classify("And in 2023?"), "follow_up");
});

it("looks past a greeting, and takes time linear in the question", () => {
  assert.equal(classify("Hello, what does LOTO mean?"), "definition");
  assertLinear(classify, ["what is the ", "or ", "which ", "how does ", "summary of "]);
});
