import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskRun, createRunRepository, type IngestRun } from "../../../src/registry/history/runs.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace } from "../support.ts";

const shared = {
  principal: "owner",
  durationMs: 12.5,
  state: "completed",
  error: null,
  model: "small",
  provider: "cpu",
  peakRssBytes: 300_000_000,
  programVersion: "0.1.0",
} as const;

const file = {
  path: "/d/a.txt",
  name: "a.txt",
  state: "added",
  code: "",
  reason: "",
  pages: 0,
  chunks: 2,
  tokens: 9,
  pagesWithoutText: [],
} as const;

const ingestRun: IngestRun = {
  ...shared,
  kind: "ingest",
  id: "aaaa1111",
  startedAt: "2026-01-01T00:00:00.000Z",
  collection: "notes",
  department: "",
  counts: { added: 1 },
  files: [file],
  phases: [
    { phase: "parse", durationMs: 3.25, counts: { documents: 1 } },
    { phase: "embed", durationMs: 9, counts: {} },
    { phase: "chunk", durationMs: 1, counts: { chunks: 2 } },
  ],
};

const askRun: AskRun = {
  ...shared,
  kind: "ask",
  id: "aaaa2222",
  startedAt: "2026-01-02T00:00:00.000Z",
  state: "failed",
  error: { code: "STORE_FAILED", message: "gone" },
  question: 'what is "x"?',
  response: "",
  verdict: null,
  citations: [],
  phases: [],
  replay: null,
};

test("a run is read back as it was recorded, its phases in their order", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const runs = createRunRepository(database);
  await runs.record(ingestRun);
  await runs.record(askRun);
  await runs.record(ingestRun);
  assert.deepEqual(await runs.list(), [askRun, ingestRun]);
  assert.deepEqual(await runs.list({ kind: "ingest" }), [ingestRun]);
  assert.deepEqual(await runs.list({ before: askRun.startedAt }), [ingestRun]);
  assert.deepEqual(await runs.list({ limit: 1 }), [askRun]);
  assert.deepEqual(await runs.get("aaaa2"), askRun);
  const event = { node: "search", decided: "searching for “x”", durationMs: 3, details: {} };
  const beside = { agent: null, trace: [event] };
  await runs.record({ ...askRun, beside });
  assert.deepEqual(await runs.get("aaaa2"), { ...askRun, beside });
  await runs.record(askRun);
  await assert.rejects(() => runs.get("aaaa"), /matches several runs/);
  await assert.rejects(() => runs.get("zzzz"), { code: "NOT_FOUND" });
  assert.deepEqual(await runs.list({ of: { name: "ada", createdAt: "" } }), []);
  assert.deepEqual(await runs.list({ of: { name: "OWNER", createdAt: askRun.startedAt } }), [askRun]);
  await assert.rejects(() => runs.get("aaaa2", { name: "ada", createdAt: "" }), {
    code: "NOT_FOUND",
    message: 'there is no run "aaaa2"',
  });
  database.close();
});
