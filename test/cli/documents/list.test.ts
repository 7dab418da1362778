import assert from "node:assert/strict";
import { test } from "node:test";
import { listText } from "../../../src/cli/documents/documents.ts";
import { ingestText } from "../../../src/cli/documents/ingest.ts";
import type { DocumentSummary, IngestReport } from "../../../src/core/app.ts";

const long = `reports/2025/${"quarterly-".repeat(12)}review.pdf`;
const document = (name: string) =>
  ({
    ...{ id: "0123456789abcdef", name, path: `/data/${name}`, collection: "plans", version: 1, pages: 3 },
    ...{ chunks: 7, sizeBytes: 2048, title: "Review" },
  }) as DocumentSummary;

test("a long name is cut in its middle so that a row fits the terminal, and stands whole elsewhere", () => {
  const documents = [document(long), document("a.md")];
  const lines = listText(documents, 100).split("\n");
  assert.equal(lines.length, 3);
  assert.ok(lines.every((line) => line.length <= 100));
  assert.match(lines[1] ?? "", /reports\/2025\/\S*…\S*review\.pdf /);
  assert.ok(listText(documents, Number.POSITIVE_INFINITY).includes(long));
});

test("an ingest of which nothing but failures is left tells no times", () => {
  const counts = {
    added: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 1,
    pages: 0,
    chunks: 0,
    tokens: 0,
  };
  const report = {
    ...{
      runId: "r",
      collection: "plans",
      files: [],
      durationMs: 5,
      peakRssBytes: 1,
      model: "m",
      provider: "",
    },
    phases: [{ phase: "parse", durationMs: 3, counts: { files: 1 } }],
    counts: { ...counts, embeddedFromCache: 0, pagesNeedingOcr: 0 },
  } as unknown as IngestReport;
  assert.equal(ingestText(report), "plans: 1 failed");
  const mixed = { ...report, counts: { ...report.counts, added: 1 } };
  assert.match(ingestText(mixed), /parse/);
});
