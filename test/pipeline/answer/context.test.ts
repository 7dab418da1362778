import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { context } from "../../../src/pipeline/answer/context.ts";
import { analyzeQuestion } from "../../../src/pipeline/answer/question.ts";
import { countWords as count, hitOf } from "../fixtures.ts";

const options = { maxTokens: 500, maxPassages: 5, count };

it("numbers passages from one, best first", () => {
  const { passages } = context(
    analyzeQuestion("q"),
    [hitOf("Alpha is first."), hitOf("Beta is second thing.")],
    options,
  );
  assert.deepEqual(
    passages.map((passage) => [passage.marker, passage.text]),
    [
      [1, "Alpha is first."],
      [2, "Beta is second thing."],
    ],
  );
});

it("skips what does not fit, takes a later one that does, and counts what was left out", () => {
  const found = context(
    analyzeQuestion("q"),
    [hitOf("short one"), hitOf("word ".repeat(80).trim()), hitOf("another short")],
    {
      ...options,
      maxTokens: 90,
    },
  );
  assert.deepEqual(
    found.passages.map((passage) => passage.text),
    ["short one", "another short"],
  );
  assert.equal(found.dropped.overBudget, 1);
});

it("shows what every tool found, in their order: one long finding leaves its share of the budget to the others", () => {
  const rows = (name: string) =>
    Array.from({ length: 60 }, (_, index) => `${name} ${index} is ${index * 7} metres tall.`).join("\n");
  const findings = ["mast", "crane", "tower"].map((name) =>
    hitOf(rows(name), { method: "tool:database_query" }),
  );
  const { passages, tokenCount } = context(analyzeQuestion("How tall is the crane?"), findings, {
    ...options,
    maxTokens: 300,
  });
  assert.deepEqual(
    passages.map(({ text }) => text.slice(0, 4)),
    ["mast", "cran", "towe"],
  );
  assert.ok(tokenCount <= 300);
});

it("leaves out and counts repeats: equal up to case and spaces, contained, or nearly the same wording", () => {
  const long =
    "The annual fee is four hundred euros and it is paid in two equal parts each year by every member of the club";
  const found = context(
    analyzeQuestion("q"),
    [
      hitOf(long),
      hitOf(` ${long.toUpperCase()} .`),
      hitOf("paid in two equal parts"),
      hitOf(`${long} today`),
      hitOf("Other text."),
    ],
    options,
  );
  assert.equal(found.passages.length, 2);
  assert.equal(found.dropped.duplicate, 3);
});

it("never exceeds the budget, and accounts for every hit", () => {
  const hits = fc.array(
    fc.lorem({ maxCount: 60 }).map((text) => hitOf(text)),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(hits, fc.integer({ min: 30, max: 300 }), (found, maxTokens) => {
      const { passages, tokenCount, dropped } = context(analyzeQuestion("dolor sit amet"), found, {
        maxTokens,
        maxPassages: 5,
        count,
      });
      assert.ok(tokenCount <= maxTokens && passages.length <= 5);
      assert.equal(passages.length + dropped.duplicate + dropped.overBudget, found.length);
    }),
    { numRuns: 100 },
  );
});

it("cuts the best hit to the lines that have room where it alone is too long", () => {
  const text = Array.from({ length: 30 }, (_, at) => `Line ${at} says a thing.`).join("\n");
  const { passages } = context(analyzeQuestion("q"), [hitOf(text)], { ...options, maxTokens: 60 });
  assert.match(passages[0]?.text ?? "", /^Line 0 says a thing\.\n/);
  assert.ok(count(passages[0]?.text ?? "") <= 60 - 24);
});
