import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchRequest } from "../../../src/core/app.ts";
import type { StoreQuery } from "../../../src/core/retrieval.ts";
import { featureNames } from "../../../src/pipeline/retrieve/features.ts";
import { mergeBest } from "../../../src/pipeline/retrieve/formulate.ts";
import { createGlossary } from "../../../src/pipeline/retrieve/glossary.ts";
import { readFeatureWeights } from "../../../src/pipeline/retrieve/rescore.ts";
import { type RetrieveDrivers, retrieve, retrieveEach } from "../../../src/pipeline/retrieve/retrieve.ts";
import { fakeEmbedder, retrieveSettings, storeThat } from "../fakes.ts";
import { hitOf, runOf } from "../fixtures.ts";

const request: SearchRequest = { query: "seal", topK: 2, collections: [], mode: "hybrid" };
const hit = (id: string, versionId: string, score: number) => hitOf(id, { id, versionId }, score);

function bench(): { readonly drivers: RetrieveDrivers; readonly queries: StoreQuery[] } {
  const queries: StoreQuery[] = [];
  const store = storeThat({
    async search(_, query) {
      queries.push(query);
      const dense =
        query.dense === undefined
          ? []
          : [hit("gone", "old", 0.99), hit("a", "live", 0.9), hit("b", "live", 0.8)];
      const lexical = query.text === undefined ? [] : [hit("c", "live", 7), hit("a", "live", 5)];
      return { dense, lexical, vectors: new Map() };
    },
  });
  const spec = { name: "library", dimensions: 2, lexical: "bm25" as const, fingerprint: "fake:1" };
  const drivers: RetrieveDrivers = {
    embedder: async () => fakeEmbedder(),
    targets: async () => [{ spec, store }],
    live: async (ids) => new Set(ids.filter((id) => id === "live")),
    settings: { ...retrieveSettings, fusion: "ranks" },
  };
  return { drivers, queries };
}

test("what both routes find comes first, hits of invisible versions are dropped, and topK holds", async () => {
  const { drivers } = bench();
  const { hits } = await retrieve(request, drivers, runOf());
  assert.equal(hits.length, 2);
  assert.equal(hits[0]?.chunk.id, "a");
  assert.ok(hits.every(({ chunk }) => chunk.versionId === "live"));
});

test("which versions may be seen is asked once, when every formulation and companion has its answer", async () => {
  const { drivers, queries } = bench();
  const weights = readFeatureWeights(Object.fromEntries(featureNames.map((name) => [name, 0.5])), "w");
  const glossary = createGlossary({ kinds: {}, terms: [{ when: ["seal"], also: "gasket ring", on: [] }] });
  const asked: unknown[] = [];
  const live: typeof drivers.live = (ids) => {
    asked.push([queries.length, ids]);
    return drivers.live(ids);
  };
  const formulations = [
    { text: "Which seal leaks?", limit: 2 },
    { text: "bolt", limit: 2 },
  ];
  const ranked = { ...drivers, live, ranking: { glossary, weights } };
  const { found } = await retrieveEach(formulations, request, ranked, runOf());
  assert.deepEqual(asked, [[3, ["old", "live"]]]);
  assert.ok(found.every(({ hits }) => hits.length === 2));
  assert.ok(found.every(({ hits }) => hits.every(({ chunk }) => chunk.versionId === "live")));
});

test("a hit comes without the text of its page", async () => {
  const { drivers } = bench();
  const window = { pageText: "A seal leaks.\n\nPage 9", start: 0, end: 13 };
  const found = hitOf("A seal leaks.", { versionId: "live", window }, 0.9);
  const store = storeThat({ search: async () => ({ dense: [found], lexical: [], vectors: new Map() }) });
  const spec = { name: "library", dimensions: 2, lexical: "bm25" as const, fingerprint: "fake:1" };
  const { hits } = await retrieve(request, { ...drivers, targets: async () => [{ spec, store }] }, runOf());
  assert.equal(hits.length, 1);
  assert.equal(hits[0]?.chunk.window, undefined);
});

test("a model whose cosines are nearer each other scores as the usual ones do, in the same order", async () => {
  const { drivers } = bench();
  const dense = { ...request, mode: "dense" } as const;
  const embedder = async () => ({ ...fakeEmbedder(), cosineRange: [0.8, 0.9] as const });
  const { hits, cosine } = await retrieve(dense, { ...drivers, embedder }, runOf());
  const usual = await retrieve(dense, drivers, runOf());
  assert.deepEqual(
    hits.map(({ chunk }) => chunk.id),
    usual.hits.map(({ chunk }) => chunk.id),
  );
  // 0.9 answers under the one model, and 0.8 under the usual ones.
  assert.ok(Math.abs((cosine ?? 0) - 0.8) < 1e-9, String(cosine));
  assert.equal(usual.cosine, 0.9);
});

test("a lexical search asks no model, and a dense one sends no text", async () => {
  const { drivers, queries } = bench();
  const embedder = () => assert.fail("the model was opened");
  const lexical = await retrieve({ ...request, mode: "lexical" }, { ...drivers, embedder }, runOf());
  assert.deepEqual(
    lexical.hits.map(({ chunk }) => chunk.id),
    ["c", "a"],
  );
  await retrieve({ ...request, mode: "dense" }, drivers, runOf());
  assert.deepEqual(
    queries.map((query) => [query.dense !== undefined, query.text]),
    [
      [false, "seal"],
      [true, undefined],
    ],
  );
});

