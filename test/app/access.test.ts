import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAccessControl } from "../../src/app/access.ts";
import { decide } from "../../src/core/decide.ts";
import type { Grant } from "../../src/core/permission.ts";
import { accessLevels } from "../../src/core/permission.ts";
import { openWorld, places, said, secretOf, type World } from "./world.ts";

const departments = ["hr", "finance", "engineering"] as const;
const rule = fc.record({
  subject: fc.constantFrom<Pick<Grant, "subjectKind" | "subject">>(
    ...departments.map((subject) => ({ subjectKind: "department" as const, subject })),
    { subjectKind: "principal", subject: "ada" },
    { subjectKind: "principal", subject: "OWNER" },
  ),
  effect: fc.constantFrom("allow" as const, "allow" as const, "deny" as const),
  resource: fc.constantFrom(...places.map(([name]) => name), "*"),
  instance: fc.constantFrom("" as const, "public" as const, "private" as const),
  level: fc.constantFrom(...accessLevels),
});
const registry = fc.record({
  rules: fc.array(rule, { maxLength: 6 }),
  departments: fc.subarray([...departments]),
  leaky: fc.boolean(),
  probe: fc.constantFrom(...places),
  asks: fc.constantFrom("ada", "ada", "ada", "owner"),
});

type RandomRegistry = typeof registry extends fc.Arbitrary<infer T> ? T : never;

/** Writes a random registry, without touching the documents. */
async function fill({ core, registry: database, leaky }: World, given: RandomRegistry): Promise<void> {
  leaky.leaky = given.leaky;
  await database.write(async () => {
    await database.statement("DELETE FROM permissions").run();
    await core.principals.set("ada", { departments: given.departments });
    for (const { subject, ...rest } of given.rules)
      await core.permissions.put({ ...subject, ...rest, resourceKind: "collection" });
  });
}

test("no method of the app returns or reveals what the decision function does not grant, and each returns all that it grants", async (context) => {
  const world = await openWorld(context);
  const { core } = world;
  const { app } = core;
  await core.principals.add({ name: "ada" });
  const ids = new Map(
    (await core.documents.latest([])).map((document) => [document.collection, document.id]),
  );
  const covered = new Set<string>();

  const check = async (given: RandomRegistry): Promise<void> => {
    await fill(world, given);
    const run = world.run(given.asks);
    const grants = await core.permissions.list();
    const principal = await core.principals.get(given.asks);
    const may = (action: "read" | "write" | "admin", [name, instance]: (typeof places)[number]): boolean =>
      decide({
        principal,
        agent: null,
        action,
        resource: { kind: "collection", name, instance, department: "" },
        grants,
      }).effect === "allow";
    const [shown, hidden] = [
      places.filter((place) => may("read", place)),
      places.filter((place) => !may("read", place)),
    ];
    const leak = (what: string, text: string): void => {
      for (const [name] of hidden) {
        for (const secret of [name, secretOf(name), ids.get(name) ?? "-"])
          assert.ok(!text.includes(secret), `${what} reveals ${secret}: ${text}`);
      }
    };
    const all = { query: "secret", topK: 100, collections: [] };
    for (const [what, work] of [
      ["search", () => app.search({ ...all, mode: "hybrid" }, run)],
      ["search by id", () => app.search({ ...all, mode: "lexical", documents: [...ids.values()] }, run)],
      ["list", () => app.documents([], run)],
      ["collections", () => app.collections(run)],
    ] as const) {
      const { code, text } = await said(work);
      leak(what, text);
      if (code === "") for (const [name] of shown) assert.ok(text.includes(name), `${what} lacks ${name}`);
      else assert.deepEqual([code, shown.length], ["COLLECTION_EMPTY", 0]);
    }
    {
      const place = given.probe;
      const [name, instance] = place;
      const id = ids.get(name) ?? "";
      const file = `${secretOf(name)}.md`;
      const stranger = {
        name: "zzzzzzzzzzzzzzzz",
        id: "ffffffffffffffff",
        file: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz.md",
      };
      const attempts = [
        [
          "read",
          (n: string) => app.search({ ...all, mode: "dense", collections: [n] }, run),
          name,
          stranger.name,
        ],
        ["read", (n: string) => app.documents([n], run), name, stranger.name],
        ["read", (n: string) => app.show(n, run), id, stranger.id],
        ["read", (n: string) => app.show(n, run), id.slice(0, 8), stranger.id.slice(0, 8)],
        ["read", (n: string) => app.show(n, run), file, stranger.file],
        ["write", (n: string) => app.forget([n], run), id, stranger.id],
        ["admin", (n: string) => app.forgetCollection(n, run), name, stranger.name],
        [
          "write",
          (n: string) =>
            Array.fromAsync(app.ingest({ paths: [], collection: n, instance, department: "" }, run)),
          name,
          stranger.name,
        ],
      ] as const;
      for (const [action, work, typed, other] of attempts) {
        if (may(action, place)) {
          if (action === "read") assert.ok((await said(() => work(typed))).text.includes(secretOf(name)));
          continue;
        }
        const { code, text } = await said(() => work(typed));
        leak("an error", text.replaceAll(typed, "…").replaceAll(file, "…"));
        if (may("read", place)) {
          assert.equal(code, "PERMISSION_DENIED");
          covered.add("visible, not permitted");
          continue;
        }
        assert.equal(code, "NOT_FOUND");
        if (
          action === "write" &&
          typed === name &&
          decide({
            principal,
            agent: null,
            action,
            resource: { kind: "collection", name: other, instance, department: "" },
            grants,
          }).effect === "allow"
        )
          continue;
        const unknown = await said(() => work(other));
        const bare = (each: string, word: string): string =>
          each.replaceAll(word, "…").replace(/; did you mean "[^"]*"\?/, "");
        assert.deepEqual([code, bare(text, typed)], [unknown.code, bare(unknown.text, other)]);
        covered.add("hidden");
      }
    }
  };
  await fc.assert(fc.asyncProperty(registry, check), { numRuns: 500 });
  assert.deepEqual([...covered].sort(), ["hidden", "visible, not permitted"]);
});

