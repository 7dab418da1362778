import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RagctlError } from "../../../../src/core/errors.ts";
import { applyPatches, patches } from "../../../../src/drivers/parsers/pdf/worker.ts";

const source = readFileSync(
  new URL("./pdf.worker.mjs", import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs")),
  "utf8",
);

test("every replacement is made in the installed pdf.js, each in one place", () => {
  const patched = applyPatches(source);
  for (const [from, to] of patches) {
    assert.equal(source.split(from).length, 2, from);
    assert.ok(patched.includes(to), to);
  }
});

test("a pdf.js that lacks any of the statements is refused with its name and the next command", () => {
  for (const [from] of patches)
    assert.throws(
      () => applyPatches(source.replace(from, () => "")),
      (error) =>
        error instanceof RagctlError &&
        error.code === "RUNTIME_MISSING" &&
        error.message.includes("pdfjs-dist") &&
        error.message.includes(from.split("\n", 1)[0] ?? "") &&
        /npm ci/.test(error.hint ?? ""),
      from,
    );
});
