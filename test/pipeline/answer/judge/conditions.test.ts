import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonOf } from "./verdicts.ts";

const asked = "Which lots make up more than 23% of the rezoned area?";
const text =
  "Of all rezoned lots, 63% were subject to a contextual rezoning, 23% were downzoned and 14% were upzoned.";

describe("a condition of the question", () => {
  it("is not met by a thing whose numbers of that unit all lie elsewhere", () => {
    assert.equal(
      reasonOf(asked, text, "The upzoned lots make up more than 23% of the rezoned area."),
      "[1] has nothing of it that is more than 23%",
    );
    const rows = "Region | Growth\nAsia | 12%\nEurope | 4%";
    const fast = "Which region grew by more than 10%?";
    assert.equal(reasonOf(fast, rows, "Asia grew by more than 10%."), undefined);
    assert.notEqual(reasonOf(fast, rows, "Europe grew by more than 10%."), undefined);
  });

  it("may be met where a number meets it, begins it, or is of another unit or scale", () => {
    for (const [question, passage, statement] of [
      [asked, text, "The contextual lots make up more than 23% of the rezoned area."],
      [asked, "Upzoned lots make up more than 23% of the rezoned area.", "The upzoned lots do."],
      [asked, "A quarter of the rezoned area, 19 ha, are upzoned lots.", "The upzoned lots do."],
      [
        "Which port has revenues of more than $5 million?",
        "Revenues in millions | 2023\nNorth port | $7\nSouth port | $3",
        "The north port has revenues of more than $5 million.",
      ],
    ] as const)
      assert.equal(reasonOf(question, passage, statement), undefined, statement);
  });
});