test("a grant holds from the next call on, and so does its removal", async (context) => {
  const { core, run } = await openWorld(context);
  await core.principals.add({ name: "ada", departments: ["hr"] });
  const names = async () =>
    (
      await core.app.search({ query: "secret", topK: 100, mode: "hybrid", collections: [] }, run("ada"))
    ).hits.map(({ chunk }) => chunk.collection);
  const granted = {
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resource: "hr_private_docs",
    instance: "private",
  } as const;
  assert.ok(!(await names()).includes("hr_private_docs"));
  const { id } = await core.permissions.put(granted);
  assert.ok((await names()).includes("hr_private_docs"));
  await core.permissions.put({ ...granted, effect: "deny", subjectKind: "principal", subject: "ADA" });
  assert.ok(!(await names()).includes("hr_private_docs"));
  await core.permissions.remove({ effect: "deny" });
  assert.ok((await names()).includes("hr_private_docs"));
  await core.permissions.remove({ id });
  assert.ok(!(await names()).includes("hr_private_docs"));
  await core.principals.set("ada", { enabled: false });
  assert.deepEqual((await said(names)).code, "PERMISSION_DENIED");
  assert.deepEqual((await said(() => core.app.collections(run("ada")))).code, "PERMISSION_DENIED");
});

test("a grant that is taken away while the store searches no longer brings its hits", async (context) => {
  const { core, run } = await openWorld(context);
  await core.principals.add({ name: "ada", departments: ["hr"] });
  await core.permissions.put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resource: "hr_private_docs",
    instance: "private",
  });
  const drivers = core.retrieval.drivers(run("ada"), null);
  const targets = await drivers.targets({ collections: [], topK: 10, mode: "hybrid" });
  const target = targets.find(({ spec }) => spec.name === "hr_private_docs");
  const query = { dense: new Float32Array(2), text: "secret", limit: 10, filter: { all: [] } };
  const hits = async () =>
    (await target?.store.search("hr_private_docs", query, new AbortController().signal))?.dense.length;
  assert.equal(await hits(), 2);
  await core.permissions.remove({ subject: "hr" });
  assert.equal(await hits(), 0);
});

test("through an agent only what principal and agent both may read is searched", async (context) => {
  const { core, run } = await openWorld(context);
  await core.principals.add({ name: "ada", departments: ["hr", "finance"] });
  for (const subject of ["hr", "finance"])
    await core.permissions.put({
      subjectKind: "department",
      subject,
      effect: "allow",
      resource: `${subject}_private_docs`,
      instance: "private",
    });
  const agent = { name: "HR Assistant", department: "hr", enabled: true };
  const { collections, withheld } = await core.access.allowed(run("ada"), agent, "read");
  assert.deepEqual(
    [collections, withheld],
    [["company_policies", "general_knowledge", "hr_private_docs"], 1],
  );
  const { hits } = await core.retrieval.search(
    { query: "secret", topK: 100, mode: "hybrid", collections: [] },
    run("ada"),
    agent,
  );
  assert.deepEqual([...new Set(hits.map(({ chunk }) => chunk.collection))].sort(), collections);
  const named = { query: "secret", topK: 9, mode: "hybrid", collections: ["finance_private_docs"] } as const;
  assert.equal((await said(() => core.retrieval.search(named, run("ada"), agent))).code, "NOT_FOUND");
  const general = { ...agent, name: "General Assistant", department: "general" };
  assert.deepEqual((await core.access.allowed(run("owner"), general, "read")).collections, [
    "company_policies",
    "general_knowledge",
  ]);
});

