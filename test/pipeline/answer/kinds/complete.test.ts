import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Context, Passage } from "../../../../src/core/retrieval.ts";
import { ground } from "../../../../src/pipeline/answer/ground.ts";
import { balanceSides } from "../../../../src/pipeline/answer/kinds/comparison.ts";
import { completeByKind } from "../../../../src/pipeline/answer/kinds/complete.ts";
import { readQuestion } from "../../../../src/pipeline/answer/question.ts";
import { chunkOf, hitOf } from "../../fixtures.ts";

const contextOf = (question: string, ...texts: readonly string[]): Context => ({
  question,
  passages: texts.map((text, at): Passage => ({ marker: at + 1, text, chunk: chunkOf(text) })),
  tokenCount: 0,
  dropped: { overBudget: 0, duplicate: 0 },
});

const complete = (question: string, answer: string, ...texts: readonly string[]) => {
  const context = contextOf(question, ...texts);
  return completeByKind(ground(answer, context.passages, question), readQuestion(question), context);
};

describe("a comparison", () => {
  const question = "Did Ulta or Amcor have higher net sales in 2023?";
  const ulta = "Ulta had net sales of 10,208 million dollars in 2023.";
  const amcor = "Amcor had net sales of 14,694 million dollars in 2023.";

  it("gets the side that the answer left out, from the passages", () => {
    const { grounded } = complete(question, `${amcor} [2]`, ulta, amcor);
    assert.equal(grounded.text, `${amcor} [2]\nUlta: ${ulta} [1]`);
    assert.deepEqual(
      grounded.sentences.map(({ text }) => text),
      [amcor, `Ulta: ${ulta}`],
    );
    assert.deepEqual(
      grounded.citations.map(({ marker }) => marker),
      [1, 2],
    );
  });

  it("says which side lacks evidence", () => {
    assert.equal(
      complete(question, `${amcor} [1]`, amcor).grounded.text,
      `${amcor} [1]\nThe passages say nothing about Ulta.`,
    );
  });

  it("is left alone when it speaks of both, and made of the passages when nothing was written", () => {
    const both = `${ulta} [1] ${amcor} [2]`;
    assert.equal(complete(question, both, ulta, amcor).grounded.text, both);
    assert.equal(complete(question, "", ulta, amcor).grounded.text, `Ulta: ${ulta} [1]\nAmcor: ${amcor} [2]`);
    assert.equal(complete(question, "", "Nothing of either.").grounded.text, "");
  });

  it("is not made of remarks that say little of what is asked, nor of one side", () => {
    const remark = "Ulta was founded in 1990 and opened stores in 2023.";
    assert.equal(complete(question, "", remark, amcor).grounded.text, "");
    assert.equal(complete(question, "", amcor).grounded.text, "");
  });

  it("has both sides among its first passages", () => {
    const hits = [hitOf(`${amcor} a`), hitOf(`${amcor} bb`), hitOf(`${amcor} ccc`), hitOf(ulta)];
    assert.deepEqual(
      balanceSides(question, hits).map(({ chunk }) => chunk.text.slice(0, 5)),
      ["Ulta ", "Amcor", "Amcor", "Amcor"],
    );
    const said = hitOf(`${ulta} I think.`, { method: "chat" });
    assert.deepEqual(
      balanceSides(question, [hitOf(amcor), hitOf(`${amcor} a`), said, hitOf(ulta)]).map(
        ({ chunk }) => chunk.method,
      ),
      ["fake", "fake", "chat", "fake"],
    );
  });
});

