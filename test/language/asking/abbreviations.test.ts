import assert from "node:assert/strict";
import { it } from "node:test";
import { wordsGivenFor } from "../../../src/language/asking/abbreviations.ts";
import { assertLinear } from "../../helpers/linear.ts";

it("finds the words that a text gives for an abbreviation, before it or behind", () => {
  const texts = [
    "Lock-out/tag-out (LOTO) is mandatory. The net positive suction head (NPSH) is 3 m.",
    "See the annex (ABC) and the units (kW). Code | Market\nEPS | Eastern Power Segment",
    "Die Persönliche Schutz Ausrüstung (PSA) ist zu tragen. Each EPS opens at eight.",
  ];
  for (const [short, words] of [
    ["loto", "lock tag"],
    ["npsh", "net positive suction head"],
    ["psa", "persönliche schutz ausrüstung"],
    ["eps", "eastern power segment"],
    ["abc", ""],
    ["kw", ""],
  ] as const)
    assert.equal(wordsGivenFor(short, texts).join(" "), words, short);
  assert.deepEqual(wordsGivenFor("eps", ["Earnings per share (EPS).", ...texts]).slice(0, 2), [
    "earnings",
    "share",
  ]);
});

it("takes time linear in the text", () => {
  assertLinear((text) => wordsGivenFor("ab", [text]), ["(AB", "a b (AB) ", "((((", "AB AB "]);
});
