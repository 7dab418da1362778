import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createClassifiers } from "../../../src/app/engines/classifiers.ts";
import { load } from "../../config/support.ts";
import { modelsOf, temporaryFolder } from "../../models/fixtures.ts";
import { fakeEmbedder } from "../../pipeline/fakes.ts";
import { openCore, openWorld, places, secretOf } from "../world.ts";

const fixtures = join(import.meta.dirname, "../../../fixtures/models");
const request = { query: "part 1", topK: 20, collections: [], mode: "hybrid" as const };
const unrelated = {
  id: "other",
  task: "generate",
  licence: "MIT",
  generate: { contextTokens: 8 },
  files: [{ name: "model.gguf", sizeBytes: 1, sha256: "0".repeat(64) }],
  sources: [{ type: "file", path: ".", files: { "model.gguf": "m" } }],
};

async function classifiersOf(context: TestContext, flags: Record<string, string>) {
  const models = await modelsOf(await temporaryFolder(context), [unrelated]);
  const resources = new AsyncDisposableStack();
  context.after(() => resources.disposeAsync());
  const { settings } = load({ flags });
  return { settings, classifiers: createClassifiers(settings, async () => models, resources) };
}

async function openReranking(context: TestContext, rerankModel: string) {
  const world = await openWorld(context);
  const { classifiers, settings } = await classifiersOf(context, { "retrieve.rerankModel": rerankModel });
  const changed = { ...world.parts.settings, retrieve: { ...settings.retrieve, rerankModel } };
  return { ...world, core: openCore({ ...world.parts, settings: changed, classifiers }) };
}

test("a search is scored again by the reranker of the settings, best first", async (context) => {
  const { core, run } = await openReranking(context, join(fixtures, "reranker-tiny"));
  const { hits, phases } = await core.app.search(request, run("owner"));
  assert.ok(hits.length > 1);
  assert.ok(hits.every(({ via, score }) => via === "reranked" && score >= 0 && score <= 1));
  const scores = hits.map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((left, right) => right - left),
  );
  assert.deepEqual(phases.at(-1)?.counts, { hits: hits.length, questions: 1 });
});

test("a reranker is shown no passage that the principal may not read, whatever the store gives", async (context) => {
  const world = await openWorld(context);
  world.leaky.leaky = true;
  const seen: string[] = [];
  const reranker = async () => ({
    id: "spy",
    async score(_: string, passages: readonly string[]) {
      seen.push(...passages);
      return passages.map(() => 1);
    },
    async [Symbol.asyncDispose]() {},
  });
  const settings = {
    ...world.parts.settings,
    retrieve: { ...world.parts.settings.retrieve, rerankModel: "spy" },
  };
  const core = openCore({
    ...world.parts,
    settings,
    classifiers: { reranker, entailment: async () => null },
  });
  await core.principals.add({ name: "ada" });
  await core.app.search(request, {
    ...world.run("ada"),
    log: { event: () => undefined, warn: () => undefined },
  });
  assert.ok(seen.some((text) => text.includes(secretOf("general_knowledge"))));
  for (const [name] of places.filter(([, instance]) => instance === "private"))
    assert.ok(!seen.some((text) => text.includes(secretOf(name))), name);
});

test("a reranker scores a search once, whatever was looked up to spell its words", async (context) => {
  const model = fakeEmbedder();
  const tokenizer = { ...model.tokenizer, count: (text: string) => text.length };
  const world = await openWorld(context, { ...model, tokenizer });
  const questions: string[] = [];
  const reranker = async () => ({
    id: "spy",
    async score(question: string, passages: readonly string[]) {
      questions.push(question);
      return passages.map(() => 1);
    },
    async [Symbol.asyncDispose]() {},
  });
  const core = openCore({
    ...world.parts,
    settings: {
      ...world.parts.settings,
      retrieve: { ...world.parts.settings.retrieve, rerankModel: "spy" },
    },
    classifiers: { reranker, entailment: async () => null },
  });
  const query = "which secret has the scret part";
  await core.app.search({ ...request, query: `${query} aparrt wonderfull` }, world.run("owner"));
  assert.deepEqual(questions, [`${query} aparrt wonderfull`]);
});

test("a search by ColBERT rows of a model that has none says so", async (context) => {
  const { core, run } = await openWorld(context);
  await assert.rejects(
    core.app.search({ ...request, collections: ["general_knowledge"], mode: "colbert" }, run("owner")),
    {
      code: "MODEL_MISSING",
      hint: /--mode hybrid/,
    },
  );
});

test("what is wrong with the reranker or the entailment model of the settings is named", async (context) => {
  const folder = await temporaryFolder(context);
  const own = join(folder, "own");
  const fails = async (model: string, expected: object): Promise<void> => {
    const { classifiers } = await classifiersOf(context, { "retrieve.rerankModel": model });
    await assert.rejects(classifiers.reranker(), expected);
  };
  await fails(own, {
    code: "MODEL_MISSING",
    message: `retrieve.rerankModel is ${own}, which does not exist`,
  });
  await mkdir(own);
  await writeFile(join(own, "tokenizer.json"), "{}");
  await fails(own, { code: "MODEL_MISSING", message: /lacks config\.json, model\.onnx$/ });
  await rm(own, { recursive: true });
  await writeFile(own, "");
  await fails(own, { code: "CONFIG_INVALID", message: /which is not a folder/ });
  await fails("absent-model", { code: "NOT_FOUND" });
  await fails("other", { code: "CONFIG_INVALID", message: /is other, a model for task generate/ });
  const { classifiers } = await classifiersOf(context, {
    "answer.entailment": join(fixtures, "reranker-tiny"),
  });
  await assert.rejects(classifiers.entailment(), { code: "MODEL_UNREADABLE", message: /LABEL_0/ });
  const off = await classifiersOf(context, {});
  assert.equal(await off.classifiers.entailment(), null);
});
