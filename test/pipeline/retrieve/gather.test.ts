import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlannedQuery } from "../../../src/core/answers/agent.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import type { Hit, StoreQuery } from "../../../src/core/retrieval.ts";
import { type GatheredHits, gatherDefaults, gatherPassages } from "../../../src/pipeline/retrieve/gather.ts";
import type { RetrieveDrivers } from "../../../src/pipeline/retrieve/retrieve.ts";
import { fakeEmbedder, retrieveSettings, storeThat } from "../fakes.ts";
import { hitOf, runOf } from "../fixtures.ts";

const hit = (id: string, score: number, sourceName = "report.pdf"): Hit =>
  hitOf(id, { id, sourceName }, score);
const query = (text: string, purpose: PlannedQuery["purpose"] = "question", limit = 6): PlannedQuery => ({
  text,
  purpose,
  limit,
});

/**
 * Searches a store that answers each text with the hits given for it, and leaves out the names a filter
 * excludes.
 */
function bench(answers: Readonly<Record<string, readonly Hit[]>>, lost: readonly string[] = []) {
  const queries: StoreQuery[] = [];
  const embedder = fakeEmbedder();
  const store = storeThat({
    async search(_, asked) {
      queries.push(asked);
      const parts = "all" in asked.filter ? asked.filter.all : [];
      const excluded = parts.flatMap((part) => ("not" in part && "in" in part.not ? part.not.in : []));
      const lexical = (answers[asked.text ?? ""] ?? []).filter(
        ({ chunk }) => !excluded.includes(chunk.sourceName),
      );
      return { dense: [], lexical, vectors: new Map() };
    },
  });
  const spec = { name: "library", dimensions: 2, lexical: "bm25" as const, fingerprint: "fake:1" };
  const fails = storeThat({
    async search(_, { text = "" }) {
      if (lost.includes(text)) throw new RagctlError("STORE_FAILED", "the disk is gone");
      return { dense: [], lexical: [], vectors: new Map() };
    },
  });
  const retrieve: RetrieveDrivers = {
    embedder: async () => embedder,
    targets: async () => [
      { spec, store },
      ...(lost.length > 0 ? [{ spec: { ...spec, name: "archive" }, store: fails }] : []),
    ],
    live: async (ids) => new Set(ids),
    settings: { ...retrieveSettings, denseWeight: 0 },
  };
  const search = (queries: readonly PlannedQuery[], topK = 10): Promise<GatheredHits> =>
    gatherPassages(
      { queries, reason: "" },
      { topK, collections: [], mode: "hybrid" },
      { retrieve, settings: gatherDefaults },
      runOf(),
    );
  return { search, queries, embedder };
}
const ids = ({ hits }: GatheredHits): string[] => hits.map(({ chunk }) => chunk.id);

test("what several formulations find comes before what one finds, and each chunk once", async () => {
  const { search } = bench({ seal: [hit("a", 9), hit("b", 8)], gasket: [hit("c", 9), hit("b", 8)] });
  assert.deepEqual(ids(await search([query("seal"), query("gasket", "rewrite")])), ["b", "a", "c"]);
});

test("parts of a question each bring their own best to the front", async () => {
  const { search } = bench({ seal: [hit("a", 9), hit("x", 1)], valve: [hit("b", 9), hit("y", 1)] });
  assert.deepEqual(
    ids(await search([query("seal", "part"), query("valve", "part")]))
      .slice(0, 2)
      .toSorted(),
    ["a", "b"],
  );
});

test("every distinct text is embedded once, all in one batch", async () => {
  const { search, embedder, queries } = bench({ seal: [hit("a", 1)] });
  await search([query("seal"), query("seal", "rewrite"), query("gasket", "key_terms")]);
  assert.deepEqual(embedder.asked, [["seal", "gasket"]]);
  assert.equal(queries.length, 3);
});

test("each formulation brings no more hits than planned, all together no more than topK", async () => {
  const { search } = bench({ seal: ["a", "b", "c", "d"].map((id, index) => hit(id, 9 - index)) });
  assert.deepEqual(ids(await search([query("seal", "question", 2)])), ["a", "b"]);
  assert.deepEqual(ids(await search([query("seal")], 1)), ["a"]);
});

