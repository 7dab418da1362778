import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shownIn } from "../../../../src/language/asking/shown.ts";
import { reasonOf } from "./verdicts.ts";

describe("a figure or a table that is asked about by its number", () => {
  it("is read in lists and spans, with its parts, in Roman numbers and in other languages", () => {
    for (const [text, expected] of [
      ["Figure 7 and Figure 8", ["figure 7", "figure 8"]],
      ["Figs. 2, 4 and 6–8", ["figure 2", "figure 4", "figure 6", "figure 7", "figure 8"]],
      ["TABLE III. See TABLE I: Pumps", ["table 3", "table 1"]],
      ["Table 3.1 and Fig. 7b", ["figure 7", "table 3.1"]],
      ["Abbildung 4, Tabelle 2", ["figure 4", "table 2"]],
      ["hình 5 và bảng 3", ["figure 5", "table 3"]],
      ["a figure of 7, the figure 7%, the table is 2 m long, configure 3, the table I bought", []],
    ] as const)
      assert.deepEqual(
        shownIn(text).map(({ kind, number }) => `${kind} ${number}`),
        expected,
        text,
      );
  });

  it("is not answered by a passage that names others and not this one", () => {
    const asked = "How many pumps are shown in Figure 7?";
    const said = "3 pumps are shown.";
    const passage = (figure: string) => `As ${figure} shows, 3 pumps are connected in a row.`;
    assert.equal(reasonOf(asked, passage("Figure 2"), said), "[1] is not of figure 7");
    for (const figure of ["Figure 7", "Fig. 7a", "Figures 5-8", "Figure VII", "the picture", "Table 2"])
      assert.equal(reasonOf(asked, passage(figure), said), undefined, figure);
    const opening = "In Figure 7, what are the pumps connected to?";
    const row = "The pumps are connected to a row.";
    assert.equal(reasonOf(opening, passage("Figure 2"), row), "[1] is not of figure 7");
    const thing = "What are the green pumps that are shown in Figure 7 connected to?";
    assert.equal(reasonOf(thing, passage("Figure 2"), row), undefined);
    const both = "How many pumps are shown in Figure 7 and Figure 2?";
    assert.equal(reasonOf(both, passage("Figure 2"), said), undefined);
  });
});
