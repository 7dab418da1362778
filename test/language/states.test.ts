import assert from "node:assert/strict";
import { it } from "node:test";
import { expandStateCodes } from "../../src/language/synonyms.ts";

it("names a state behind its code, where that stands behind the name of a place", () => {
  assert.equal(expandStateCodes("Location: Wausau, WI"), "Location: Wausau, WI (Wisconsin)");
  assert.equal(
    expandStateCodes("Belen, NM 87002 and Alton, NH."),
    "Belen, NM (New Mexico) 87002 and Alton, NH (New Hampshire).",
  );
  for (const text of ["PARTS, OR LABOR", "Wausau, WIS", "Sanford ME", "Wausau, wi"])
    assert.equal(expandStateCodes(text), text);
});