describe("a list", () => {
  const text =
    "Protective equipment in the pump hall:\n- helmet\n- safety goggles\n- ear protection\nVisitors sign in.";
  const question = "Which protective equipment do I wear in the pump hall?";

  it("keeps all its items", () => {
    const { grounded, reason } = complete(question, "You wear a helmet and safety goggles. [1]", text);
    assert.equal(
      grounded.text,
      "Protective equipment in the pump hall: [1]\n- helmet [1]\n- safety goggles [1]\n- ear protection [1]",
    );
    assert.match(reason, /the whole list, as given in \[1\]/);
    assert.deepEqual(
      grounded.sentences.map(({ text: line, markers, support }) => [line, markers, support]),
      [
        ["Protective equipment in the pump hall:", [1], "supported"],
        ["- helmet", [1], "supported"],
        ["- safety goggles", [1], "supported"],
        ["- ear protection", [1], "supported"],
      ],
      "what the list replaced is no sentence of the answer",
    );
  });

  it("is told by what stands above it, not by long items that have some of any question", () => {
    const certificate = [
      "The undersigned certifies:",
      "1. The equipment was delivered to the hall.",
      "2. Protective duties of the pump maker were met.",
    ].join("\n");
    const said = "You wear a helmet. [1]";
    assert.equal(complete(question, said, `${certificate}\nYou wear a helmet.`).grounded.text, said);
    assert.equal(complete(question, "", certificate).grounded.text, "");
  });

  it("does not take the place of an answer that lists other things", () => {
    const evaluated = "Models of the study were evaluated:\n- A crowd model of two parts\n- Two data sets";
    const said = "Stanford and spaCy were evaluated. [1]";
    assert.equal(complete("Which models were evaluated?", said, evaluated).grounded.text, said);
  });

  it("is not made of rows of figures, nor of questions", () => {
    const rows = "Protective equipment in the pump hall\n(713) | 909\n(586) | 919";
    assert.equal(complete(question, "", rows).grounded.text, "");
    const asked =
      "Protective equipment in the pump hall:\n- Which helmet do I wear?\n- Who hands out equipment?";
    assert.equal(complete(question, "", asked).grounded.text, "");
  });

  it("is not made of the cells of a spreadsheet's rows", () => {
    const sheet =
      "From plant.xlsx, sheet 'Pumps':\n- Pump: P-1\n- Inspected: March\n\n- Pump: P-2\n- Inspected: May";
    const { grounded } = complete(
      "How do I inspect a pump?",
      "The pump P-1 was inspected in March. [1]",
      sheet,
    );
    assert.equal(grounded.text, "The pump P-1 was inspected in March. [1]");
  });

  it("is not made of the notes under a table", () => {
    const notes = [
      "Protective equipment | 2025 | 2026",
      "Helmets (1) | 40 | 52",
      "___________________",
      "(1) Includes equipment in the pump hall.",
      "(2) Does not include what visitors wear in the hall.",
    ].join("\n");
    assert.equal(complete(question, "", notes).grounded.text, "");
  });

  it("is left alone when the answer names every item", () => {
    const answer = "You wear a helmet, safety goggles and ear protection in the pump hall. [1]";
    assert.equal(complete(question, answer, text).grounded.text, answer);
  });
});

describe("a procedure", () => {
  const text =
    "Replacing the seal:\n1. Close the valve.\n2. Drain the pump.\n3. Remove the cover.\n4. Insert the new seal.";
  const question = "How is the seal replaced?";

  it("keeps its steps in order", () => {
    const answer = "Drain the pump, close the valve, remove the cover and insert the new seal. [1]";
    assert.match(
      complete(question, answer, text).grounded.text,
      /1\. Close .*\n2\. Drain .*\n3\. Remove .*\n4\. Insert /,
    );
    const right = "Close the valve, drain the pump, remove the cover and insert the new seal. [1]";
    assert.equal(complete(question, right, text).grounded.text, right);
  });
});

describe("a total", () => {
  const question = "What is the total revenue of Widget B?";

  it("that nothing computed is said to be none", () => {
    const { grounded } = complete(question, "", "Widget B earned 12,500 in January.");
    assert.equal(grounded.text, "");
    const part = complete(
      question,
      "Widget B earned 12,500 in January. [1]",
      "Widget B earned 12,500 in January.",
    );
    assert.equal(
      part.grounded.text,
      "Widget B earned 12,500 in January. [1]\nNo total was computed. These are its parts, as the passages state them.",
    );
  });

  it("that the passages state, or a tool computed, stands", () => {
    const stated = "Widget B earned 48,600 in total. [1]";
    assert.equal(complete(question, stated, "Widget B earned 48,600 in total.").grounded.text, stated);
    const passage: Passage = {
      marker: 1,
      text: "sum: 48600",
      chunk: chunkOf("sum: 48600", { method: "tool:database_query" }),
    };
    const context = { ...contextOf(question), passages: [passage] };
    const computed = ground("Widget B earned 48600. [1]", [passage], question);
    assert.equal(completeByKind(computed, readQuestion(question), context).grounded, computed);
  });
});

