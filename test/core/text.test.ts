import assert from "node:assert/strict";
import { test } from "node:test";
import { isBlank } from "../../src/core/text.ts";

test("a text of spaces, control characters and what is drawn as nothing says nothing", () => {
  for (const text of [
    "",
    " \n\t",
    "\u200b",
    "\u2060\u00ad",
    "\ufeff \u200d",
    "\0\u0007",
    "\u3164",
    "\ufe0f",
    "\u2028",
  ])
    assert.equal(isBlank(text), true, JSON.stringify(text));
  for (const text of ["a", "?", "\u200bä\u200b", "料", "क्‍ष", "👍🏽", "3"])
    assert.equal(isBlank(text), false, JSON.stringify(text));
});
