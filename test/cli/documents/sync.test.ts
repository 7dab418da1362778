import assert from "node:assert/strict";
import { test } from "node:test";
import { syncText } from "../../../src/cli/documents/sync.ts";
import type { SyncReport } from "../../../src/shapes/documents.ts";

type SyncedFile = SyncReport["files"][number];
const file = (state: SyncedFile["state"], name: string, from = ""): SyncedFile => ({
  path: `/data/plans/${name}`,
  ...{ name, state, from, documentId: "d", versionId: "v", chunks: 1, code: "", reason: "" },
});

test("a moved file is told by its names below the folder, as the others are", () => {
  const counts = { added: 1, updated: 0, moved: 2, deleted: 0, skipped: 0, failed: 0, unchanged: 0 };
  const text = syncText({
    ...{ runId: "r", folder: "/data/plans", collection: "plans", dryRun: true, phases: [], durationMs: 5 },
    files: [
      file("added", "new.md"),
      file("moved", "north/a.md", "/data/plans/a.md"),
      file("moved", "b.md", "/elsewhere/b.md"),
    ],
    counts: { ...counts, hashed: 3, chunks: 1, embeddedFromCache: 0 },
  });
  assert.deepEqual(text.split("\n").slice(0, 3), [
    "added    new.md",
    "moved    a.md → north/a.md",
    "moved    /elsewhere/b.md → b.md",
  ]);
});
