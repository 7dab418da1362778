import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { openGlossary } from "../../../src/pipeline/retrieve/glossary.ts";

const glossary = openGlossary(
  parse(readFileSync(new URL("../../../config/glossary.yaml", import.meta.url), "utf8")),
  "config/glossary.yaml",
);

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
    () => openGlossary({ kinds: {}, terms: [{ when: ["a"], also: "b", on: ["nowhere"] }] }, "mine.yaml"),
    /mine\.yaml.*"nowhere"/,
  );
});
