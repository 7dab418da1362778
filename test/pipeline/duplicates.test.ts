import assert from "node:assert/strict";
import { test } from "node:test";
import { nearDuplicates, signatureOf, similarity } from "../../src/pipeline/duplicates.ts";

const words = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `word${from + at}`).join(" ");
const sign = (text: string) => signatureOf(text) ?? assert.fail("the text is long enough");

test("the estimate is near the true share of equal five-word runs", () => {
  for (const shared of [100, 250, 400]) {
    const [one, two] = [words(0, 500), words(500 - shared, 500)];
    const truth = (shared - 4) / (2 * 496 - (shared - 4));
    assert.ok(Math.abs(similarity(sign(one), sign(two)) - truth) < 0.2, `${shared} shared words`);
  }
  assert.equal(similarity(sign(words(0, 300)), sign(words(0, 300).toUpperCase().replaceAll(" ", "\n"))), 1);
});

test("pairs above the threshold are found, and no others; a text too short is not compared", () => {
  const base = words(0, 400);
  const texts = {
    base,
    edited: base.replace("word200", "changed"),
    other: words(1000, 400),
    third: words(2000, 400),
  };
  const signed = Object.entries(texts).map(([of, text]) => ({ of, signature: sign(text) }));
  const pairs = nearDuplicates(signed, 0.8);
  assert.deepEqual(
    pairs.map(({ one, two }) => [one, two]),
    [["base", "edited"]],
  );
  assert.equal(signatureOf("too short"), undefined);
});
