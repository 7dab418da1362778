import assert from "node:assert/strict";
import { test } from "node:test";
import { phaseTable } from "../../../src/cli/documents/ingest.ts";
import { jobPriority, versionNumber } from "../../../src/cli/shell/options.ts";

test("a version is typed as `ragctl history` shows it, or as its number alone", () => {
  assert.deepEqual(["2", "v2", " V12 "].map(versionNumber), [2, 2, 12]);
  for (const text of ["v", "0", "v0", "latest", "vv2"]) assert.throws(() => versionNumber(text), text);
});

test("a priority is low, normal, high or a whole number", () => {
  assert.deepEqual(["low", "normal", "HIGH", "7", "-3"].map(jobPriority), [-1, 0, 1, 7, -3]);
  for (const text of ["urgent", "", "1.5", "constructor"]) assert.throws(() => jobPriority(text), text);
});

test("a phase has one page, not “1 pages”, and no rate where nothing was embedded", () => {
  const text = phaseTable({
    phases: [
      { phase: "parse", durationMs: 900, counts: { documents: 5, pages: 1 } },
      { phase: "embed", durationMs: 1, counts: { chunks: 6, tokens: 0 } },
    ],
  });
  assert.match(text, /5 documents, 1 page\b(?!s)/);
  assert.doesNotMatch(text, /tokens\/s/);
});
