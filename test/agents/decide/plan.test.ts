import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { planQueries } from "../../../src/agents/decide/plan.ts";

const torque =
  "What is the tightening torque of the stainless casing cover bolts on the HP-200 pump in winter?";

it("searches abbreviations by their long forms too, since a document may have only those", () => {
  const { queries } = planQueries(
    "What is the LOTO procedure?",
    { rewritten: null },
    { intent: "retrieval" },
  );
  assert.ok(queries.some(({ text }) => text.includes("lockout tagout")));
});

describe("the plan", () => {
  it("searches by the question at 6, its keywords at 10 and its key terms at 14", () => {
    assert.deepEqual(planQueries(torque, { rewritten: null }, { intent: "retrieval" }).queries, [
      { text: torque, purpose: "question", limit: 6 },
      {
        text: "tightening torque stainless casing cover bolts HP-200 pump winter",
        purpose: "rewrite",
        limit: 10,
      },
      { text: "tightening torque stainless casing HP-200 winter", purpose: "key_terms", limit: 14 },
    ]);
  });

  it("searches by the original and its rewrite, both", () => {
    const { queries } = planQueries(
      "and for the HP-300?",
      { rewritten: "How long is the warranty of the HP-300 pump?" },
      { intent: "retrieval" },
    );
    assert.deepEqual(
      queries.map(({ text, limit }) => [text, limit]),
      [
        ["and for the HP-300?", 6],
        ["How long is the warranty of the HP-300 pump?", 10],
        ["warranty HP-300 pump", 14],
      ],
    );
  });

  it("never searches the same words twice, however they are written", () => {
    const { queries, reason } = planQueries(
      "What is the LOTO procedure?",
      { rewritten: null },
      { intent: "retrieval" },
    );
    assert.deepEqual(
      queries.map(({ purpose, limit }) => [purpose, limit]),
      [
        ["question", 6],
        ["rewrite", 14],
      ],
    );
    assert.equal(reason, "the question and its keywords");
    const again = planQueries(
      "casing cover bolts",
      { rewritten: "Casing  cover BOLTS" },
      { intent: "retrieval" },
    );
    assert.deepEqual(
      again.queries.map(({ text, limit }) => [text, limit]),
      [["casing cover bolts", 14]],
    );
  });

  it("searches each part and the whole of several questions, and drops a greeting before them", () => {
    const { queries } = planQueries(
      "Hi, where is the canteen? Who runs the gym?",
      { rewritten: null },
      { intent: "multi_part" },
    );
    assert.deepEqual(
      queries.map(({ text, purpose }) => [text, purpose]),
      [
        ["Hi, where is the canteen? Who runs the gym?", "question"],
        ["where is the canteen?", "part"],
        ["Who runs the gym?", "part"],
      ],
    );
  });

  it("plans no search for a greeting or a question back", () => {
    for (const intent of ["direct", "clarify"] as const)
      assert.deepEqual(planQueries("hello", { rewritten: null }, { intent }).queries, []);
  });

  it("never has an empty query, nor more than six", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 200 }),
        fc.constantFrom("retrieval" as const, "multi_part" as const),
        (text, intent) => {
          const { queries } = planQueries(text, { rewritten: null }, { intent });
          return queries.length <= 6 && queries.every((query) => query.text !== "");
        },
      ),
      { numRuns: 300 },
    );
  });
});
