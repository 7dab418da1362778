import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itemAsked } from "../../../../src/language/asking/items.ts";
import { reasonOf } from "./verdicts.ts";

const safety = `The unit is heavy.

Safety

• The pump is a DC powered device. Use the supplied adaptor.
• Operate the unit on 230 V only.
• Unplug the unit during thunderstorms.

Keep this manual.`;

describe("an item of a list that is asked for by its number", () => {
  it("is read in words and digits, but not where it is counted from elsewhere", () => {
    for (const [question, expected] of [
      ["What is the second bullet point for safety?", 2],
      ["What does the 10th step say?", 10],
      ["Wie lautet der dritte Stichpunkt?", 3],
      ["What is the second step after the pump was started?", null],
      ["What is the second bullet from the bottom?", null],
      ["What is the second to last bullet?", null],
      ["What are the first and the third step?", null],
      ["Which step comes second?", null],
      ["What is the first bullet point and what is the second bullet point?", null],
    ] as const)
      assert.equal(itemAsked(question), expected, question);
  });

  it("is no other one of that list", () => {
    const first = 'The bullet point is "The pump is a DC powered device".';
    const second = "The second bullet point: Operate the unit on 230 V only.";
    const asked = (which: string) => `What is the ${which} bullet point for safety?`;
    assert.equal(reasonOf(asked("second"), safety, first), "is number 1 of a list in [1], not 2");
    assert.equal(reasonOf(asked("tenth"), safety, first), "is number 1 of a list in [1], not 10");
    assert.equal(reasonOf(asked("first"), safety, first), undefined);
    assert.equal(reasonOf(asked("second"), safety, second), undefined);
  });

  it("is told by the numbers that a list has, wherever it begins", () => {
    const text = "4. Close the valve slowly.\n5. Drain the upper tank.\n6. Start the second motor.";
    const said = "The step is to drain the upper tank.";
    assert.equal(reasonOf("What is the fifth step?", text, said), undefined);
    assert.equal(reasonOf("What is the fourth step?", text, said), "is number 5 of a list in [1], not 4");
  });

  it("is kept where the beginning of its list is not seen", () => {
    const said = "The bullet point is: Drain the upper tank.";
    const cut = "• Close the valve slowly.\n• Drain the upper tank.";
    assert.equal(reasonOf("What is the fifth bullet point?", cut, said), undefined);
    assert.equal(reasonOf("What is the second bullet point?", cut, said), undefined);
    const goesOn = "Safety:\n\n• Wear gloves.\n• Wear boots.\n\nPage heading\n\n• Drain the upper tank.";
    assert.equal(reasonOf("What is the third bullet point?", goesOn, said), undefined);
    const nested = "Safety:\n\n• Wear gloves.\n– of rubber\n• Drain the upper tank.";
    assert.equal(reasonOf("What is the second bullet point?", nested, said), undefined);
  });
});
