import assert from "node:assert/strict";
import { test } from "node:test";
import { openCore } from "../../src/app/core.ts";
import { RagctlError } from "../../src/core/errors.ts";
import type { Instance, VectorStore } from "../../src/core/retrieval.ts";
import { openWorld, said, secretOf } from "./world.ts";

const request = (collections: readonly string[] = []) => ({ query: "secret", topK: 20, collections, mode: "hybrid" as const });

/** Collections that the stores do not have, and instances that cannot be reached. */
interface Faults {
  readonly missing?: readonly string[];
  readonly down?: readonly Instance[];
}

async function openFaulty(context: Parameters<typeof openWorld>[0], { missing = [], down = [] }: Faults) {
  const world = await openWorld(context);
  const there = (name: string): void => {
    if (missing.includes(name)) throw new RagctlError("NOT_FOUND", `store "public" has no collection "${name}"`);
  };
  const store = async (instance: Instance): Promise<VectorStore> => {
    if (down.includes(instance)) throw new RagctlError("STORE_UNAVAILABLE", `the ${instance} store is down`, { hint: "start it" });
    const found = await world.parts.store(instance);
    return {
      ...found,
      async search(name, query, signal) {
        there(name);
        return found.search(name, query, signal);
      },
      async *list(name, filter) {
        there(name);
        yield* found.list(name, filter);
      },
    };
  };
  return { ...world, core: openCore({ ...world.parts, store }) };
}

test("a collection whose vectors are missing is named in the result, and the others answer", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  const { hits, unavailable } = await core.app.search(request(), run("owner"));
  const found = new Set(hits.map(({ chunk }) => chunk.collection));
  assert.deepEqual([found.has("general_knowledge"), found.has("finance_private_docs"), found.has("hr_private_docs")], [true, true, false]);
  assert.deepEqual(
    unavailable.map(({ collection, code, hint }) => [collection, code, hint]),
    [["hr_private_docs", "STORE_UNAVAILABLE", "make them again from the documents: ragctl reembed --collection hr_private_docs"]],
  );
});

test("an instance that is down costs its own collections only", async (context) => {
  const { core, run } = await openFaulty(context, { down: ["private"] });
  const { hits, unavailable } = await core.app.search(request(), run("owner"));
  assert.ok(hits.length > 0);
  assert.deepEqual(
    unavailable.map(({ collection }) => collection),
    ["engineering_private_docs", "finance_private_docs", "hr_private_docs"],
  );
  assert.equal(unavailable[0]?.hint, "start it");
});

test("when no searched collection can answer it is an error with the way out", async (context) => {
  const { core, run } = await openFaulty(context, { down: ["private"], missing: ["general_knowledge"] });
  const one = await said(() => core.app.search(request(["general_knowledge"]), run("owner")));
  assert.equal(one.code, "STORE_UNAVAILABLE");
  assert.match(one.text, /general_knowledge.*ragctl reembed --collection general_knowledge/);
  const down = await said(() => core.app.search(request(["hr_private_docs", "finance_private_docs"]), run("owner")));
  assert.deepEqual(down, { code: "STORE_UNAVAILABLE", text: "the private store is down → start it" });
  const both = await said(() => core.app.search(request(["hr_private_docs", "general_knowledge"]), run("owner")));
  assert.match(both.text, /none of the 2 collections can be searched: .*general_knowledge.*the private store is down/);
});

test("an answer names the collections that could not be searched", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  const events = await Array.fromAsync(
    core.app.ask({ query: `What is the ${secretOf("general_knowledge")} of part 1?`, topK: 5, collections: [] }, run("owner")),
  );
  const end = events.at(-1);
  assert.ok(end?.type === "answer-end");
  assert.deepEqual(
    end.answer.unavailable.map(({ collection }) => collection),
    ["hr_private_docs"],
  );
});

test("a collection that may not be read is not named, whatever became of its vectors", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  core.principals.add({ name: "guest", kind: "person", departments: [] });
  const { unavailable } = await core.app.search(request(), run("guest"));
  assert.deepEqual(unavailable, []);
});

test("a document whose vectors are missing says so, and how they are made again", async (context) => {
  const { core, run } = await openFaulty(context, { missing: ["hr_private_docs"] });
  const shown = await said(() => core.app.show(`${secretOf("hr_private_docs")}.md`, run("owner")));
  assert.equal(shown.code, "STORE_UNAVAILABLE");
  assert.match(shown.text, /ragctl reembed --collection hr_private_docs/);
});
