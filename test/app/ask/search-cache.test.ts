import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { HomeEngines } from "../../../src/app/home.ts";
import { openRedisCache } from "../../../src/cache/redis.ts";
import type { SearchRequest } from "../../../src/core/app.ts";
import type { Run } from "../../../src/core/run.ts";
import { noRedis, redisOf } from "../../helpers/redis.ts";
import { openCore, openWorld, said, secretOf } from "../world.ts";

const request: SearchRequest = { query: "What is the secret?", topK: 50, collections: [], mode: "hybrid" };

/** A world whose searches are kept, with what its stores were asked. */
async function keeping(context: TestContext, given: Partial<HomeEngines> = {}) {
  const world = await openWorld(context);
  const asked: string[] = [];
  const { settings } = world.parts;
  const core = openCore({
    ...world.parts,
    settings: { ...settings, cache: { ...settings.cache, queries: "on" } },
    async store(instance) {
      const store = await world.parts.store(instance);
      return {
        ...store,
        async search(collection, query, signal) {
          asked.push(collection);
          return store.search(collection, query, signal);
        },
      };
    },
    ...given,
  });
  const rule = (subject: string, resource: string, effect: "allow" | "deny" = "allow") =>
    core.permissions.put({ subjectKind: "principal", subject, effect, resource, level: "read" });
  await core.principals.add({ name: "bob" });
  await rule("bob", "general_knowledge");
  await rule("bob", "hr_private_docs");
  /** The collections of what was found, and whether a store was asked. */
  const search = async (run: Run, changes: Partial<SearchRequest> = {}) => {
    asked.length = 0;
    const { hits, phases } = await core.app.search({ ...request, ...changes }, run);
    const collections = [...new Set(hits.map(({ chunk }) => chunk.collection))].sort();
    return { collections, isKept: asked.length === 0, hits, phases };
  };
  return { ...world, core, rule, search, asked, bob: world.run("bob"), owner: world.run("owner") };
}

test("a search asked again is answered from the cache, with the same hits and without a store", async (context) => {
  const { search, bob } = await keeping(context);
  const first = await search(bob);
  const again = await search(bob, { query: "  What is  the secret? " });
  assert.deepEqual([first.isKept, again.isKept], [false, true]);
  assert.deepEqual(again.hits, first.hits);
  assert.deepEqual(
    again.phases.map(({ phase, counts }) => [phase, counts]),
    [["cache", { hits: first.hits.length }]],
  );
});

test("a search that explains its scores explains them again from the cache", async (context) => {
  const { search, bob } = await keeping(context);
  const first = await search(bob, { explain: true });
  assert.ok(first.hits.length > 0 && first.hits.every(({ parts }) => parts !== undefined));
  const again = await search(bob, { explain: true });
  assert.deepEqual([again.isKept, again.hits], [true, first.hits]);
  assert.equal((await search(bob)).isKept, false);
});

test("whatever decides on the hits makes another search", async (context) => {
  const { search, bob } = await keeping(context);
  await search(bob);
  for (const change of [
    { query: "what is the secret?" },
    { topK: 1 },
    { mode: "dense" },
    { collections: ["hr_private_docs"] },
    { department: "hr" },
    { formats: ["pdf"] },
    { contentTypes: ["table"] },
    { versions: "all" },
  ] as const)
    assert.equal((await search(bob, change)).isKept, false, JSON.stringify(change));
  assert.equal((await search(bob, { versions: "all" })).isKept, false, "replaced versions are not kept");
  assert.equal((await search(bob)).isKept, true);
});

test("an edit of the home's glossary makes another search", async (context) => {
  const { core, search, bob } = await keeping(context);
  await search(bob);
  assert.equal((await search(bob)).isKept, true);
  await writeFile(join(core.settings.home, "glossary.yaml"), "terms: [{ when: [secret], also: password }]\n");
  assert.equal((await search(bob)).isKept, false);
  assert.equal((await search(bob)).isKept, true);
});

test("nothing is kept unless the settings say so", async (context) => {
  const world = await openWorld(context);
  const { app, documents } = world.core;
  const run = world.run("owner");
  await app.search(request, run);
  const again = await app.search(request, run);
  assert.ok((await documents.latest()).length > 0);
  assert.ok(!again.phases.some(({ phase }) => phase === "cache"));
});

