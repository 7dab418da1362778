import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openJudge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { readQuestion } from "../../../../src/pipeline/answer/question.ts";
import { chunkOf } from "../../fixtures.ts";

/** Verdicts on a statement about a text, as of a small and of an able reader. */
function verdictsOf(question: string, text: string, statement: string) {
  const passages = [{ marker: 1, text, chunk: chunkOf(text) }];
  const [small, able] = [false, true].map((isAble) =>
    openJudge(passages, readQuestion(question), { isAble }).sentence(statement, [1]),
  );
  return { small, able };
}

const costs =
  "Cost | 2021 | 2022\nTechnology | 410.5 | 543.7\nAdministration | 287.2 | 407.3\nMarketing | 300.1 | 320.9";

describe("a statement of an able reader", () => {
  it("is marked, not removed, where its figure may be of something else", () => {
    const { small, able } = verdictsOf(
      "What were the costs of Technology in 2022?",
      costs,
      "The costs of Technology in 2022 were 407.3.",
    );
    assert.deepEqual(
      [small?.support, able?.support, able?.rule],
      ["unsupported", "partial", "misplacedFigure"],
    );
  });

  it("is removed where a number stands nowhere and follows from nothing", () => {
    const { able } = verdictsOf(
      "What were the costs of Technology in 2022?",
      costs,
      "The costs of Technology in 2022 were 612.8.",
    );
    assert.deepEqual([able?.support, able?.rule], ["unsupported", "number"]);
  });

  it("is marked where it says the opposite, or in other words, and a small reader's is removed", () => {
    const text = "Remote work is not allowed in the laboratory.";
    const question = "Is remote work allowed in the laboratory?";
    for (const said of [
      "Yes, remote work is allowed in the laboratory.",
      "No, whoever experiments must come in person.",
    ]) {
      const { small, able } = verdictsOf(question, text, said);
      assert.deepEqual([small?.support, able?.support], ["unsupported", "partial"], said);
    }
  });

  it("keeps the reason of the rule that marks it where it is a yes alone", () => {
    const text = "Remote work is not allowed in the laboratory.";
    const { small, able } = verdictsOf("Is remote work allowed in the laboratory?", text, "Yes.");
    assert.deepEqual([able?.support, able?.rule, able?.reason], ["partial", small?.rule, small?.reason]);
  });
});

describe("a number is tied that follows from others that the statement shows", () => {
  for (const [what, statement, derivation] of [
    ["a product", "The order of 1,225 boxes at 0.37 EUR each comes to 453.25 EUR.", "1,225 * 0.37"],
    [
      "a list that it counts",
      "The board has 4 members in Oslo (Anna Lund, Per Dahl, Ida Moe and Nils Berg).",
      "4 listed",
    ],
    [
      "a result of results",
      "The mean of 54.2, 55.4 and 56.6 is 55.4, and that of 50.3, 51.5 and 52.7 is 51.5, which is 3.9 more.",
      "55.4 - 51.5",
    ],
  ] as const) {
    it(what, () => {
      const text =
        "An order of 1,225 boxes costs 0.37 EUR for each box.\nThe members in Oslo are Anna Lund, Per Dahl, Ida Moe and Nils Berg of the board.\nThe first mill measured 54.2, 55.4 and 56.6, the mean of the other is of 50.3, 51.5 and 52.7.";
      const { able } = verdictsOf("What does it come to?", text, statement);
      assert.notEqual(able?.support, "unsupported", able?.reason);
      assert.match(able?.derivation ?? derivation, new RegExp(derivation.replace(/[*()]/g, "\\$&")));
    });
  }

  it("but not where it is another one", () => {
    const text = "An order of 1,225 boxes costs 0.37 EUR for each box.";
    const { able } = verdictsOf(
      "What does the order cost?",
      text,
      "The order of 1,225 boxes at 0.37 EUR each comes to 463.25 EUR.",
    );
    assert.deepEqual([able?.support, able?.rule], ["unsupported", "number"]);
  });
});

it("knows a name that a passage writes in one word", () => {
  const chunk = { ...chunkOf("Basic earnings per share were $6.31."), sourceName: "GOODBUY_2023.pdf" };
  const passages = [{ marker: 1, text: chunk.text, chunk }];
  const said = "Good Buy's basic earnings per share were $6.31.";
  const verdict = openJudge(
    passages,
    readQuestion("What are the basic earnings per share of Goodbuy?"),
  ).sentence(said, [1]);
  assert.equal(verdict.support, "supported", verdict.reason);
});