test("agents, tools and rooms that may not be used are not there, and each decision is recorded once in a run", async (context) => {
  const { core, run } = await openWorld(context);
  await core.principals.add({ name: "ada", departments: ["hr"] });
  const agents = ["general", "hr", "finance"].map((department) => ({
    name: `${department} agent`,
    department,
    enabled: true,
  }));
  assert.deepEqual(
    (
      await core.access.agents(run("ada"), [...agents, { name: "off", department: "hr", enabled: false }])
    ).map(({ department }) => department),
    ["general", "hr"],
  );
  const [, hr = null] = agents;
  const tool = async (permissions: Readonly<Record<string, unknown>>, type = "generic") =>
    (await core.access.tool(run("ada"), hr, { name: "Web Search", type, permissions })).effect;
  assert.deepEqual(
    [
      await tool({}),
      await tool({ network: true }),
      await tool({ requires_grant: true }),
      await tool({ departments: ["finance"] }),
    ],
    ["allow", "deny", "deny", "deny"],
  );
  const reaching = async (type: string) => [await tool({}, type), await tool({ network: false }, type)];
  assert.deepEqual(await Promise.all(["web_search", "api_call", "calculator"].map(reaching)), [
    ["deny", "allow"],
    ["deny", "allow"],
    ["allow", "allow"],
  ]);
  await core.permissions.put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resourceKind: "tool",
    resource: "web search",
  });
  assert.equal(await tool({ network: true }), "allow");
  const room = { kind: "room", name: "board", instance: "private", department: "" } as const;
  const refused = await said(() => core.access.require(run("ada"), null, "read", room, ["lobby"]));
  assert.deepEqual(refused, { code: "NOT_FOUND", text: 'there is no chat "board" → available: lobby' });
  for (let times = 0; times < 3; times += 1) await core.app.collections(run("ada"));
  const recorded = (await core.decisions.list({ principal: "Ada", limit: 100 })).filter(
    ({ resource }) => resource.kind === "collection",
  );
  assert.equal(recorded.length, places.length);
});

test("runs that overlap record each of their decisions once", async (context) => {
  const { core, run } = await openWorld(context);
  await core.principals.add({ name: "ada" });
  const runs = ["one", "two"].map((id) => ({ ...run("ada"), id }));
  for (let times = 0; times < 3; times += 1) for (const each of runs) await core.app.collections(each);
  const recorded = await core.decisions.list({ principal: "ada", limit: 100 });
  for (const { id } of runs)
    assert.equal(recorded.filter(({ runId }) => runId === id).length, places.length, id);
});

test("a principal sees its own runs, the owner all, and a new one of an old name none of the old one's", async (context) => {
  const { core, run, registry: database } = await openWorld(context);
  await core.principals.add({ name: "ada" });
  await core.principals.add({ name: "bob" });
  const ask = {
    kind: "ask",
    durationMs: 1,
    state: "completed",
    error: null,
    model: "",
    provider: "",
    peakRssBytes: 1,
    programVersion: "0",
  } as const;
  const rest = { response: "", verdict: null, citations: [], phases: [], replay: null };
  const at = new Date(Date.now() + 1000).toISOString();
  await core.runs.record({
    ...ask,
    ...rest,
    id: "aaaa1",
    principal: "ADA",
    startedAt: at,
    question: "what is the zebra?",
  });
  await core.runs.record({ ...ask, ...rest, id: "bbbb2", principal: "bob", startedAt: at, question: "?" });
  const ids = async (name: string) => (await core.app.runRecords(9, run(name))).map(({ id }) => id);
  assert.deepEqual(
    [await ids("ada"), await ids("bob"), await ids("owner")],
    [["aaaa1"], ["bbbb2"], ["aaaa1", "bbbb2"]],
  );
  const [hidden, absent] = await Promise.all(
    ["aaaa1", "cccc3"].map((id) => said(async () => core.app.runRecord(id, run("bob")))),
  );
  assert.deepEqual(hidden?.text.replace("aaaa1", "cccc3"), absent?.text);
  await core.principals.remove("ada");
  await database.statement("UPDATE ask_runs SET started_at = '2020-01-01T00:00:00.000Z'").run();
  await core.principals.add({ name: "ada" });
  assert.deepEqual(await ids("ada"), []);
});

test("the sight of a question reads the rules once for all agents, and holds what it saw; the next sight sees a denial", async (context) => {
  const { core, run } = await openWorld(context);
  await core.principals.add({ name: "ada", departments: ["hr"] });
  const rule = { subjectKind: "department", effect: "allow", instance: "private" } as const;
  for (const department of departments)
    await core.permissions.put({ ...rule, subject: department, resource: `${department}_private_docs` });
  let reads = 0;
  const access = createAccessControl({
    ...core,
    home: core.settings.home,
    permissions: {
      list: async (filter) => {
        reads += 1;
        return core.permissions.list(filter);
      },
    },
  });
  const sight = await access.sight(run("ada"));
  for (const department of departments) {
    const agent = { name: `${department} agent`, department, enabled: true };
    const names = await sight.readableBy(agent);
    assert.deepEqual(names, (await core.access.allowed(run("ada"), agent, "read")).collections);
    assert.equal(names.includes("hr_private_docs"), department === "hr");
  }
  assert.equal(reads, 1);
  await core.permissions.put({
    subjectKind: "principal",
    subject: "ada",
    effect: "deny",
    resource: "hr_private_docs",
  });
  assert.ok((await sight.readableBy(null)).includes("company_policies"));
  assert.ok(!(await (await access.sight(run("ada"))).readableBy(null)).includes("hr_private_docs"));
});
