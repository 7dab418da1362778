import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunLimits, runView } from "../../src/app/records.ts";
import type { Citation, Verdict } from "../../src/core/answers/answer.ts";
import type { ReplayRecord } from "../../src/core/answers/replay.ts";
import type { AskRun, IngestRun } from "../../src/registry/history/runs.ts";

const verdict: Verdict = {
  status: "answered",
  reason: "",
  evidence: 1,
  threshold: 0.4,
  grounded: "strict",
  sentences: [],
  removed: 0,
};
const citation: Citation = {
  ...{
    marker: 1,
    chunkId: "a1-0",
    sourceFile: "pay.md",
    sourcePath: "/pay.md",
    pages: [],
    section: "",
    collection: "hr",
  },
  ...{ quote: "The band is C4.", quotes: ["The band is C4."] },
};
const row = (given: Partial<AskRun>): AskRun => ({
  ...{
    kind: "ask",
    id: "r1",
    principal: "engineer",
    startedAt: "2026-03-02T08:00:00Z",
    durationMs: 40,
    state: "completed",
    error: null,
    replay: null,
  },
  ...{
    model: "",
    provider: "",
    peakRssBytes: 1,
    programVersion: "0",
    phases: [],
    question: "Which band?",
    response: "C4. [1]",
  },
  ...{ verdict, citations: [citation] },
  ...given,
});
const limitsTo = (readable: readonly string[]): RunLimits => ({
  of: { name: "engineer", createdAt: "2026-01-01T00:00:00Z" },
  reads: async ({ sources }) =>
    sources.every((source) => readable.some((name) => source === `collection:${name}`)),
});
const shown = async (
  given: Partial<AskRun>,
  readable: readonly string[] | null,
): Promise<string | undefined> =>
  (await runView(row(given), readable === null ? null : limitsTo(readable))).answer?.response;

test("a past answer is shown to whoever may still read what it rests on, and to nobody else", async () => {
  assert.equal(await shown({}, ["hr"]), "C4. [1]");
  assert.equal(await shown({}, null), "C4. [1]");
  assert.doesNotMatch((await shown({}, ["manuals"])) ?? "", /C4/);
  assert.deepEqual((await runView(row({}), limitsTo([]))).answer?.citations, []);
});

test("of a refusal only what names no find is shown to others than the owner", async () => {
  const refusal = {
    response: "I found no passage.\nClosest passages:\n- pay.md: “C4”",
    verdict: { ...verdict, status: "refused" as const },
    citations: [],
  };
  assert.equal(await shown(refusal, ["hr"]), "I found no passage.");
  assert.match((await shown(refusal, null)) ?? "", /C4/);
});

test("an answer that says what it rests on is shown while all of it may be read, cited or not", async () => {
  // Of a record only its sources count here.
  const restingOn = (...sources: string[]): Partial<AskRun> => ({
    replay: { sources } as unknown as ReplayRecord,
  });
  const listing = { response: "2 documents", citations: [] };
  assert.equal(await shown({ ...listing, ...restingOn("collection:hr") }, ["hr"]), "2 documents");
  assert.doesNotMatch(
    (await shown({ ...listing, ...restingOn("collection:hr") }, ["manuals"])) ?? "",
    /documents/,
  );
  const beside = restingOn("collection:hr", "collection:finance");
  assert.doesNotMatch((await shown(beside, ["hr"])) ?? "", /C4/, "what it does not cite counts too");
});

test("the steps and the draft beside a past answer are shown while all that they name may be read", async () => {
  const search = { node: "search", decided: "searching for “band”", durationMs: 3, details: { hits: 2 } };
  const draft = { model: "small", text: "It is C4. [1]", sentences: [] };
  const tool = { tool: "payroll", type: "database_query", arguments: {}, reason: "model" } as const;
  const call = { call: tool, code: "", message: "1 row", findings: [], data: {}, durationMs: 1 };
  const asked = (given: object, stores = ["hr"], decided: object = {}): Partial<AskRun> => ({
    ...{ beside: { agent: null, trace: [search], draft, ...given } },
    replay: {
      ...{ sources: ["collection:hr"], inRoom: false, ...decided },
      stores: stores.map((collection) => ({ collection })),
    } as unknown as ReplayRecord,
  });
  const drafted = async (given: Partial<AskRun>, readable: readonly string[] | null) =>
    (await runView(row(given), readable === null ? null : limitsTo(readable))).answer?.draft?.text;
  assert.equal(await drafted(asked({}), ["hr"]), draft.text);
  assert.equal(await drafted(asked({}), ["manuals"]), undefined);
  assert.equal(await drafted(asked({}, ["hr", "finance"]), ["hr"]), undefined, "it was searched");
  assert.equal(await drafted(asked({ agent: "HR Assistant" }), ["hr"]), undefined);
  assert.equal(await drafted(asked({ tools: [{ ...call, status: "ok" }] }), ["hr"]), undefined);
  assert.equal(await drafted(asked({ tools: [{ ...call, status: "denied" }] }), ["hr"]), draft.text);
  assert.equal(
    await drafted(asked({}, ["hr"], { inRoom: true }), ["hr"]),
    undefined,
    "it may repeat messages",
  );
  assert.equal(await drafted(asked({}, ["hr", "finance"]), null), draft.text);
  const details = async (readable: readonly string[] | null) =>
    (await runView(row(asked({})), readable === null ? null : limitsTo(readable))).answer?.trace?.[0]
      ?.details;
  assert.deepEqual([await details(null), await details(["hr"])], [search.details, {}]);
});

test("an answer recorded before citations had several quotes keeps its one", async () => {
  // A row as it was written then.
  const { quotes: _, ...old } = citation;
  const [read] = (await runView(row({ citations: [old as Citation] }), null)).answer?.citations ?? [];
  assert.deepEqual(read?.quotes, ["The band is C4."]);
});

test("the line of a run that did not complete says so, of an ingest as of a question", async () => {
  const ingest = async (given: Partial<IngestRun>): Promise<string> => {
    const { question: _, response: _r, verdict: _v, citations: _c, replay: _p, ...facts } = row({});
    const counts = { updated: 4, failed: 0, chunks: 48 };
    const own = { kind: "ingest", collection: "dd", department: "", counts, files: [] } as const;
    return (await runView({ ...facts, ...own, ...given }, null)).summary;
  };
  const error = { code: "NOT_FOUND", message: "there is no such collection" };
  assert.equal(await ingest({}), "dd: 4 updated, 48 chunks");
  assert.equal(await ingest({ state: "failed", error }), "failed: dd: 4 updated, 48 chunks");
  assert.equal(await ingest({ state: "cancelled", counts: {} }), "cancelled: dd");
  const asked = async (state: AskRun["state"]) =>
    (await runView(row({ state, verdict: null }), null)).summary;
  assert.deepEqual(
    [await asked("failed"), await asked("cancelled")],
    ["failed: Which band?", "cancelled: Which band?"],
  );
});
