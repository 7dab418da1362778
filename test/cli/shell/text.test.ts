import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { excerpt, location } from "../../../src/operations/text.ts";

const rows = Array.from({ length: 30 }, (_, at) => `Wear ring ${at + 1} | ${500 * at} | grease`).join("\n");
const manual = `Component | Interval | Work\n${rows}\n5 Torques\nCasing bolts M16: 180 Nm. Bearing cover bolts M10: 46 Nm.`;

describe("the excerpt of a passage", () => {
  it("shows where the words of the query stand, and says that something was left out", () => {
    const shown = excerpt(manual, "torque of the casing bolt", 120);
    assert.match(shown, /^….*Casing bolts M16: 180 Nm/);
    assert.ok(shown.length <= 120, String(shown.length));
    assert.match(excerpt(manual, "wear ring 17", 80), /^….*Wear ring 17 \|.*…$/);
  });

  it("begins at the beginning where the words stand there, or nowhere", () => {
    for (const query of ["interval of the component", "who painted it?", ""])
      assert.match(excerpt(manual, query, 80), /^Component \| Interval \| Work Wear ring 1 \|.*…$/, query);
    assert.equal(excerpt("Two\nshort lines", "lines", 80), "Two short lines");
  });

  it("takes common words of the passage for less than a rare one", () => {
    const text = `${"The pump and the valve of the plant and the line. ".repeat(8)}Gate code: 4471.`;
    assert.match(excerpt(text, "What is the code of the gate and the pump?", 60), /Gate code: 4471\.$/);
  });
});

describe("the place of a passage", () => {
  it("is a page by its number, with its label and its section where there are any", () => {
    assert.equal(location("a.pdf", [5], "Pumps", ["labelled 3"]), "a.pdf, page 5, labelled 3, Pumps");
    assert.equal(
      location("a.pdf", [4, 5], "", ["labelled 2", "labelled 3"]),
      "a.pdf, pages 4–5, labelled 2, labelled 3",
    );
    assert.equal(location("a.pdf", [5], "Pumps"), "a.pdf, page 5, Pumps");
    assert.equal(location("a.xlsx", [], "Pumps", ["Pumps!A2:C2"]), "a.xlsx, Pumps!A2:C2");
    assert.equal(location("a.ts", [], "start", ["lines 3–9"]), "a.ts:3–9, start");
  });
});