test("a template loses a part of its score, held against the best other document", async () => {
  const { search } = bench({ seal: [hit("form", 10, "Seal_Template.docx"), hit("data", 9), hit("more", 8)] });
  const found = await search([query("seal")]);
  assert.deepEqual(ids(found), ["data", "more", "form"]);
  assert.deepEqual([found.templates, found.refined], [1, false]);
  assert.equal(found.hits.at(-1)?.score.toFixed(2), "0.63");
});

test("a template with empty fields is no evidence, unless a template is asked for; one that is filled in is", async () => {
  for (const [text, isLeft] of [
    ["Pressure: ________ bar", false],
    ["Pressure:\nDate: 2026-03-01", false],
    ["Approved [ ]", false],
    ["Pump | Pressure (bar) | Checked by", false],
    ["Field | Pressure\nPump |", false],
    ["Pump | Pressure\nP-1 | 12 bar", true],
    ["Pressure: 12 bar", true],
  ] as const) {
    const form = hitOf(text, { id: "form", sourceName: "pressure_template.txt" }, 10);
    const { search } = bench({
      pressure: [form, hit("data", 4), hit("more", 3)],
      "pressure template": [form],
    });
    assert.deepEqual(ids(await search([query("pressure")])).includes("form"), isLeft, text);
    assert.deepEqual(ids(await search([query("pressure template")])), ["form"]);
  }
});

test("where only empty forms are found, they are told apart from finding nothing", async () => {
  const form = hitOf("Pressure: ________ bar", { id: "form", sourceName: "pressure_template.txt" }, 10);
  const { search } = bench({ pressure: [form], seal: [], torque: [form, hit("data", 4)] });
  const found = await search([query("pressure")]);
  assert.deepEqual([ids(found), found.forms?.map(({ chunk }) => chunk.id)], [[], ["form"]]);
  for (const text of ["seal", "torque"]) assert.equal((await search([query(text)])).forms, undefined);
});

test("when half of the results are templates, it is searched once more without them, and nothing comes twice", async () => {
  const { search, queries } = bench({
    "the seal": [hit("t1", 10, "template-a.docx"), hit("t2", 9, "template-b.docx"), hit("data", 4)],
    seal: [hit("t1", 10, "template-a.docx"), hit("data", 4), hit("new", 3)],
  });
  const found = await search([query("the seal")]);
  assert.equal(found.refined, true);
  assert.equal(queries.length, 2);
  assert.deepEqual(ids(found).toSorted(), ["data", "new", "t1", "t2"]);
  assert.ok(found.phases.some(({ phase }) => phase === "retrieve_again"));
});

test("a collection that the second search cannot reach is named", async () => {
  const { search } = bench({ "the seal": [hit("t1", 10, "template-a.docx"), hit("data", 4)] }, ["seal"]);
  const { refined, unavailable } = await search([query("the seal")]);
  assert.equal(refined, true);
  assert.deepEqual(
    unavailable.map(({ collection, code }) => [collection, code]),
    [["archive", "STORE_FAILED"]],
  );
});

test("another template that the second search brings loses as much of its score as those of the first", async () => {
  const { search } = bench({
    "the seal": [hit("t1", 10, "template-a.docx"), hit("data", 4)],
    seal: [hit("t2", 10, "template-b.docx"), hit("new", 9), hit("least", 1)],
  });
  const found = await search([query("the seal")]);
  assert.equal(found.refined, true);
  const scores = new Map(found.hits.map(({ chunk, score }) => [chunk.id, score]));
  assert.deepEqual(
    ["t1", "t2", "new"].map((id) => scores.get(id)?.toFixed(2)),
    ["0.28", "0.63", "0.90"],
  );
});

test("a question about a template gets its template, in whatever way both are written", async () => {
  for (const text of ["biểu mẫu hóa đơn", "bieu mau hoa don", "BIEU_MAU hoa don"])
    for (const name of ["biểu mẫu.docx", "bieu_mau.docx", "bieu mau.docx"]) {
      const { search } = bench({ [text]: [hit("form", 10, name), hit("data", 9)] });
      const { hits, templates } = await search([query(text)]);
      assert.deepEqual([templates, hits[0]?.score], [1, 1], `${text} finds ${name}`);
    }
  const { search } = bench({ "invoice template": [hit("form", 10, "template.docx"), hit("data", 9)] });
  const found = await search([query("invoice template")]);
  assert.deepEqual([ids(found)[0], found.refined], ["form", false]);
});

test("no formulation finds nothing", async () => {
  const { search } = bench({});
  const found = await search([]);
  assert.deepEqual([found.hits, found.refined, found.cosine], [[], false, undefined]);
});
