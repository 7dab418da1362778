import assert from "node:assert/strict";
import { test } from "node:test";
import { ingestText } from "../../../src/cli/documents/ingest.ts";
import { drawTable } from "../../../src/cli/shell/output.ts";
import type { DocumentSummary, IngestReport } from "../../../src/core/app.ts";
import type { Chunk } from "../../../src/core/documents/chunk.ts";
import { documentsTable, showText } from "../../../src/operations/documents/documents.ts";
import { plainText } from "../../../src/operations/result-text.ts";

const long = `reports/2025/${"quarterly-".repeat(12)}review.pdf`;
const document = (name: string) =>
  ({
    ...{ id: "0123456789abcdef", name, path: `/data/${name}`, collection: "plans", version: 1, pages: 3 },
    ...{ chunks: 7, sizeBytes: 2048, title: "Review", metadata: {} },
  }) as DocumentSummary;

test("a long name is cut in its middle so that a row fits the terminal, and stands whole elsewhere", () => {
  const documents = [document(long), document("a.md")];
  const lines = drawTable(documentsTable(documents), 100).split("\n");
  assert.equal(lines.length, 3);
  assert.ok(lines.every((line) => line.length <= 100));
  assert.match(lines[1] ?? "", /reports\/2025\/\S*…\S*review\.pdf /);
  assert.ok(drawTable(documentsTable(documents), Number.POSITIVE_INFINITY).includes(long));
});

test("a document that shares its chunks is shown under its own name, with that of which it is a copy", () => {
  const chunk = {
    ...{ ordinal: 0, sourceName: "a.md", sourcePath: "/data/a.md", pages: [2], headings: [] as string[] },
    ...{ contentType: "paragraph", tokenCount: 7, text: "Pumps" },
  } as unknown as Chunk;
  const shown = (name: string) =>
    plainText(showText(document(name), [chunk]), drawTable)
      .split("\n")
      .slice(2);
  assert.deepEqual(shown("b.md"), [
    "b.md is a copy of a.md (/data/a.md)",
    "",
    "#0 b.md, page 2 (paragraph, 7 tokens)",
    "    Pumps",
  ]);
  assert.deepEqual(shown("a.md").slice(0, 2), ["", "#0 a.md, page 2 (paragraph, 7 tokens)"]);
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
