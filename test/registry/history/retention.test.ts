import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../../src/registry/database.ts";
import { createJobRepository } from "../../../src/registry/history/jobs.ts";
import { createRetentionPolicy } from "../../../src/registry/history/retention.ts";
import { type AskRun, createRunRepository, type IngestRun } from "../../../src/registry/history/runs.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { jobMessage } from "../../contracts/queue.ts";
import { registryPlace } from "../support.ts";

const dayMs = 86_400_000;
const today = Date.parse("2026-06-30T12:00:00.000Z");
const daysAgo = (days: number): string => new Date(today - days * dayMs).toISOString();

const shared = {
  principal: "owner",
  durationMs: 1,
  state: "completed",
  error: null,
  model: "",
  provider: "",
  peakRssBytes: 1,
  programVersion: "0.1.0",
  phases: [{ phase: "search", durationMs: 1, counts: {} }],
} as const;
const asked = (id: string, startedAt: string): AskRun => ({
  ...shared,
  kind: "ask",
  id,
  startedAt,
  question: "q",
  response: "r",
  verdict: null,
  citations: [],
  replay: null,
});
const ingested = (id: string, startedAt: string): IngestRun => ({
  ...shared,
  kind: "ingest",
  id,
  startedAt,
  collection: "notes",
  department: "",
  counts: {},
  files: [],
});

const phasesIn = async (database: Database): Promise<number> =>
  (await database.statement<{ count: number }>("SELECT count(*) AS count FROM phase_metrics").get())?.count ??
  0;

test("runs older than the days kept go with their phases, and younger ones stay", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const runs = createRunRepository(database);
  for (const run of [asked("old-ask", daysAgo(31)), ingested("old-ingest", daysAgo(40))])
    await runs.record(run);
  for (const run of [asked("new-ask", daysAgo(29)), ingested("new-ingest", daysAgo(1))])
    await runs.record(run);
  const retention = createRetentionPolicy(database, { keepDays: 30, now: () => today });
  assert.deepEqual(await retention.expired(), { runs: 2, jobs: 0 });
  assert.equal((await runs.list()).length, 4, "counting removes nothing");
  assert.deepEqual(await retention.expire(), { runs: 2, jobs: 0 });
  assert.deepEqual(
    (await runs.list()).map(({ id }) => id),
    ["new-ingest", "new-ask"],
  );
  assert.equal(await phasesIn(database), 2);
  assert.deepEqual(await retention.expire(), { runs: 0, jobs: 0 });
});

test("with 0 days everything is kept", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const retention = createRetentionPolicy(database, { keepDays: 0, now: () => today });
  const runs = createRunRepository(database, retention);
  await runs.record(asked("old-ask", daysAgo(4000)));
  await runs.record(asked("new-ask", daysAgo(0)));
  assert.deepEqual(await retention.expired(), { runs: 0, jobs: 0 });
  assert.deepEqual(await retention.expire(), { runs: 0, jobs: 0 });
  assert.equal((await runs.list()).length, 2);
});

test("jobs that are done or cancelled go in time; one that waits, runs or is dead never does", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const clock = { ms: today - 40 * dayMs };
  const jobs = createJobRepository(database, { maxAttempts: 1, now: () => clock.ms });
  const [cancelled] = await jobs.push([jobMessage("/cancelled")]);
  await jobs.cancel(cancelled?.id ?? "");
  await jobs.push([jobMessage("/done"), jobMessage("/dead"), jobMessage("/running"), jobMessage("/waiting")]);
  const take = async () => (await jobs.take("w", 50 * dayMs))?.id ?? "";
  const none = { files: 0, totalFiles: 0, pages: 0, chunks: 0, failed: 0, etaMs: null };
  await jobs.complete(await take(), "w", none);
  await jobs.fail(await take(), "w", { code: "JOB_FAILED", message: "no" }, "final");
  await take();
  clock.ms = today - dayMs;
  const [recent] = await jobs.push([jobMessage("/recent")]);
  await jobs.cancel(recent?.id ?? "");
  const retention = createRetentionPolicy(database, { keepDays: 30, now: () => today });
  assert.deepEqual(await retention.expired(), { runs: 0, jobs: 2 });
  assert.deepEqual(await retention.expire(), { runs: 0, jobs: 2 });
  assert.deepEqual((await jobs.list()).map(({ documentPath, state }) => `${documentPath} ${state}`).sort(), [
    "/dead dead",
    "/recent cancelled",
    "/running running",
    "/waiting waiting",
  ]);
});

test("recording a run removes a bounded number of expired ones, and never the run itself", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const before = createRunRepository(database);
  for (let at = 0; at < 5; at++) await before.record(asked(`old-${at}`, daysAgo(40 + at)));
  const retention = createRetentionPolicy(database, { keepDays: 30, now: () => today, batch: 2 });
  const runs = createRunRepository(database, retention);
  await runs.record(ingested("long", daysAgo(35)));
  assert.deepEqual(
    (await runs.list()).map(({ id }) => id),
    ["long", "old-0", "old-1", "old-2"],
    "the two oldest went",
  );
  assert.deepEqual(await retention.expire(), { runs: 4, jobs: 0 }, "prune takes all, batch by batch");
});
