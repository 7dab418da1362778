import assert from "node:assert/strict";
import { it } from "node:test";
import { headTokens } from "../../../../src/pipeline/answer/context.ts";
import { summaryHits } from "../../../../src/pipeline/answer/kinds/summary.ts";
import { countWords, hitOf } from "../../fixtures.ts";

/** Sections of a document, a chunk each; pages count from 1. */
const documentOf = (sections: readonly (readonly [heading: string, text: string])[]) =>
  sections.map(
    ([heading, text], at) =>
      hitOf(text, { id: `v1-${at}`, ordinal: at, headings: ["Seals of pumps", heading], pages: [at + 1] })
        .chunk,
  );
const shown = (sections: Parameters<typeof documentOf>[0], maxTokens: number): string =>
  summaryHits(documentOf(sections), { maxTokens, maxPassages: 4, count: countWords })
    .map(({ chunk }) => chunk.text)
    .join("\n");

const tests = [
  "Test",
  "Every seal ran dry for an hour on the bench. Every seal of the bench ran warm after an hour. The bench held each seal of the pumps for an hour.",
] as const;
const conclusion = ["5 Conclusions", "Carbon seals last twice as long as the rubber ones."] as const;

it("a summary takes what the author sums up before sections that are longer", () => {
  const materials = ["Materials", tests[1].replaceAll("bench", "rubber")] as const;
  const budget = 4 * headTokens + 24;
  const text = shown([tests, materials, conclusion], budget);
  assert.match(text, /Carbon seals last twice as long/);
  assert.match(text, /bench|rubber\./);
  const untitled = shown([tests, materials, ["5 Costs", conclusion[1]]], budget);
  assert.doesNotMatch(untitled, /Carbon seals last twice as long/);
});

it("a summary of a slide has its items beside what the speaker says of them", () => {
  const slide = [
    "Lock-out",
    "- Isolate every source of energy\n- Hang your own red padlock and tag\n\nEach fitter of the shift has three padlocks.",
  ] as const;
  assert.match(shown([slide], 400), /Isolate every source of energy\n[\s\S]*Each fitter/);
});

it("a summary takes whole sentences, and lines where a section has nothing else", () => {
  const cut = [
    "Results",
    "and the seal of the pump in the bench of the seal\n\n88% of the seal 84 79 or of the pump.\n\nThe seal of the pump leaked after nine days.",
  ] as const;
  const slide = ["Next steps", "Order ten carbon seals for the pumps"] as const;
  assert.equal(
    shown([cut, slide], 400),
    "The seal of the pump leaked after nine days.\nOrder ten carbon seals for the pumps",
  );
});
