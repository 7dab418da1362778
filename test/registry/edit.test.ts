import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createAgentToolRepository } from "../../src/registry/company/agent-tools.ts";
import { createAgentRepository } from "../../src/registry/company/agents.ts";
import { createPermissionRepository } from "../../src/registry/company/permissions.ts";
import { createPrincipalRepository } from "../../src/registry/company/principals.ts";
import { createProviderRepository } from "../../src/registry/company/providers.ts";
import { createToolRepository } from "../../src/registry/company/tools.ts";
import type { Database } from "../../src/registry/database.ts";
import { exportRegistry, importRegistry } from "../../src/registry/exchange/exchange.ts";
import { seed } from "../../src/registry/exchange/seed.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { registryPlace, temporaryFolder } from "./support.ts";

async function seeded(context: TestContext): Promise<Database> {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  await seed(database);
  return database;
}

/** Writes what the database's own check would refuse, as a foreign program could. */
async function damage(
  database: Database,
  table: string,
  column: string,
  text: string,
  where: string,
): Promise<void> {
  const [off, on] =
    database.kind === "sqlite"
      ? ["PRAGMA ignore_check_constraints = ON", "PRAGMA ignore_check_constraints = OFF"]
      : [`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_${column}_check`, "SELECT 1"];
  await database.statement(off).run();
  await database.statement(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(text);
  await database.statement(on).run();
}

test("an agent is added, changed field by field, disabled and removed with the rules about it", async (context) => {
  const database = await seeded(context);
  const [agents, permissions] = [createAgentRepository(database), createPermissionRepository(database)];
  await agents.add({ name: "Légal", department: "legal", capabilities: { topics: ["contracts"] } });
  await agents.set("légal".normalize("NFD"), { capabilities: { examples: ["Who signs?"] }, enabled: false });
  const agent = await agents.get("Légal");
  assert.deepEqual(agent.capabilities, { topics: ["contracts"], examples: ["Who signs?"] });
  assert.deepEqual([agent.enabled, agent.description, agent.providerConfig], [false, "", {}]);
  await assert.rejects(() => agents.add({ name: "LéGAL", department: "legal" }), {
    code: "USAGE_INVALID",
    message: /already/,
  });
  await permissions.put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resourceKind: "agent",
    resource: "Légal",
  });
  await agents.remove(agent.id);
  await assert.rejects(() => agents.get("Légal"), { code: "NOT_FOUND" });
  assert.deepEqual(await permissions.list({ resourceKind: "agent" }), []);
});

test("an agent has a persona and guidelines, which are empty in a row that names none", async (context) => {
  const path = join(temporaryFolder(context), "old.sqlite");
  const old = await openRegistry(path);
  await old
    .statement(
      "INSERT INTO agents (id, name, department, created_at) VALUES ('00000000-0000-4000-8000-000000000001', 'Old Agent', 'legal', '2026-01-01')",
    )
    .run();
  old.close();
  const database = await openRegistry(path);
  context.after(() => database.close());
  const agents = createAgentRepository(database);
  assert.deepEqual(
    [(await agents.get("Old Agent")).persona, (await agents.get("Old Agent")).guidelines],
    ["", ""],
  );
  await agents.set("Old Agent", { persona: "You are calm.", guidelines: "Give dates in full.\nBe brief." });
  await agents.set("Old Agent", { enabled: false });
  const { persona, guidelines } = await agents.get("Old Agent");
  assert.deepEqual([persona, guidelines], ["You are calm.", "Give dates in full.\nBe brief."]);
  await assert.rejects(() => agents.set("Old Agent", { persona: "x".repeat(1001) }), {
    code: "USAGE_INVALID",
    message: /persona/,
  });
  const yaml = await exportRegistry(database);
  assert.match(yaml, /persona: You are calm\./);
  await agents.set("Old Agent", { persona: "", guidelines: "" });
  await importRegistry(database, yaml, { name: "r.yaml" });
  assert.equal((await agents.get("Old Agent")).persona, "You are calm.");
});

test("tools are given by priority, changed, and taken", async (context) => {
  const database = await seeded(context);
  const [agents, tools, given] = [
    createAgentRepository(database),
    createToolRepository(database),
    createAgentToolRepository(database),
  ];
  const [agent, search] = [await agents.idOf("HR Assistant"), await tools.idOf("Web Search")];
  const names = async () =>
    (await agents.get(agent)).tools.map(({ name, enabled }) => `${name}${enabled ? "" : " off"}`);
  await given.give(agent, search);
  assert.deepEqual(await names(), ["RAG Search", "Calculator", "Database Query", "Web Search"]);
  await given.give(agent, search, { priority: 99 });
  await given.give(agent, search, { enabled: false });
  assert.deepEqual(await names(), ["Web Search off", "RAG Search", "Calculator", "Database Query"]);
  await assert.rejects(() => given.give(agent, search, { priority: 1.5 }), {
    code: "USAGE_INVALID",
    message: /the priority/,
  });
  assert.equal(await given.take(agent, search), true);
  assert.equal(await given.take(agent, search), false);
  await tools.remove("Calculator");
  assert.deepEqual(await names(), ["RAG Search", "Database Query"]);
});

