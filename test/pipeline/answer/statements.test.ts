import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { statementsOf } from "../../../src/pipeline/answer/statements.ts";

const texts = ["Drain plug: 45 Nm. Adjusted EBITDA (1) rose.", "Another passage."];
const bareOf = (text: string): readonly string[] => statementsOf(text, texts).map(({ bare }) => bare);

describe("a number in round brackets before a citation", () => {
  for (const [text, bare] of [
    ["The drain plug needs 45 Nm. (1) [1]", ["The drain plug needs 45 Nm."]],
    ["The drain plug needs 45 Nm (2) [1].", ["The drain plug needs 45 Nm."]],
    ["It needs 45 Nm. (1) [1] The bolts need 9 Nm. (2) [2]", ["It needs 45 Nm.", "The bolts need 9 Nm."]],
  ] as const)
    it(`is dropped from “${text}”`, () => {
      assert.deepEqual(bareOf(text), bare);
    });

  for (const [text, bare] of [
    ["The plug is that of Smith (2019) [1].", ["The plug is that of Smith (2019)."]],
    ["The plug is drawn in Figure (1) [1].", ["The plug is drawn in Figure (1)."]],
    ["The highest is adjusted EBITDA (1) [1].", ["The highest is adjusted EBITDA (1)."]],
    ["The plug needs a key of 12 (9) [1].", ["The plug needs a key of 12 (9)."]],
    ["It needs 45 (1) Nm [1].", ["It needs 45 (1) Nm."]],
  ] as const)
    it(`stays in “${text}”`, () => {
      assert.deepEqual(bareOf(text), bare);
    });
});

describe("the end of a sentence before a citation", () => {
  for (const [text, bare] of [
    ["It gives leave and medical checks., [1]", "It gives leave and medical checks."],
    ["It gives leave and medical checks,. [1]", "It gives leave and medical checks."],
    ["It gives leave, checks, etc. [1]", "It gives leave, checks, etc."],
  ] as const)
    it(`has one sign in “${text}”`, () => {
      assert.deepEqual(bareOf(text), [bare]);
    });
});

describe("the words by which a model speaks of its passages", () => {
  for (const [text, bare] of [
    ["The passage states that the drain plug needs 45 Nm. [1]", ["The drain plug needs 45 Nm."]],
    ['The passage in states that "the drain plug needs 45 Nm. [1]', ["The drain plug needs 45 Nm."]],
    ["The text in manual.pdf says that the drain plug needs 45 Nm. [1]", ["The drain plug needs 45 Nm."]],
  ] as const)
    it(`are dropped from “${text}”`, () => {
      assert.deepEqual(bareOf(text), bare);
    });

  it("stay where they say nothing of what stands there, or a passage speaks so", () => {
    const denial = "The passage does not state the torque.";
    assert.deepEqual(bareOf(`${denial} [1]`), [denial]);
    const own = "The text states that the plug needs 45 Nm.";
    assert.deepEqual(
      statementsOf(`${own} [1]`, [`The court reads: ${own}`]).map(({ bare }) => bare),
      [own],
    );
  });
});

it("the number of an item that was cited for itself is no statement, unless it is the answer", () => {
  assert.deepEqual(bareOf("Power off the board V2.0. [1] 2. [2]"), ["Power off the board V2.0."]);
  assert.deepEqual(bareOf("42 [1]"), ["42"]);
});
