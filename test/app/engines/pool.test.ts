import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loader } from "../../../src/app/engines/loader.ts";
import { openEnginePool } from "../../../src/app/engines/pool.ts";
import type { LanguageModel } from "../../../src/core/answers/answer.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import type { LlamaModelSettings } from "../../../src/drivers/llms/llama.ts";

const settings = (id: string, contextTokens = 512): LlamaModelSettings => ({
  id,
  modelPath: `/nowhere/${id}`,
  contextTokens,
  gpu: false,
  threads: 1,
});

/** A loader of models that say when they are loaded and closed; `broken` makes generations fail. */
function fakes() {
  const events: string[] = [];
  const state = { broken: false };
  const model = (id: string): LanguageModel => ({
    id,
    contextTokens: 512,
    provider: "cpu",
    count: () => 1,
    async *generate() {
      if (state.broken) throw new RagctlError("INTERNAL", "broken");
      yield { type: "text-delta", text: id };
    },
    async [Symbol.asyncDispose]() {
      events.push(`close ${id}`);
    },
  });
  const refuse = async (): Promise<never> => {
    throw new RagctlError("MODEL_MISSING", "none");
  };
  const loader: Loader = {
    embedder: refuse,
    connection: refuse,
    async languageModel({ id, contextTokens }) {
      events.push(`load ${id} ${contextTokens}`);
      return model(id);
    },
  };
  return { events, state, pool: openEnginePool(() => events.push("change"), loader) };
}

const own = { idleMs: 60_000, onWait: () => undefined };
const never = new AbortController().signal;

test("commands that load the same share it; other settings are another engine, and push out what nobody holds", async () => {
  const { events, pool } = fakes();
  const [one, two] = await Promise.all([
    pool.loader(own).languageModel(settings("m")),
    pool.loader(own).languageModel(settings("m")),
  ]);
  assert.deepEqual(events, ["load m 512"]);
  assert.deepEqual(pool.models(), [{ id: "m", task: "generate", fileBytes: 0, users: 2, waiting: 0 }]);
  const wider = await pool.loader(own).languageModel(settings("m", 1024));
  assert.deepEqual(events, ["load m 512", "load m 1024"]);
  for (const each of [one, two, two, wider]) await each[Symbol.asyncDispose]();
  assert.deepEqual(
    pool.models().map(({ users }) => users),
    [0, 0],
  );
  await pool.loader(own).languageModel(settings("n"));
  assert.deepEqual(events.slice(2), ["close m", "close m", "change", "change", "load n 512"]);
});

test("what nobody holds is unloaded after its time, and what is held never is", async () => {
  const { events, pool } = fakes();
  const held = await pool.loader({ ...own, idleMs: 1 }).languageModel(settings("m"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(events, ["load m 512"]);
  await held[Symbol.asyncDispose]();
  // The timer keeps no process alive, so this test does.
  while (!pool.isEmpty()) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(events, ["load m 512", "close m", "change"]);
});

test("a model that failed is not lent again, and one that cannot be loaded is tried again", async () => {
  const { events, state, pool } = fakes();
  const model = await pool.loader(own).languageModel(settings("m"));
  state.broken = true;
  await assert.rejects(
    model.generate([], { temperature: 0, maxTokens: 1 }, never)[Symbol.asyncIterator]().next(),
  );
  state.broken = false;
  await pool.loader(own).languageModel(settings("m"));
  await model[Symbol.asyncDispose]();
  assert.deepEqual(events, ["load m 512", "load m 512", "close m", "change"]);
  const embedder = { id: "e", modelPath: "/nowhere/e" } as Parameters<Loader["embedder"]>[0];
  for (let round = 0; round < 2; round++)
    await assert.rejects(pool.loader(own).embedder(embedder), { code: "MODEL_MISSING" });
  assert.equal(pool.models().length, 1);
});
