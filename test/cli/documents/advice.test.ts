import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueHints } from "../../../src/cli/documents/advice.ts";

test("what to do about files that are not read is said behind the first of them, what is wrong behind each", () => {
  const reasonOf = uniqueHints();
  const told = (state: string, reason: string): string => reasonOf({ state, reason });
  assert.equal(told("skipped", "a.py is not read; declare a loader"), "a.py is not read; declare a loader");
  assert.equal(told("skipped", "b.py is not read; declare a loader"), "b.py is not read");
  assert.equal(told("failed", "c.pdf is locked; give its password"), "c.pdf is locked; give its password");
  assert.equal(told("failed", "d.pdf is gone"), "d.pdf is gone");
});

test("what was lost of files that were read is told of each", () => {
  const reasonOf = uniqueHints();
  const lost = { state: "added", reason: "1 hidden sheet; images were left out" };
  assert.equal(reasonOf(lost), lost.reason);
  assert.equal(reasonOf(lost), lost.reason);
});
