import assert from "node:assert/strict";
import { it } from "node:test";
import { asRagctlError, isDiskFull } from "../../src/core/errors.ts";

it("takes a disk without room, a user's quota that is used up and a file at its limit for a full disk", () => {
  for (const [code, isFull] of Object.entries({ ENOSPC: true, EDQUOT: true, EFBIG: true, EACCES: false })) {
    const error = Object.assign(new Error(code), { code });
    assert.equal(isDiskFull(error), isFull, code);
    assert.equal(asRagctlError(error).code, isFull ? "DISK_FULL" : "INTERNAL");
  }
  assert.equal(isDiskFull("ENOSPC"), false);
  const { message, hint } = asRagctlError(Object.assign(new Error("too large"), { code: "EFBIG" }));
  assert.match(`${message}: ${hint}`, /^a file may not grow any further .*\(ulimit -f\)/);
});
