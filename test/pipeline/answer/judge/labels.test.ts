import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Passage } from "../../../../src/core/retrieval.ts";
import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";

const passage = "Widget A weighs 40 kg and is made in Lyon. Widget B weighs 60 kg and is made in Graz.";
const verdict = (answer: string, question: string, text = passage) => {
  const passages: Passage[] = [{ marker: 1, text, chunk: chunkOf(text) }];
  const [first] = judge(answer, passages, question);
  return { support: first?.support, reason: first?.reason };
};
const supported = { support: "supported", reason: "" };

describe("names that only a letter tells apart", () => {
  it("do not lend each other their facts", () => {
    const question = "How heavy is Widget A?";
    assert.deepEqual(verdict("Widget A weighs 40 kg. [1]", question), supported);
    assert.deepEqual(verdict("Widget A weighs 60 kg. [1]", question), {
      support: "unsupported",
      reason: "[1] says it of Widget B, not of Widget A",
    });
    assert.equal(verdict("Widget A is made in Graz. [1]", "Where is Widget A made?").support, "unsupported");
    assert.equal(verdict("It weighs 60 kg. [1]", question).support, "unsupported");
    assert.deepEqual(verdict("It weighs 40 kg. [1]", question), supported);
  });

  it("do not answer for each other", () => {
    assert.deepEqual(verdict("Widget B weighs 60 kg. [1]", "How heavy is Widget A?"), {
      support: "unsupported",
      reason: "is about Widget B, not about Widget A",
    });
    assert.deepEqual(
      verdict("Widget B weighs 60 kg. [1]", "How heavy are Widget A and Widget B?"),
      supported,
    );
    assert.deepEqual(verdict("Widget B weighs 60 kg. [1]", "Which widget is made in Graz?"), supported);
  });

  it("may share a sentence", () => {
    const shared = "Widget A and Widget B weigh 40 kg each.";
    assert.deepEqual(verdict("Widget B weighs 40 kg. [1]", "How heavy is Widget B?", shared), supported);
  });

  it("are written with a hyphen or in lower case, too", () => {
    const plans = "Under plan-B members pay 20 EUR. Under plan-C members pay 30 EUR.";
    assert.equal(
      verdict("Under plan B members pay 30 EUR. [1]", "What does plan B cost?", plans).support,
      "unsupported",
    );
    assert.deepEqual(
      verdict("Under plan B members pay 20 EUR. [1]", "What does plan B cost?", plans),
      supported,
    );
  });

  it("are not read out of articles and pronouns", () => {
    const text = "What can I do? Call the desk. A desk is on every floor.";
    assert.deepEqual(verdict("You can call the desk. [1]", "What can I do?", text), supported);
  });

  it("must stand in the passage", () => {
    const table = "Property | HP-200A | HP-200S\nMaximum working pressure | 16 bar | 25 bar";
    const question = "What is the pressure of Pump A?";
    const lost = { support: "unsupported", reason: "[1] has no Pump A" };
    for (const text of [table, `${table}\nSound pressure level at 1 m | 79 dB(A) | 81 dB(A)`])
      assert.deepEqual(verdict("The pressure of Pump A is 16 bar. [1]", question, text), lost);
    assert.deepEqual(
      verdict("The pressure is 16 bar. [1]", question, "A pump has a pressure of 16 bar."),
      lost,
    );
    for (const text of [
      "Pumps A and B have a pressure of 16 bar.",
      "Pump | Pressure\nA | 16 bar\nB | 25 bar",
      "The pressure of pump A is 16 bar.",
    ])
      assert.notEqual(
        verdict("The pressure of Pump A is 16 bar. [1]", question, text).support,
        "unsupported",
      );
    const born = "Mary Dillon was born in 1961.";
    assert.deepEqual(
      verdict("Mary N. Dillon was born in 1961. [1]", "When was Mary N. Dillon born?", born),
      supported,
    );
  });
});
