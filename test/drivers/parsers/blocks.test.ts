import assert from "node:assert/strict";
import { test } from "node:test";
import { damagedFile } from "../../../src/drivers/parsers/blocks.ts";

test("a damaged file is named with a reason whose full stop does not stand before what to do", () => {
  const message = (reason: string) => damagedFile("a.pdf", "a PDF", new Error(reason)).message;
  assert.equal(message("Invalid PDF structure."), "cannot read a.pdf as a PDF: Invalid PDF structure");
  assert.equal(message("it ended early..."), "cannot read a.pdf as a PDF: it ended early...");
});
