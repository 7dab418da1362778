import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MetadataCondition, MetadataOperator } from "../../../src/core/metadata/conditions.ts";
import type { Filter } from "../../../src/core/retrieval.ts";
import { openWorld, places, said, secretOf, type World } from "../world.ts";

const condition = (key: string, operator: MetadataOperator, value: string): MetadataCondition => ({
  key,
  operator,
  value,
});

/** A world in which the document of each collection has a number of its own, and those of private ones a key more. */
async function openDescribed(context: TestContext): Promise<World> {
  const world = await openWorld(context);
  for (const [at, [collection, instance]] of places.entries()) {
    const [document] = await world.core.documents.latest([collection]);
    assert.ok(document !== undefined);
    const { path, name, sizeBytes, sha256 } = document;
    const metadata = {
      number: at,
      ...(instance === "private" ? { [`key_of_${collection}`]: secretOf(collection) } : {}),
    };
    await world.core.documents.begin(
      { path, name, format: "text", sizeBytes, sha256 },
      { collection, instance, department: "", metadata },
      "fake:1",
    );
  }
  return world;
}

function searching(world: World, principal: string, metadata: readonly MetadataCondition[]) {
  const request = { query: "the secret", topK: 50, collections: [], mode: "hybrid" as const, metadata };
  return said(async () => {
    const { hits } = await world.core.app.search(request, world.run(principal));
    return [...new Set(hits.map(({ chunk }) => chunk.collection))].sort();
  });
}

test("a condition on metadata narrows a search in the store, whoever searches", async (context) => {
  const world = await openDescribed(context);
  const filters: Filter[] = [];
  const store = await world.parts.store("public");
  const { search } = store;
  Object.assign(store, {
    search: async (...[name, query, signal]: Parameters<typeof search>) => {
      filters.push(query.filter);
      return search(name, query, signal);
    },
  });
  const { text } = await searching(world, "owner", [
    condition("number", ">=", "1"),
    condition("number", "<", "3"),
  ]);
  assert.deepEqual(JSON.parse(text), ["company_policies", "hr_private_docs"]);
  const versions = (await world.core.documents.latest(["company_policies"])).map(
    ({ versionId }) => versionId,
  );
  assert.ok(filters.length > 0);
  for (const filter of filters)
    assert.ok(JSON.stringify(filter).includes(String(versions[0])), "it is pushed down");
});

test("what a store answers beside the filter is dropped by the documents it is of", async (context) => {
  const world = await openDescribed(context);
  const store = await world.parts.store("public");
  const { search } = store;
  Object.assign(store, {
    search: (...[name, query, signal]: Parameters<typeof search>) =>
      search(name, { ...query, filter: { all: [] } }, signal),
  });
  const { text } = await searching(world, "owner", [condition("number", "=", "4")]);
  assert.deepEqual(JSON.parse(text), ["engineering_private_docs"]);
});

test("keys and values of documents that may not be read are in no error and narrow nothing", async (context) => {
  const world = await openDescribed(context);
  await world.core.principals.add({ name: "guest" });
  const [visible, hidden] = [world.core.app.documents([], world.run("guest")), "hr_private_docs"];
  assert.ok((await visible).every(({ collection }) => collection !== hidden));
  const asOwner = await searching(world, "owner", [condition(`key_of_${hidden}`, "=", secretOf(hidden))]);
  assert.deepEqual(JSON.parse(asOwner.text), [hidden]);
  for (const key of [`key_of_${hidden}`, "key_of_nobody", `key_of_${hidden}x`]) {
    const { code, text } = await searching(world, "guest", [condition(key, "=", secretOf(hidden))]);
    assert.equal(code, "USAGE_INVALID");
    assert.equal(
      text.replace(key, "KEY"),
      'no document here has the metadata key "KEY" → keys: title, method, number',
    );
  }
  const wrong = await searching(world, "guest", [condition("number", ">=", "abc")]);
  assert.match(wrong.text, /number>=abc cannot be compared: number is a number/);
  assert.ok(!wrong.text.includes("secret"));
});