test("one provider of a component is active at a time", async (context) => {
  const database = await seeded(context);
  const providers = createProviderRepository(database);
  const active = async () =>
    (await providers.list({ component: "llm" }))
      .filter((each) => each.enabled)
      .map(({ provider }) => provider);
  await providers.add({
    component: "llm",
    provider: "ollama",
    config: { base_url: "http://127.0.0.1:11434", model: "m" },
    enabled: false,
  });
  assert.deepEqual(await active(), ["local"]);
  await providers.set("llm/ollama", { enabled: true });
  assert.deepEqual(await active(), ["ollama"]);
  await providers.set("LLM/Local", { config: { model: "small" }, enabled: true });
  assert.deepEqual(
    [await active(), (await providers.get("llm/local")).config],
    [["local"], { model: "small" }],
  );
  assert.deepEqual((await providers.list({ component: "reflection" }))[0]?.enabled, true);
  await providers.remove("llm/ollama");
  await assert.rejects(() => providers.get("llm/olama"), { code: "NOT_FOUND" });
  await assert.rejects(() => providers.get("llm/lokal"), /did you mean "llm\/local"/);
});

test("a bad field is refused by its name, and nothing changes", async (context) => {
  const database = await seeded(context);
  const [agents, tools, providers] = [
    createAgentRepository(database),
    createToolRepository(database),
    createProviderRepository(database),
  ];
  const before = JSON.stringify([await agents.list(), await tools.list(), await providers.list()]);
  const refused = (work: () => Promise<unknown>, message: RegExp) =>
    assert.rejects(work, { code: "USAGE_INVALID", message });
  for (const name of [
    "",
    " a",
    "a\nb",
    "a\u001b[31m",
    "a\u202eb",
    "a\u200bb",
    "*",
    "x".repeat(101),
    "\ud800",
  ])
    await refused(() => agents.add({ name, department: "hr" }), /name: /);
  await refused(() => agents.set("HR Assistant", { department: "H R" }), /department: up to 63 lowercase/);
  await refused(
    () => agents.set("HR Assistant", { capabilities: { topics: ["a", "A"] } }),
    /capabilities\.topics: duplicate topic/,
  );
  await refused(
    () => agents.set("HR Assistant", { capabilities: { examples: ["\u0007"] } }),
    /capabilities\.examples\.0/,
  );
  await refused(
    () => agents.set("HR Assistant", { providerConfig: { temperature: 3 } }),
    /providerConfig\.temperature/,
  );
  await refused(
    () => agents.set("HR Assistant", { providerConfig: JSON.parse('{"modell": "x"}') }),
    /did you mean "model"/,
  );
  await refused(
    () => tools.set("RAG Search", { config: { mmr_lambda: 2 } }),
    /config of type rag, is not valid: mmr_lambda/,
  );
  await refused(
    () => tools.set("Database Query", { config: { read_only: false } }),
    /read_only: a database can only be read/,
  );
  await refused(() => tools.set("Web Search", { config: { endpont: "" } }), /did you mean "endpoint"/);
  await refused(
    () => tools.set("API Call", { config: { endpoints: [{ name: "a b", description: "d", url: "u" }] } }),
    /endpoints\.0\.name/,
  );
  await refused(() => tools.set("RAG Search", { type: "calculator" }), /config of type calculator/);
  await refused(
    () => tools.set("RAG Search", { permissions: JSON.parse('{"netwrk": true}') }),
    /did you mean "network"/,
  );
  const remote = { base_url: "http://localhost:1", model: "m" };
  await refused(
    () => providers.add({ component: "llm", provider: "openai-compatible", config: { model: "m" } }),
    /config, is not valid: base_url/,
  );
  await refused(
    () =>
      providers.add({
        component: "llm",
        provider: "openai-compatible",
        config: { ...remote, api_key_env: "sk-1234" },
      }),
    /api_key_env: must be the name of an environment variable/,
  );
  await refused(
    () => providers.set("llm/local", { config: { model: "m", api_key: "secret" } }),
    /there is no field "api_key"/,
  );
  await refused(
    () =>
      providers.add({
        component: "llm",
        provider: "ollama",
        config: { ...remote, base_url: "http://u:p@h" },
      }),
    /base_url: no user/,
  );
  assert.equal(JSON.stringify([await agents.list(), await tools.list(), await providers.list()]), before);
});

