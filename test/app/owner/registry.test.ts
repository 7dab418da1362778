import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createRegistryApi, type RegistryApi } from "../../../src/app/owner/registry.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import type { Run } from "../../../src/core/run.ts";
import { createAgentRepository } from "../../../src/registry/company/agents.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { temporaryFolder } from "../../registry/support.ts";

const run = (principal: string): Run => ({
  id: "r",
  principal,
  signal: new AbortController().signal,
  log: { event: () => {}, warn: () => {} },
});
const owner = run("owner");

async function managed(context: Parameters<typeof temporaryFolder>[0]): Promise<RegistryApi> {
  const registry = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  context.after(() => registry.close());
  const isAdmin = async ({ principal }: Run): Promise<boolean> => principal === "owner";
  const summary = { documents: 1, chunks: 2, embedder: "e", dimensions: 3, lexical: "bm25" } as const;
  return createRegistryApi({
    registry,
    isAdmin,
    async requireAdmin(asking, what) {
      if (!(await isAdmin(asking)))
        throw new RagctlError("PERMISSION_DENIED", `${asking.principal} may not ${what}`);
    },
    mayUseTool: async (_, tool) => tool.name === "Calculator",
    agents: async (asking) =>
      (await createAgentRepository(registry).list()).filter(
        (agent) => asking.principal === "owner" || agent.department === "hr",
      ),
    collections: async () => [{ name: "manuals", instance: "private", ...summary }],
  });
}

test("every change, the export and the providers are for whoever may manage the registry", async (context) => {
  const manage = await managed(context);
  await manage.seed({}, owner);
  const before = await manage.export(owner);
  const other = run("hr_manager");
  const agent = "HR Assistant";
  const attempts: readonly (() => Promise<unknown>)[] = [
    () => manage.seed({ force: true }, other),
    () => manage.export(other),
    () => manage.import("version: 1\ntools: [{ name: T, type: rag }]\n", { name: "f" }, other),
    () => manage.diff("version: 1\n", { name: "f" }, other),
    () => manage.agents.add({ name: "N", department: "hr" }, [], other),
    () => manage.agents.set(agent, { enabled: false }, other),
    () => manage.agents.remove(agent, other),
    () => manage.agents.give(agent, { tool: "Web Search" }, other),
    () => manage.agents.take(agent, "Calculator", other),
    () => manage.tools.add({ name: "T", type: "rag" }, other),
    () => manage.tools.set("Calculator", { enabled: false }, other),
    () => manage.tools.remove("Calculator", other),
    () => manage.providers.list(other),
    () => manage.providers.get("llm/local", other),
    () =>
      manage.providers.add(
        { component: "llm", provider: "ollama", config: { base_url: "http://h", model: "m" } },
        other,
      ),
    () => manage.providers.set("llm/local", { enabled: false }, other),
    () => manage.providers.remove("llm/local", other),
    () => manage.collections.undescribe("hr_private_docs", other),
  ];
  for (const attempt of attempts)
    await assert.rejects(attempt, { code: "PERMISSION_DENIED" }, String(attempt));
  await assert.rejects(manage.collections.describe("hr_private_docs", { description: "x" }, other), {
    code: "PERMISSION_DENIED",
  });
  assert.equal(await manage.export(owner), before);
});

test("what somebody may not see is neither listed nor suggested", async (context) => {
  const manage = await managed(context);
  await manage.seed({}, owner);
  const other = run("hr_manager");
  assert.deepEqual(
    (await manage.tools.list(other)).map(({ name }) => name),
    ["Calculator"],
  );
  await assert.rejects(
    () => manage.tools.get("RAG Serch", other),
    (error: RagctlError) => !`${error.message}${error.hint}`.includes("RAG Search"),
  );
  await assert.rejects(
    () => manage.agents.get("Finance Analist", other),
    (error: RagctlError) => !`${error.message}${error.hint}`.includes("Analyst"),
  );
  const views = await manage.collections.list(other);
  assert.deepEqual(
    views.map(({ name, grants }) => [name, grants.length]),
    [["manuals", 0]],
  );
  await assert.rejects(manage.collections.get("finance_private_docs", other), { code: "NOT_FOUND" });
  assert.ok((await manage.collections.get("finance_private_docs", owner)).grants.length > 0);
});

test("whoever only uses agents and tools sees neither where they reach nor the tools it may not use", async (context) => {
  const manage = await managed(context);
  await manage.seed({}, owner);
  const other = run("hr_manager");
  const secret = "zebra";
  await manage.agents.set(
    "HR Assistant",
    { providerConfig: { provider: "ollama", model: "m", base_url: `http://${secret}` } },
    owner,
  );
  await manage.agents.give("HR Assistant", { tool: "Web Search" }, owner);
  await manage.tools.set(
    "Calculator",
    { type: "generic", config: { description: "adds", argv: [secret] } },
    owner,
  );
  const seen = [
    ...[await manage.agents.list(other), await manage.agents.get("HR Assistant", other)],
    ...[await manage.tools.list(other), await manage.tools.get("Calculator", other)],
  ];
  for (const each of seen) assert.doesNotMatch(JSON.stringify(each), /zebra|Web Search|RAG Search/);
  assert.match(JSON.stringify(await manage.tools.get("Calculator", other)), /adds/);
  assert.match(
    JSON.stringify([await manage.agents.list(owner), await manage.tools.list(owner)]),
    /zebra.*zebra/,
  );
});

test("an agent whose tool is unknown is not added half", async (context) => {
  const manage = await managed(context);
  await manage.seed({}, owner);
  await assert.rejects(
    () => manage.agents.add({ name: "Legal", department: "legal" }, ["Calculator", "Calculatr"], owner),
    /did you mean "Calculator"/,
  );
  await assert.rejects(() => manage.agents.get("Legal", owner), { code: "NOT_FOUND" });
  await assert.rejects(
    () => manage.agents.take("Safety Officer", "Calculator", owner),
    /no tool of the agent "Safety Officer" "Calculator"/,
  );
});

test("a description keeps the instance of a collection that is there", async (context) => {
  const manage = await managed(context);
  const view = await manage.collections.describe("manuals", { description: "Manuals." }, owner);
  assert.deepEqual(
    [view.profile?.instance, view.profile?.description, view.summary?.documents],
    ["private", "Manuals.", 1],
  );
  const again = await manage.collections.describe("manuals", { department: "engineering" }, owner);
  assert.deepEqual([again.profile?.description, again.profile?.department], ["Manuals.", "engineering"]);
});
