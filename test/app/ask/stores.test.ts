import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAgentToolRepository } from "../../../src/registry/company/agent-tools.ts";
import { openCore, openWorld } from "../world.ts";

const own = "http://own:19530";

/** A world with Ada, an agent that searches its own server; `ask` says which servers an answer was from. */
async function withOwnServer(context: Pick<TestContext, "after">) {
  const world = await openWorld(context);
  const asked = new Set<string | undefined>();
  const { app, agents, tools, permissions } = openCore({
    ...world.parts,
    store(instance, uri) {
      asked.add(uri);
      return world.parts.store(instance);
    },
  });
  await agents.add({ name: "Ada", department: "general" });
  const give = async (name: string, type: "rag" | "calculator", config: Record<string, string>) => {
    await tools.add({ name, type, config });
    const [agent, tool] = [await agents.idOf("Ada"), await tools.idOf(name)];
    await createAgentToolRepository(world.registry).give(agent, tool);
  };
  await give("Search", "rag", { milvus_public_uri: own });
  await give("Calculator", "calculator", {});
  await permissions.put({
    ...{ subjectKind: "department", subject: "general", effect: "allow", level: "read" },
    ...{ resourceKind: "collection", resource: "company_policies", instance: "public" },
  });
  return {
    ...{ tools, world },
    async ask(query: string) {
      asked.clear();
      const request = { query, topK: 3, collections: ["company_policies"], agent: "Ada" };
      const end = (await Array.fromAsync(app.ask(request, world.run("owner")))).at(-1);
      assert.ok(end?.type === "answer-end");
      return { servers: [...asked], response: end.answer.response };
    },
  };
}

test("the search of an agent asks the servers that its tool's row names", async (context) => {
  const { tools, ask } = await withOwnServer(context);
  const query = "How many days of parental leave do employees get?";
  assert.deepEqual((await ask(query)).servers, [own]);
  await tools.set("Search", { config: {} });
  assert.deepEqual((await ask(query)).servers, [undefined]);
});

test("a figure is computed from the servers that were searched, and no others", async (context) => {
  const { world, ask } = await withOwnServer(context);
  const store = await world.parts.store("public");
  const [chunk] = await Array.fromAsync(store.list("company_policies", { all: [] }));
  assert.ok(chunk);
  const text = "Figure | 2021 | 2022\nNet revenue | 5,210 | 7,320\nOperating costs | 3,100 | 3,900";
  const table = {
    chunk: { ...chunk, id: "table", ordinal: 9, text },
    embedding: { dense: new Float32Array(2) },
  };
  await store.write("company_policies", [table]);
  const { servers, response } = await ask("What was the net revenue in 2022?");
  assert.match(response, /^Net revenue, 2022: 7,320/);
  assert.deepEqual(servers, [own]);
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
