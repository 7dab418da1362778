import assert from "node:assert/strict";
import { it } from "node:test";
import { longFormsIn } from "../../../src/language/asking/abbreviations.ts";
import { assertLinear } from "../../helpers/linear.ts";

it("finds abbreviations with the long forms that a text gives them", () => {
  assert.deepEqual(
    longFormsIn([
      "Lock-out/tag-out (LOTO) is mandatory. The net positive suction head (NPSH) is 3 m.",
      "See the annex (ABC) and the units (kW).",
      "Die Persönliche Schutz Ausrüstung (PSA) ist zu tragen.",
    ]),
    ["Lock out tag out LOTO", "net positive suction head NPSH", "Persönliche Schutz Ausrüstung PSA"],
  );
});

it("takes time linear in the text", () => {
  assertLinear((text) => longFormsIn([text]), ["(AB", "a b (AB) ", "((((", "AAAA(AAAA)"]);
});