it("quotes the lines of a completed list, whatever the number of its passage, and none of what it replaces", () => {
  const asked = "What are the steps to shut down the mixer M7?";
  const list =
    "To shut down the mixer M7:\n\n1. Stop the motor of the mixer.\n2. Close the inlet valve.\n3. Before that, close valve 2 of the pump.";
  const { grounded } = complete(asked, "Stop the motor of the mixer. [2]", "The canteen opens at 7.", list);
  assert.match(grounded.text, /Close the inlet valve\..*\[2\]/);
  const quotes = grounded.citations.flatMap((citation) => citation.quotes).join("\n");
  for (const line of ["Stop the motor of the mixer.", "Close the inlet valve.", "close valve 2 of the pump."])
    assert.ok(quotes.includes(line), `${line} in ${quotes}`);
});

describe("a yes or no about an amount", () => {
  const gifts =
    "Gifts from suppliers worth more than 40 EUR are declined or handed to the compliance officer.";
  const question = "May I keep a gift worth 50 EUR that a supplier gave me?";

  const strictly = (asked: string, answer: string, ...texts: readonly string[]) => {
    const context = contextOf(asked, ...texts);
    return completeByKind(ground(answer, context.passages, asked, "strict"), readQuestion(asked), context);
  };

  it("stays as it is where an answer is left, or no limit decides it", () => {
    const kept = "No, a gift worth 50 EUR is declined. [1]";
    assert.equal(strictly(question, kept, gifts).grounded.text, kept);
    const other = "Gifts from suppliers are kept in the register for 50 days.";
    assert.equal(strictly(question, "Yes, you may keep 70 EUR. [1]", other).grounded.text, "");
  });
});

describe("a procedure that is asked for by its deed", () => {
  const question = "How do I replace the mechanical seal?";
  const signs =
    "Mechanical seals: how to recognise one that ran dry\n- radial cracks\n- blue colour\n- hard O-rings";
  const steps = "Replacing the mechanical seal\n1. Drain the pump.\n2. Pull the unit out.\n3. Fit the seal.";

  it("is no list on the same thing that speaks of no such deed", () => {
    assert.equal(complete(question, "", signs).grounded.text, "");
  });

  it("is the section that the deed heads where it has no list, unless the answer has every step", () => {
    const section =
      "5.3 Replacing the mechanical seal\nDrain the pump. Pull the unit out.\n\nFit the seal with water.";
    const [passage] = contextOf(question, section).passages;
    assert.ok(passage);
    const chunk = { ...passage.chunk, headings: ["5.3 Replacing the mechanical seal"] };
    const context = { ...contextOf(question, section), passages: [{ ...passage, chunk }] };
    const answered = (answer: string) =>
      completeByKind(ground(answer, context.passages, question), readQuestion(question), context).grounded
        .text;
    assert.equal(
      answered("Fit the seal with water. [1]"),
      "5.3 Replacing the mechanical seal [1]\nDrain the pump. [1]\nPull the unit out. [1]\nFit the seal with water. [1]",
    );
    const whole = "Drain the pump. [1] Pull the unit out. [1] Fit the seal with water. [1]";
    assert.equal(answered(whole), whole);
  });

  it("is the list under the deed, in any form of the word", () => {
    for (const text of [steps, steps.replace("Replacing", "Replacement of")])
      assert.match(complete(question, "", signs, text).grounded.text, /^Replac.*\[2\]\n1\. Drain/);
  });
});