test("a lexical search asks only the models whose weights it needs, and the loss of another one costs nothing", async () => {
  const { drivers } = bench();
  const [{ store, spec } = assert.fail()] = await drivers.targets(request);
  const targets: RetrieveDrivers["targets"] = async () => [
    { store, spec, embedder: () => assert.fail("the model of the words was opened") },
    { store, spec: { ...spec, name: "weighed", lexical: "sparse" } },
  ];
  const found = await retrieve({ ...request, mode: "lexical" }, { ...drivers, targets }, runOf());
  assert.deepEqual([found.unavailable, found.hits.length], [[], 2]);
});

test("filters reach the store as typed conditions", async () => {
  const { drivers, queries } = bench();
  await retrieve(
    {
      ...request,
      department: "HR",
      documents: ["d"],
      formats: ["pdf"],
      contentTypes: ["table"],
      pages: { from: 3, to: 5 },
      texts: [{ text: "headings", contains: ["Seals"] }],
    },
    drivers,
    runOf(),
  );
  assert.deepEqual(queries[0]?.filter, {
    all: [
      { field: "department", in: ["HR"] },
      { field: "documentId", in: ["d"] },
      { field: "format", in: ["pdf"] },
      { kinds: ["table"] },
      { pages: { from: 3, to: 5 } },
      { text: "headings", contains: ["Seals"] },
    ],
  });
});

test("the parts of a score add up to it, are given only when asked for, and no page's text comes with a hit", async () => {
  const { drivers } = bench();
  const ranking = {
    glossary: createGlossary({ kinds: {}, terms: [{ when: ["seal"], also: "gasket ring", on: [] }] }),
    weights: readFeatureWeights(Object.fromEntries(featureNames.map((name) => [name, 0.5])), "ranking.yaml"),
  };
  const explained = await retrieve({ ...request, explain: true }, { ...drivers, ranking }, runOf());
  for (const { score, parts = {}, chunk } of explained.hits) {
    assert.ok(Math.abs(Object.values(parts).reduce((sum, part) => sum + part, 0) - score) < 1e-9);
    assert.equal(chunk.window, undefined);
  }
  const silent = await retrieve(request, { ...drivers, ranking }, runOf());
  assert.ok(silent.hits.every(({ parts }) => parts === undefined));
});

test("a companion is searched beside its question, and a search by one route takes the question as it is", async () => {
  const { drivers, queries } = bench();
  const weights = readFeatureWeights(Object.fromEntries(featureNames.map((name) => [name, 0.5])), "w");
  const glossary = createGlossary({ kinds: {}, terms: [{ when: ["seal"], also: "gasket ring", on: [] }] });
  const ranked = { ...drivers, ranking: { glossary, weights } };
  const query = "Which seal leaks? Answer in one word.";
  await retrieve({ ...request, query }, ranked, runOf());
  assert.deepEqual(
    queries.map(({ text }) => text),
    ["Which seal leaks?", "gasket ring"],
  );
  await retrieve({ ...request, query, mode: "lexical" }, ranked, runOf());
  assert.equal(queries.at(-1)?.text, query);
  assert.equal(queries.length, 3);
});

test("a query is searched with the long forms of its abbreviations too, but by one route as it is", async () => {
  const { drivers, queries } = bench();
  const texts = async (query: string, mode: SearchRequest["mode"] = "hybrid") => {
    queries.length = 0;
    await retrieve({ ...request, query, mode }, drivers, runOf());
    return queries.map(({ text }) => text);
  };
  const asked = "What is the LOTO procedure?";
  assert.deepEqual(await texts(asked), [asked, `${asked} lockout tagout lock tag`]);
  assert.deepEqual(await texts("the HR desk"), ["the HR desk", "the HR desk human resources"]);
  for (const plain of ["Which seal leaks?", "Quel est le couple d'un boulon ?", "Ai ký biên bản?"])
    assert.deepEqual(await texts(plain), [plain]);
  assert.deepEqual(await texts(asked, "lexical"), [asked]);
  assert.deepEqual(await texts(asked, "dense"), [undefined]);
});

test("of two wordings each hit keeps its better score, unless passages have the abbreviation itself", () => {
  const found = (...scores: readonly (readonly [string, number])[]) => ({
    query: "",
    hits: scores.map(([text, score]) => hitOf(text, { id: text, versionId: text }, score)),
    named: [],
    vectors: new Map(),
  });
  const best = (query: string) =>
    mergeBest(query, [found(["a", 1.6], ["EBITDA", 0.5]), found(["c", 1.2], ["EBITDA", 0.9], ["a", 0.3])], 3)
      .hits.map(({ chunk, score }) => `${chunk.id} ${score}`)
      .join(", ");
  assert.equal(best("LOTO procedure"), "a 1.6, c 1.2, EBITDA 0.9");
  assert.equal(best("ebitda of 2022"), "a 1.6, EBITDA 0.5");
});

test("of two wordings the nearest passage of either tells how near the nearest is", () => {
  const found = (id: string, cosine?: number) => ({
    hits: [hitOf(id, { id, versionId: id }, 1)],
    vectors: new Map(),
    ...(cosine === undefined ? {} : { cosine }),
  });
  const nearest = (own?: number, other?: number) =>
    mergeBest("LOTO procedure", [found("a", own), found("b", other)], 2).cosine;
  assert.equal(nearest(0.6, 0.8), 0.8);
  assert.equal(nearest(0.7, 0.5), 0.7);
  assert.equal(nearest(undefined, 0.5), 0.5);
  assert.equal(nearest(), undefined);
});
