import assert from "node:assert/strict";
import { test } from "node:test";
import { createAgentToolRepository } from "../../../src/registry/company/agent-tools.ts";
import { openCore, openWorld } from "../world.ts";

test("the search of an agent asks the servers that its tool's row names", async (context) => {
  const world = await openWorld(context);
  const asked = new Set<string | undefined>();
  const { app, agents, tools, permissions } = openCore({
    ...world.parts,
    store(instance, uri) {
      asked.add(uri);
      return world.parts.store(instance);
    },
  });
  const own = "http://own:19530";
  await tools.add({ name: "Search", type: "rag", config: { milvus_public_uri: own } });
  await agents.add({ name: "Ada", department: "general" });
  await createAgentToolRepository(world.registry).give(await agents.idOf("Ada"), await tools.idOf("Search"));
  await permissions.put({
    ...{ subjectKind: "department", subject: "general", effect: "allow", level: "read" },
    ...{ resourceKind: "collection", resource: "company_policies", instance: "public" },
  });
  const request = {
    query: "How many days of parental leave do employees get?",
    topK: 3,
    collections: ["company_policies"],
  };
  const answer = async (agent: string) => {
    asked.clear();
    for await (const event of app.ask({ ...request, agent }, world.run("owner")))
      if (event.type === "answer-end") return [...asked];
    return [];
  };
  assert.deepEqual(await answer("Ada"), [own]);
  await tools.set("Search", { config: {} });
  assert.deepEqual(await answer("Ada"), [undefined]);
});

for (const kind of ["search", "ask"] as const)
  test(`${kind} opens its stores before the embedding model is there`, async (context) => {
    const world = await openWorld(context);
    const model = Promise.withResolvers<never>();
    // Nobody may have asked for it yet when it fails.
    model.promise.catch(() => undefined);
    const opened = Promise.withResolvers<string>();
    const { app } = openCore({
      ...world.parts,
      embedders: { ...world.parts.embedders, of: () => () => model.promise },
      store(instance) {
        opened.resolve(instance);
        return world.parts.store(instance);
      },
    });
    const request = { query: "parental leave", topK: 3, collections: [] };
    const run = world.run("owner");
    const done =
      kind === "search"
        ? app.search({ ...request, mode: "hybrid" }, run)
        : Array.fromAsync(app.ask(request, run));
    assert.equal(await opened.promise, "public");
    model.reject(new Error("not needed any more"));
    await assert.rejects(done);
  });
