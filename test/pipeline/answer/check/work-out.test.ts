import assert from "node:assert/strict";
import { it } from "node:test";
import type { Message } from "../../../../src/core/answers/answer.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { checkAnswer } from "../../../../src/pipeline/answer/check/check.ts";
import { buildRetryMessage, keyStatement, mayBeShown } from "../../../../src/pipeline/answer/check/mend.ts";
import { requestDerivations } from "../../../../src/pipeline/answer/check/work-out.ts";
import { analyzeQuestion } from "../../../../src/pipeline/answer/question.ts";
import { evaluate } from "../../../../src/tools/calculator/evaluate.ts";
import { chunkOf } from "../../fixtures.ts";

const question = analyzeQuestion("How much did revenue grow each year, and until when may we give notice?");
const text =
  "Revenue was 410.5 million in 2021 and 620.9 million in 2024. Notice must be given three months before the end of a year.";
const passages = [{ marker: 1, text, chunk: chunkOf(text) }];
const answer = "Revenue grew by 14.8 % a year [1]. Notice may be given until 30 September 2026 [1].";

const calculate = (expression: string): string | null => {
  try {
    return evaluate(expression).value;
  } catch {
    return null;
  }
};

/** A reader that replies with these workings, and what it was asked. */
function reader(workings: readonly unknown[]) {
  const asked: { messages: readonly Message[]; schema: JsonObject }[] = [];
  const ask = (messages: readonly Message[], schema: JsonObject): Promise<string> => {
    asked.push({ messages, schema });
    return Promise.resolve(JSON.stringify({ workings }));
  };
  return { asked, ask };
}

const growth = {
  value: "14.8",
  expression: "((620.9 / 410.5)^(1/3) - 1) * 100",
  operands: [
    { value: "620.9", passage: 1 },
    { value: "410.5", passage: 1 },
    { value: "2021", passage: 1 },
  ],
};
const date = {
  value: "30 September 2026",
  expression: "2026-12-30 - 3 months",
  operands: [{ value: "three months", passage: 1 }],
};

it("a value is tied by an expression of which every operand is in its passage, asked for once", async () => {
  const checked = checkAnswer(answer, passages, question);
  assert.deepEqual(
    checked.untied.map(({ value }) => value.text),
    ["14.8", "30 september 2026"],
  );
  const { asked, ask } = reader([growth, date]);
  const worked = await requestDerivations(checked, { passages, question, calculate, ask });
  assert.equal(asked.length, 1);
  assert.match(asked[0]?.messages[0]?.text ?? "", /14\.8/);
  assert.deepEqual(
    worked.sentences.map(({ support, derivation }) => [support, derivation]),
    [
      ["supported", growth.expression],
      // The date it counts from is in no passage.
      ["partial", undefined],
    ],
  );
  assert.deepEqual(
    worked.untied.map(({ value }) => value.text),
    ["30 september 2026"],
  );
});

it("a value stays untied where the result, an operand or the reply is wrong", async () => {
  const checked = checkAnswer(answer, passages, question);
  for (const workings of [
    [{ ...growth, expression: "(620.9 / 410.5 - 1) * 100" }],
    [{ ...growth, expression: "((621.9 / 410.5)^(1/3) - 1) * 100" }],
    [{ ...growth, operands: [{ value: "620.9", passage: 2 }] }],
    [{ ...growth, expression: "14.8" }],
    ["no working"],
  ]) {
    const worked = await requestDerivations(checked, {
      passages,
      question,
      calculate,
      ask: reader(workings).ask,
    });
    assert.equal(worked.untied.length, 2, JSON.stringify(workings));
  }
  const ask = (): Promise<string> => Promise.resolve("I worked it out.");
  assert.deepEqual(await requestDerivations(checked, { passages, question, calculate, ask }), checked);
});

it("nothing is asked where all values have a tie", async () => {
  const checked = checkAnswer("Revenue was 410.5 million in 2021 [1].", passages, question);
  const { asked, ask } = reader([]);
  assert.equal(await requestDerivations(checked, { passages, question, calculate, ask }), checked);
  assert.equal(asked.length, 0);
});

it("a contradicted answer is given back with what its passage says", () => {
  const leave = "The probation period of new employees is six months.";
  const checked = checkAnswer(
    "The probation period of new employees is three months [1].",
    [{ marker: 1, text: leave, chunk: chunkOf(leave) }],
    analyzeQuestion("How long is the probation period?"),
  );
  const { text: request } = buildRetryMessage(checked);
  assert.match(request, /three months/);
  assert.match(request, /> The probation period of new employees is six months\./);
});

it("strict shows no answer whose key statement has a value that no passage has, and marks any other", () => {
  const asked = analyzeQuestion("How much was the revenue in 2024?");
  const of = (said: string) => checkAnswer(said, passages, asked);
  const wrong = of("Revenue was 733.1 million in 2024 [1].");
  assert.deepEqual([mayBeShown(wrong, asked, "strict"), mayBeShown(wrong, asked, "prefer")], [false, true]);
  const aside = of("In 2024 it was 620.9 million [1]. The company has 88 branches [1].");
  assert.deepEqual([keyStatement(aside, asked), aside.untied.length], [0, 1]);
  assert.equal(mayBeShown(aside, asked, "strict"), true);
});
