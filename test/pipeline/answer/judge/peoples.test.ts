import assert from "node:assert/strict";
import { it } from "node:test";
import { reasonOf } from "./verdicts.ts";

const text = `Half of Americans name their own country. A third of Americans (32%) choose China. However, roughly half of Germans name China (53%) as the leading economic power. In France, 41% name China. Spaniards were asked too. Some 38% name China.

Italy 24 53 6 14`;
const question = "What percentage of respondents see China as the leading economic power?";

it("removes a figure that is given to another people than its sentence speaks of", () => {
  for (const [statement, figure] of [
    ["53% of Chinese respondents see the U.S. as the leading economic power.", "53"],
    ["53% of Americans see China as the leading economic power.", "53"],
  ] as const)
    assert.equal(
      reasonOf(question, text, statement),
      `${figure} stands in [1], but of another people`,
      statement,
    );
});

it("keeps a figure of the people that its sentence names, or of a country where those live", () => {
  for (const statement of [
    "53% of Germans see China as the leading economic power.",
    "53% of German respondents see China as the leading economic power.",
    "38% of Spanish adults name China.",
    "41% of French adults name China.",
    "53% see China as the leading economic power.",
  ])
    assert.equal(reasonOf("Who names China?", text, statement), undefined, statement);
});

it("takes a row of numbers without a label for no word of whose they are", () => {
  const chart = `${text}\n\n | 2018 | 2019\n | 44 | 53`;
  assert.equal(
    reasonOf(question, chart, "53% of Chinese respondents see China as the leading economic power."),
    "53 stands in [1], but of another people",
  );
});
