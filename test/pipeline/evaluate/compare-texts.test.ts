import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptedAnswers,
  contains,
  normalizeAnswer,
  numbersMatch,
  wordF1,
} from "../../../src/pipeline/evaluate/compare-texts.ts";

/**
 * Response, accepted answer, the response as it is compared, containment and F1; the figures are those of the
 * reference in Python.
 */
const cases: readonly (readonly [string, unknown, string, boolean, number])[] = [
  [
    "The revenue was $1,577.00 million in 2018 [1].",
    ["$1577"],
    "revenue was 1577 million in 2018 1",
    true,
    0.285714,
  ],
  ["About 8.7 percent of it [2, 3].", ["8.70%"], "about 8.7% of it 2 3", true, 0.4],
  ["The answer is a seal plate", ["the Seal Plate."], "answer is seal plate", true, 0.666667],
  ["US$ 12 was paid", ["12"], "12 was paid", true, 0.5],
  ["đồng hồ đo áp suất", ["Đồng hồ đo"], "đồng hồ đo áp suất", true, 0.75],
  ["nothing", "['12', '13']", "nothing", false, 0],
  ["it has 12 and [x]", "['12', '13']", "it has 12 and x", true, 0.333333],
  ["éa the an", ["éa"], "éa", true, 1],
  ["6 029", ["['$6,029']"], "6 029", false, 0],
  ["", ["1"], "", false, 0],
  ["3.50.20 units", ["3.5.2"], "3.5.20 units", false, 0],
];

test("containment and F1 are those of the reference, to the third decimal", () => {
  for (const [response, answer, text, contained, f1] of cases) {
    const accepted = acceptedAnswers(answer);
    assert.equal(normalizeAnswer(response), text);
    assert.equal(contains(response, accepted), contained, response);
    assert.ok(Math.abs(wordF1(response, accepted) - f1) < 5e-4, `${response}: ${wordF1(response, accepted)}`);
  }
});

test("a list of answers may be written as a list, as text, or both, and what is no list stays one answer", () => {
  assert.deepEqual(acceptedAnswers(["12", 13]), ["12", "13"]);
  assert.deepEqual(acceptedAnswers(["['a, b', \"it's\", 7]"]), ["a, b", "it's", "7"]);
  assert.deepEqual(acceptedAnswers("[see page 4]"), ["[see page 4]"]);
  assert.deepEqual(acceptedAnswers(null), []);
});

test("numbers match within the tolerance, with scale words, and are not asked for where the answer has none", () => {
  assert.equal(numbersMatch("It was 1.2 million euro.", ["1,200,000"], 0), true);
  assert.equal(numbersMatch("It was 1577.", ["$1,577.00 million"], 0), true);
  assert.equal(numbersMatch("It was 101.", ["100"], 0.01), true);
  assert.equal(numbersMatch("It was 102.", ["100"], 0.01), false);
  assert.equal(numbersMatch("It rose from 10 to 12.", ["12 of 15"], 0), false);
  assert.equal(numbersMatch("It is blue.", ["blue"], 0), undefined);
});
