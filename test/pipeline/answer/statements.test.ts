import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { statementsOf } from "../../../src/pipeline/answer/statements.ts";

const bareOf = (text: string): readonly string[] => statementsOf(text).map(({ bare }) => bare);

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

it("the number of an item that was cited for itself is no statement, unless it is the answer", () => {
  assert.deepEqual(bareOf("Power off the board V2.0. [1] 2. [2]"), ["Power off the board V2.0."]);
  assert.deepEqual(bareOf("42 [1]"), ["42"]);
});