test("nobody is answered from what somebody else was shown", async (context) => {
  const { search, bob, owner, core, run } = await keeping(context);
  assert.ok((await search(owner)).collections.includes("finance_private_docs"));
  const seen = await search(bob);
  assert.equal(seen.isKept, false);
  assert.ok(!seen.collections.includes("finance_private_docs"));
  await core.principals.add({ name: "eve" });
  const { text } = await said(() => core.app.search(request, run("eve")));
  assert.ok(!text.includes(secretOf("hr_private_docs")));
});

test("a denial holds from the next search on, and a rule that is taken back brings the old answer", async (context) => {
  const { search, bob, rule, core } = await keeping(context);
  assert.deepEqual((await search(bob)).collections, [
    "company_policies",
    "general_knowledge",
    "hr_private_docs",
  ]);
  const { id } = await rule("bob", "hr_private_docs", "deny");
  const denied = await search(bob);
  assert.deepEqual([denied.collections, denied.isKept], [["company_policies", "general_knowledge"], false]);
  await core.permissions.remove({ id });
  assert.ok((await search(bob)).collections.includes("hr_private_docs"));
});

test("an answer that somebody put into the cache shows nothing that a denial hides", async (context) => {
  const { search, owner, core } = await keeping(context);
  const cache = await core.cache();
  const whole = await search(owner);
  for (const value of [
    { hits: whole.hits, named: [] },
    { hits: whole.hits.map((hit) => ({ ...hit, chunk: { ...hit.chunk, versionId: "none" } })), named: [] },
    { hits: "all", named: [] },
    "nothing",
  ]) {
    const results = { get: async () => value, put: async () => undefined };
    const fooled = await keeping(context, { cache: async () => ({ ...cache, results }) });
    const { collections, isKept } = await fooled.search(fooled.bob);
    assert.deepEqual([collections.includes("finance_private_docs"), isKept], [false, false]);
  }
});

test("a document that is forgotten, renamed or replaced is not answered from before", async (context) => {
  const { search, owner, core } = await keeping(context);
  const [document] = await core.documents.latest(["hr_private_docs"]);
  assert.ok(document !== undefined);
  await search(owner);
  await core.documents.move(document.id, "/documents/renamed.md", "renamed.md");
  assert.equal((await search(owner)).isKept, false);
  assert.equal((await search(owner)).isKept, true);
  await core.documents.forget(document.id);
  const after = await search(owner);
  assert.deepEqual([after.isKept, after.collections.includes("hr_private_docs")], [false, false]);
});

test("hits found while a rule changed are not kept under the old rules", async (context) => {
  const puts: string[] = [];
  const given: { during?: () => Promise<unknown> } = {};
  const { core, search, bob, rule, parts } = await keeping(context);
  const cache = await core.cache();
  const results = { get: async () => undefined, put: async (key: string) => void puts.push(key) };
  const changing = openCore({
    ...parts,
    settings: core.settings,
    cache: async () => ({ ...cache, results }),
    async store(instance) {
      await given.during?.();
      return parts.store(instance);
    },
  });
  given.during = () => rule("bob", "finance_private_docs");
  await changing.app.search(request, bob);
  assert.deepEqual(puts, []);
  await changing.app.search(request, bob);
  assert.equal(puts.length, 1);
  assert.equal((await search(bob)).isKept, false);
});

test("a Redis keeps searches as the file does", { skip: noRedis }, async (context) => {
  const { url } = await redisOf(context);
  const warn = (message: string) => assert.fail(message);
  const cache = await openRedisCache({ url, authorityFile: "", ttlSeconds: 60, warn });
  context.after(() => cache[Symbol.dispose]());
  const { search, bob, rule } = await keeping(context, { cache: async () => cache });
  const first = await search(bob);
  const again = await search(bob);
  assert.deepEqual([again.isKept, again.hits], [true, first.hits]);
  await rule("bob", "hr_private_docs", "deny");
  assert.ok(!(await search(bob)).collections.includes("hr_private_docs"));
});
