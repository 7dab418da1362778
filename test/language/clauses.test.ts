import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { maxParts, partsOf } from "../../src/language/clauses.ts";
import { assertLinear } from "../helpers/linear.ts";

it("joined questions come apart, and a part that leans on the first takes over its subject", () => {
  assert.deepEqual(
    partsOf("How many days of leave may I carry over, and until when must they be taken?").parts,
    ["How many days of leave may I carry over", "until when must they be taken (days leave carry)"],
  );
  assert.deepEqual(partsOf("Does the pump run dry, and if so, for how long?").parts.length, 2);
});

it("things compared become a part each, with the noun they share", () => {
  assert.deepEqual(partsOf("Compare revenue growth of the retail and the wholesale segment").parts, [
    "revenue growth of the retail segment",
    "revenue growth of the wholesale segment",
  ]);
  assert.deepEqual(partsOf("What is the difference between the HP-200 and the HP-300?").parts, [
    "the HP-200",
    "the HP-300",
  ]);
  assert.deepEqual(partsOf("Compare the leave policy of France with that of Germany.").parts, [
    "the leave policy of France",
    "the leave policy of Germany",
  ]);
  assert.deepEqual(partsOf("So sánh chính sách nghỉ phép của Việt Nam và Nhật Bản").parts, [
    "chính sách nghỉ phép của Việt Nam",
    "chính sách nghỉ phép của Nhật Bản",
  ]);
});

it("an enumeration becomes its items", () => {
  assert.deepEqual(partsOf("- price of the licence\n- number of seats\n- support hours").parts, [
    "price of the licence",
    "number of seats",
    "support hours",
  ]);
  assert.deepEqual(
    partsOf("1) What is the weight of the pump? 2) What is its colour code? 3) Is it waterproof?").parts
      .length,
    3,
  );
});

it("an opening condition stays with the clause it opens", () => {
  assert.deepEqual(partsOf("If the valve leaks, what should be closed and who must be told?").parts, [
    "If the valve leaks, what should be closed",
    "who must be told (valve leaks closed)",
  ]);
});

it("any text gives at least one and at most four parts, quickly", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      const { parts } = partsOf(text);
      return parts.length >= 1 && parts.length <= maxParts;
    }),
    { numRuns: 300 },
  );
  assertLinear(partsOf, ["and what ", "? ", "1) ", "so sánh ", "compare a "]);
});
