import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { loadWeights } from "../../../src/app/engines/ranking.ts";
import { formulate } from "../../../src/pipeline/retrieve/formulate.ts";
import { createGlossary, readGlossary } from "../../../src/pipeline/retrieve/glossary.ts";

const installed = readGlossary({
  name: "config/glossary.yaml",
  content: parse(readFileSync(new URL("../../../config/glossary.yaml", import.meta.url), "utf8")),
});
const glossary = createGlossary(installed);

test("a ratio leads to the lines it is made of and to the statements they stand in", () => {
  const companion = glossary.companionOf("What is the quick ratio of FY2022?");
  assert.match(companion?.text ?? "", /^balance sheet .*receivables.*current liabilities/);
  assert.ok(
    companion?.heads.some((head) => head === " balanc sheet "),
    companion?.heads.join(),
  );
});

test("abbreviations are known in whatever way they are written", () => {
  for (const question of ["What was capex?", "Did the PP&E grow?", "what is SG&A", "the P&L statement"])
    assert.notEqual(glossary.companionOf(question), undefined, question);
});

test("a question without such terms has no companion", () => {
  assert.equal(glossary.companionOf("How do I change the seal of the pump?"), undefined);
  assert.equal(glossary.companionOf("Wie wechsle ich die Dichtung?"), undefined);
});

test("a glossary that names an unknown kind of page is refused by name", () => {
  assert.throws(
    () => readGlossary({ name: "mine.yaml", content: { terms: [{ when: ["a"], on: ["nowhere"] }] } }),
    /mine\.yaml.*"nowhere"/,
  );
});

test("entries over others add terms and kinds, replace kinds of a name, and take phrases over", () => {
  const own = {
    kinds: { cash: ["treasury report"], lockout: ["lockout procedure"] },
    terms: [
      { when: ["LOTO"], also: "energy isolation padlock", on: ["lockout"] },
      { when: ["Quick ratios"], also: "acid test" },
      { when: ["capex"] },
    ],
  };
  const both = createGlossary(readGlossary({ name: "mine.yaml", content: own }, installed));
  assert.equal(
    both.companionOf("Who signs the LOTO form?")?.text,
    "lockout procedure energy isolation padlock",
  );
  assert.equal(both.companionOf("What is the quick ratio?")?.words, "acid test");
  assert.equal(both.companionOf("What was capex?"), undefined, "a term without words takes a phrase out");
  assert.match(both.companionOf("What was operating cash flow?")?.text ?? "", /treasury report/);
  assert.match(both.companionOf("What was the gross margin?")?.text ?? "", /gross profit/);
});

test("a question for a reason is not searched for the statements that have the figures", () => {
  const searchFor = (query: string) =>
    formulate(query, {
      request: { topK: 10, collections: [], mode: "hybrid" },
      catalogue: undefined,
      settings: { nameWeight: 1, yearWeight: 1 },
      ranking: { glossary, weights: loadWeights() },
    });
  assert.ok(searchFor("By how much did gross margin change in FY2022?").companion);
  for (const question of [
    "What drove gross margin change in FY2022?",
    "Why did gross margin fall in FY2022?",
    "Warum ist gross margin gefallen?",
  ]) {
    const { companion, sought } = searchFor(question);
    assert.equal(companion, undefined, question);
    assert.equal(sought?.wantsFigure, false, question);
  }
});
