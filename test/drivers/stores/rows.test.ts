import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chunk } from "../../../src/core/documents/chunk.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import { toChunk, toRow } from "../../../src/drivers/stores/rows.ts";

const chunk: Chunk = {
  id: "5f0c9a31d2-3",
  documentId: "ops/pumps%2024.xlsx",
  versionId: "5f0c9a31d2",
  ordinal: 3,
  text: "Pump | Flow\nP-1 | 12 m³/h\nSeals\nReplace yearly.",
  title: "Pumps �",
  headings: ["Plant", "Pumps"],
  ownHeadings: 1,
  innerHeadings: [{ start: 32, depth: 2, text: "Seals �" }],
  sheetParts: [
    {
      sheet: "Pumps �",
      columns: [
        ["Pump", "A"],
        ["Flow", "C"],
      ],
      rows: [[12, 7]],
    },
    { sheet: "", of: "line", columns: [], rows: [[32, 40]] },
  ],
  pages: [2, 3],
  contentType: "table",
  kinds: ["table", "paragraph"],
  window: { pageText: "Page 2\nPump | Flow\nP-1 | 12 m³/h", start: 7, end: 32 },
  tokenCount: 31,
  sourcePath: "/srv/docs/pumps%2024\u0007.xlsx",
  sourceName: "pumps%2024\u0007.xlsx",
  format: "xlsx",
  collection: "plant",
  department: "ops",
  method: "xlsx",
  contentHash: "9a1f",
};

/** The row of the chunk in a collection with BM25, as it was written before members had one definition. */
const stored = {
  id: "5f0c9a31d2-3",
  document_id: "ops/pumps%00252024.xlsx",
  version_id: "5f0c9a31d2",
  department: "ops",
  document_source: "pumps%00252024%0007.xlsx",
  file_type: "xlsx",
  content_type: "table",
  text: "Pump | Flow\nP-1 | 12 m³/h\nSeals\nReplace yearly.",
  metadata: {
    ordinal: 3,
    title: "Pumps �",
    headings: ["Plant", "Pumps"],
    ownHeadings: 1,
    innerHeadings: [{ start: 32, depth: 2, text: "Seals �" }],
    innerHeadingText: "Seals �",
    sheetParts: [
      {
        sheet: "Pumps �",
        columns: [
          ["Pump", "A"],
          ["Flow", "C"],
        ],
        rows: [[12, 7]],
      },
      { sheet: "", of: "line", columns: [], rows: [[32, 40]] },
    ],
    pages: [2, 3],
    kinds: ["table", "paragraph"],
    tokenCount: 31,
    sourcePath: "/srv/docs/pumps%00252024%0007.xlsx",
    collection: "plant",
    method: "xlsx",
    contentHash: "9a1f",
    window: [7, 32],
  },
  dense_vector: [0.5, 0.25],
  lexical_text: "Page 2\nPump | Flow\nP-1 | 12 m³/h",
};
const dense = Float32Array.from(stored.dense_vector);

test("a row that was written before is read with every member of its chunk, and written the same again", () => {
  assert.deepEqual(toChunk(stored), chunk);
  const odd = {
    ...chunk,
    title: "Pumps \ud800",
    innerHeadings: [{ start: 32, depth: 2, text: "Seals \udc00" }],
  };
  const { row, sizeBytes } = toRow({ chunk: odd, embedding: { dense } }, "bm25", true);
  assert.deepEqual([row, sizeBytes], [stored, 1_628]);
});

test("a row of weights keeps the text of the window, which no other column has", () => {
  const { row } = toRow({ chunk, embedding: { dense } }, "sparse", false);
  const { window: _, ...members } = stored.metadata;
  const windowText = "Pump | Flow\nP-1 | 12 m³/h";
  assert.deepEqual(row["metadata"], { ...members, windowText });
  assert.deepEqual(toChunk(row).window, { pageText: windowText, start: 0, end: windowText.length });
});

test("a row without a member that every chunk has is refused with the member's name", () => {
  for (const [row, reason] of [
    [{ ...stored, file_type: "floppy" }, /format: must be one of/],
    [{ ...stored, metadata: { ...stored.metadata, ordinal: undefined } }, /ordinal: is missing/],
    [{ id: "a-1" }, /text: is missing/],
  ] as const) {
    assert.throws(
      () => toChunk(row),
      (error) => error instanceof RagctlError && error.code === "STORE_FAILED" && reason.test(error.message),
    );
  }
});