test("a malformed JSON column is named with its table and row, and the command it names mends it", async (context) => {
  const database = await seeded(context);
  const [agents, tools, providers] = [
    createAgentRepository(database),
    createToolRepository(database),
    createProviderRepository(database),
  ];
  const malformed = (work: () => Promise<unknown>, message: RegExp, hint: RegExp) =>
    assert.rejects(work, (error: Error & { code?: string; hint?: string }) => {
      assert.equal(error.code, "CONFIG_INVALID");
      assert.match(error.message, message);
      assert.match(error.hint ?? "", hint);
      return true;
    });
  await damage(database, "agents", "capabilities", "{broken", "name = 'HR Assistant'");
  await malformed(
    () => agents.list(),
    /table agents, row "HR Assistant": column capabilities is not valid: it is not JSON/,
    /agents set "HR Assistant" --topic/,
  );
  await damage(database, "agents", "capabilities", '{"topics": "leave"}', "name = 'HR Assistant'");
  await malformed(
    () => agents.get("HR Assistant"),
    /column capabilities is not valid: topics: /,
    /--example/,
  );
  assert.equal((await agents.get("IT Support")).department, "it");
  await agents.set("HR Assistant", { capabilities: { topics: ["leave"], examples: [] } });
  assert.deepEqual((await agents.get("HR Assistant")).capabilities, { topics: ["leave"], examples: [] });

  await damage(database, "agents", "provider_config", "[]", "name = 'HR Assistant'");
  await malformed(() => agents.list(), /column provider_config/, /--provider-config '\{\}'/);
  await agents.set("HR Assistant", { providerConfig: {} });
  await damage(database, "tools", "config", "7", "name = 'Calculator'");
  await malformed(
    () => tools.list(),
    /table tools, row "Calculator": column config/,
    /tools set "Calculator" --config/,
  );
  await tools.set("Calculator", { config: {} });
  const principals = createPrincipalRepository(database);
  await damage(database, "principals", "roots", '["hr"]', "name = 'employee'");
  await malformed(
    () => principals.list(),
    /table principals, row "employee": column roots/,
    /principals set "employee" --root/,
  );
  assert.deepEqual((await principals.set("employee", { roots: ["/srv"] })).roots, ["/srv"]);
  await damage(database, "provider_configs", "config", "null", "component_type = 'llm'");
  await malformed(
    () => providers.list(),
    /table provider_configs, row "llm\/local": column config/,
    /providers set llm\/local/,
  );
  await providers.remove("llm/local");
  assert.equal(
    (await agents.list()).length + (await tools.list()).length + (await providers.list()).length,
    6 + 5 + 2,
  );
});

test("what was typed cannot move the terminal through the message of an unknown name", async (context) => {
  const database = await seeded(context);
  await assert.rejects(
    () => createAgentRepository(database).get("\u001b[2JHR\u202e"),
    (error: Error) => !/[\p{Cc}\p{Cf}]/u.test(error.message),
  );
});

test("two processes that edit the same agent at once lose nothing", async (context) => {
  const path = registryPlace(context);
  const database = await openRegistry(path);
  await seed(database);
  const child = fileURLToPath(new URL("./edit-child.ts", import.meta.url));
  await Promise.all(["a", "b"].map((mark) => promisify(execFile)(process.execPath, [child, path, mark])));
  const agent = await createAgentRepository(database).get("HR Assistant");
  assert.equal(agent.capabilities.topics.filter((topic) => topic.startsWith("a")).length, 25);
  assert.equal(agent.capabilities.topics.filter((topic) => topic.startsWith("b")).length, 25);
  assert.equal(agent.tools.filter(({ name }) => /^[ab] \d+$/.test(name)).length, 50);
  database.close();
});

test("a vendor's row needs a model alone, and shows the address and the variable of the key", async (context) => {
  const providers = createProviderRepository(await seeded(context));
  await providers.add({ component: "llm", provider: "openai", config: { model: "gpt-4" } });
  assert.deepEqual((await providers.get("llm/openai")).config, {
    model: "gpt-4",
    base_url: "https://api.openai.com/v1",
    api_key_env: "OPENAI_API_KEY",
  });
  await providers.add({
    component: "reflection",
    provider: "gemini",
    config: { model: "m", api_key_env: "GEMINI_KEY" },
  });
  const { config } = await providers.get("reflection/gemini");
  assert.deepEqual(
    [config["base_url"], config["api_key_env"]],
    ["https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_KEY"],
  );
  await assert.rejects(() => providers.add({ component: "llm", provider: "anthropic", config: {} }), {
    code: "USAGE_INVALID",
    message: /model/,
  });
});
