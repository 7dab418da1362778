import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formulaInputs } from "../../../src/language/asking/kinds/defined.ts";
import { comparisonSides } from "../../../src/language/asking/sides.ts";

describe("the sides of a comparison", () => {
  for (const [question, ...labels] of [
    ["Did Ulta or Amcor have higher net sales in 2023?", "Ulta", "Amcor"],
    ["How did revenue change from 2021 to 2022?", "2021", "2022"],
    ["Was net income higher in FY2022 than in FY2021?", "fy2022", "fy2021"],
    ["Which is heavier, the HP-100 or the HP-200?", "HP-100", "HP-200"],
    ["So sánh máy bơm HP-200 và HP-300.", "HP-200", "HP-300"],
    ["Vergleiche die HP-200 mit der HP-300.", "HP-200", "HP-300"],
    ["What is the difference between sick leave and parental leave?", "sick leave", "parental leave"],
  ] as const)
    it(`are found: ${question}`, () =>
      assert.deepEqual(
        comparisonSides(question).map(({ label }) => label),
        labels,
      ));

  it("are searched without each other", () => {
    assert.deepEqual(
      comparisonSides("Did Ulta or Amcor have higher net sales in 2023?").map(({ query }) => query),
      ["Ulta higher net sales 2023", "Amcor higher net sales 2023"],
    );
  });

  it("are none of another question", () => {
    for (const question of [
      "What does Ulta sell in 2023?",
      "Which area of New York has more than 23% of its land rezoned?",
      "Is HP-200 allowed in hall 2?",
      "Which region of Acme had the biggest drop of revenue in Q2 2023 year over year?",
      "Which region of Acme had the biggest drop of revenue in Q22023 year over year?",
    ])
      assert.deepEqual(comparisonSides(question), []);
  });
});

it("looks for a figure that a question defines by the figures it is made of", () => {
  assert.deepEqual(
    formulaInputs(
      "What is the quick ratio of Acme in FY2022? The quick ratio is defined as: (cash + receivables) / current liabilities.",
    ),
    ["cash Acme fy2022", "receivables Acme fy2022", "current liabilities Acme fy2022"],
  );
  assert.deepEqual(formulaInputs("How is overtime defined as of today?"), []);
  assert.deepEqual(formulaInputs("What is the quick ratio?"), []);
});
