import assert from "node:assert/strict";
import { test } from "node:test";
import { type GatherDrivers, gatherDefaults, gatherPassages } from "../../../src/pipeline/retrieve/gather.ts";
import { crossEncoderStage, rerank, type SecondStage } from "../../../src/pipeline/retrieve/rerank.ts";
import { type RetrieveDrivers, retrieve } from "../../../src/pipeline/retrieve/retrieve.ts";
import { fakeEmbedder, retrieveSettings } from "../fakes.ts";
import { hitOf, runOf } from "../fixtures.ts";

const hits = ["a", "b", "c", "d"].map((text, at) =>
  hitOf(text, { id: text, versionId: "live" }, 1 - at / 10),
);
const order = (found: readonly { readonly chunk: { readonly id: string } }[]) =>
  found.map(({ chunk }) => chunk.id).join("");

/** Scores texts by a table, and records what it was asked. */
function stageOf(scores: Readonly<Record<string, number>>, most = 10) {
  const asked: (readonly [query: string, passages: readonly string[]])[] = [];
  const stage: SecondStage = crossEncoderStage(
    async () => ({
      id: "fake",
      async score(query, passages, signal) {
        signal.throwIfAborted();
        asked.push([query, passages]);
        return passages.map((passage) => scores[`${query}:${passage}`] ?? scores[passage] ?? 0);
      },
      async [Symbol.asyncDispose]() {},
    }),
    most,
  );
  return { stage, asked };
}

function driversOf(secondStage: SecondStage | undefined): RetrieveDrivers {
  const spec = { name: "library", dimensions: 2, lexical: "bm25" as const, fingerprint: "fake:1" };
  return {
    embedder: async () => fakeEmbedder(),
    targets: async () => [
      {
        spec,
        store: { search: async () => ({ dense: hits, lexical: hits, vectors: new Map() }) },
      },
    ],
    live: async (ids) => new Set(ids),
    settings: retrieveSettings,
    secondStage,
  };
}

const request = { query: "q", topK: 2, collections: [], mode: "hybrid" as const };

test("hits are ordered by the second stage, ties keep their order, and what it did not see is left out", async () => {
  const { stage, asked } = stageOf({ a: 0.1, b: 0.5, c: 0.5 }, 3);
  const { hits: found, phases } = await rerank(hits, ["q"], 2, stage, runOf());
  assert.equal(order(found), "bca");
  assert.deepEqual(
    found.map(({ score, via }) => [score, via]),
    [
      [0.5, "reranked"],
      [0.5, "reranked"],
      [0.1, "reranked"],
    ],
  );
  assert.deepEqual(asked, [["q", ["a", "b", "c"]]]);
  assert.deepEqual(
    phases.map(({ phase, counts }) => [phase, counts]),
    [["rerank", { hits: 3, questions: 1 }]],
  );
});

test("never fewer hits are looked at than are wanted", async () => {
  const { stage, asked } = stageOf({ d: 1 }, 1);
  assert.equal(order((await rerank(hits, ["q"], 4, stage, runOf())).hits), "dabc");
  assert.equal(asked[0]?.[1].length, 4);
});

test("a hit has its best score for any part of a question", async () => {
  const { stage } = stageOf({ "x:a": 0.2, "x:b": 0.9, "y:c": 0.8, "y:b": 0.1 });
  assert.equal(order((await rerank(hits, ["x", "y"], 4, stage, runOf())).hits), "bcad");
});

test("without a second stage nothing changes and no phase is counted", async () => {
  assert.deepEqual(await rerank(hits, ["q"], 2, undefined, runOf()), { hits, phases: [] });
});

test("a search brings what the second stage finds further down, and measures it", async () => {
  const { stage } = stageOf({ d: 0.9, b: 0.3 });
  const plain = await retrieve(request, driversOf(undefined), runOf());
  assert.equal(order(plain.hits), "ab");
  assert.ok(plain.phases.every(({ phase }) => phase !== "rerank"));
  const again = await retrieve(request, driversOf(stage), runOf());
  assert.equal(order(again.hits), "db");
  assert.equal(again.phases.at(-1)?.phase, "rerank");
});

test("a search that is stopped while hits are scored again ends", async () => {
  const controller = new AbortController();
  const { stage } = stageOf({});
  const slow: SecondStage = {
    ...stage,
    score(query, candidates, run) {
      controller.abort();
      return stage.score(query, candidates, run);
    },
  };
  await assert.rejects(retrieve(request, driversOf(slow), runOf(controller.signal)), { name: "AbortError" });
});

test("a plan is scored against what was asked, not against its rewordings, and templates still lose a part", async () => {
  const { stage, asked } = stageOf({ a: 0.9, b: 0.8 });
  const drivers: GatherDrivers = {
    retrieve: driversOf(stage),
    settings: { ...gatherDefaults, lambda: 1 },
  };
  const queries = [
    { text: "asked", purpose: "question" as const, limit: 2 },
    { text: "reworded", purpose: "rewrite" as const, limit: 2 },
  ];
  const { hits: found, phases } = await gatherPassages({ queries, reason: "" }, request, drivers, runOf());
  assert.equal(order(found), "ab");
  assert.deepEqual(
    asked.map(([query]) => query),
    ["asked"],
  );
  assert.equal(phases.filter(({ phase }) => phase === "rerank").length, 1);
  const template = hits.map((hit) => ({
    ...hit,
    chunk: { ...hit.chunk, sourceName: hit.chunk.id === "a" ? "leave template.docx" : "report.pdf" },
  }));
  const store = { search: async () => ({ dense: template, lexical: template, vectors: new Map() }) };
  const [target] = await drivers.retrieve.targets(request);
  assert.ok(target);
  const changed = { ...drivers.retrieve, targets: async () => [{ ...target, store }] };
  const second = await gatherPassages(
    { queries, reason: "" },
    request,
    { ...drivers, retrieve: changed },
    runOf(),
  );
  assert.equal(order(second.hits), "ba");
});
