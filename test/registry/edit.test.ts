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
  seed(database);
  return database;
}

/** Writes what the database's own check would refuse, as a foreign program could. */
function damage(database: Database, table: string, column: string, text: string, where: string): void {
  const [off, on] =
    database.kind === "sqlite"
      ? ["PRAGMA ignore_check_constraints = ON", "PRAGMA ignore_check_constraints = OFF"]
      : [`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_${column}_check`, "SELECT 1"];
  database.statement(off).run();
  database.statement(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(text);
  database.statement(on).run();
}

test("an agent is added, changed field by field, disabled and removed with the rules about it", async (context) => {
  const database = await seeded(context);
  const [agents, permissions] = [createAgentRepository(database), createPermissionRepository(database)];
  agents.add({ name: "Légal", department: "legal", capabilities: { topics: ["contracts"] } });
  agents.set("légal".normalize("NFD"), { capabilities: { examples: ["Who signs?"] }, enabled: false });
  const agent = agents.get("Légal");
  assert.deepEqual(agent.capabilities, { topics: ["contracts"], examples: ["Who signs?"] });
  assert.deepEqual([agent.enabled, agent.description, agent.providerConfig], [false, "", {}]);
  assert.throws(() => agents.add({ name: "LéGAL", department: "legal" }), {
    code: "USAGE_INVALID",
    message: /already/,
  });
  permissions.put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resourceKind: "agent",
    resource: "Légal",
  });
  agents.remove(agent.id);
  assert.throws(() => agents.get("Légal"), { code: "NOT_FOUND" });
  assert.deepEqual(permissions.list({ resourceKind: "agent" }), []);
});

test("an agent has a persona and guidelines, which are empty in a row that names none", async (context) => {
  const path = join(temporaryFolder(context), "old.sqlite");
  const old = await openRegistry(path);
  old
    .statement(
      "INSERT INTO agents (id, name, department, created_at) VALUES ('00000000-0000-4000-8000-000000000001', 'Old Agent', 'legal', '2026-01-01')",
    )
    .run();
  old.close();
  const database = await openRegistry(path);
  context.after(() => database.close());
  const agents = createAgentRepository(database);
  assert.deepEqual([agents.get("Old Agent").persona, agents.get("Old Agent").guidelines], ["", ""]);
  agents.set("Old Agent", { persona: "You are calm.", guidelines: "Give dates in full.\nBe brief." });
  agents.set("Old Agent", { enabled: false });
  const { persona, guidelines } = agents.get("Old Agent");
  assert.deepEqual([persona, guidelines], ["You are calm.", "Give dates in full.\nBe brief."]);
  assert.throws(() => agents.set("Old Agent", { persona: "x".repeat(1001) }), {
    code: "USAGE_INVALID",
    message: /persona/,
  });
  const yaml = exportRegistry(database);
  assert.match(yaml, /persona: You are calm\./);
  agents.set("Old Agent", { persona: "", guidelines: "" });
  importRegistry(database, yaml, { name: "r.yaml" });
  assert.equal(agents.get("Old Agent").persona, "You are calm.");
});

test("tools are given by priority, changed, and taken", async (context) => {
  const database = await seeded(context);
  const [agents, tools, given] = [
    createAgentRepository(database),
    createToolRepository(database),
    createAgentToolRepository(database),
  ];
  const [agent, search] = [agents.idOf("HR Assistant"), tools.idOf("Web Search")];
  const names = () => agents.get(agent).tools.map(({ name, enabled }) => `${name}${enabled ? "" : " off"}`);
  given.give(agent, search);
  assert.deepEqual(names(), ["RAG Search", "Calculator", "Database Query", "Web Search"]);
  given.give(agent, search, { priority: 99 });
  given.give(agent, search, { enabled: false });
  assert.deepEqual(names(), ["Web Search off", "RAG Search", "Calculator", "Database Query"]);
  assert.throws(() => given.give(agent, search, { priority: 1.5 }), {
    code: "USAGE_INVALID",
    message: /the priority/,
  });
  assert.equal(given.take(agent, search), true);
  assert.equal(given.take(agent, search), false);
  tools.remove("Calculator");
  assert.deepEqual(names(), ["RAG Search", "Database Query"]);
});

test("one provider of a component is active at a time", async (context) => {
  const database = await seeded(context);
  const providers = createProviderRepository(database);
  const active = () =>
    providers
      .list({ component: "llm" })
      .filter((each) => each.enabled)
      .map(({ provider }) => provider);
  providers.add({
    component: "llm",
    provider: "ollama",
    config: { base_url: "http://127.0.0.1:11434", model: "m" },
    enabled: false,
  });
  assert.deepEqual(active(), ["local"]);
  providers.set("llm/ollama", { enabled: true });
  assert.deepEqual(active(), ["ollama"]);
  providers.set("LLM/Local", { config: { model: "small" }, enabled: true });
  assert.deepEqual([active(), providers.get("llm/local").config], [["local"], { model: "small" }]);
  assert.deepEqual(providers.list({ component: "reflection" })[0]?.enabled, true);
  providers.remove("llm/ollama");
  assert.throws(() => providers.get("llm/olama"), { code: "NOT_FOUND" });
  assert.throws(() => providers.get("llm/lokal"), /did you mean "llm\/local"/);
});

test("a bad field is refused by its name, and nothing changes", async (context) => {
  const database = await seeded(context);
  const [agents, tools, providers] = [
    createAgentRepository(database),
    createToolRepository(database),
    createProviderRepository(database),
  ];
  const before = JSON.stringify([agents.list(), tools.list(), providers.list()]);
  const refused = (work: () => void, message: RegExp) =>
    assert.throws(work, { code: "USAGE_INVALID", message });
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
    refused(() => agents.add({ name, department: "hr" }), /name: /);
  refused(() => agents.set("HR Assistant", { department: "H R" }), /department: up to 63 lowercase/);
  refused(
    () => agents.set("HR Assistant", { capabilities: { topics: ["a", "A"] } }),
    /capabilities\.topics: duplicate topic/,
  );
  refused(
    () => agents.set("HR Assistant", { capabilities: { examples: ["\u0007"] } }),
    /capabilities\.examples\.0/,
  );
  refused(
    () => agents.set("HR Assistant", { providerConfig: { temperature: 3 } }),
    /providerConfig\.temperature/,
  );
  refused(
    () => agents.set("HR Assistant", { providerConfig: JSON.parse('{"modell": "x"}') }),
    /did you mean "model"/,
  );
  refused(
    () => tools.set("RAG Search", { config: { mmr_lambda: 2 } }),
    /config of type rag, is not valid: mmr_lambda/,
  );
  refused(
    () => tools.set("Database Query", { config: { read_only: false } }),
    /read_only: a database can only be read/,
  );
  refused(() => tools.set("Web Search", { config: { endpont: "" } }), /did you mean "endpoint"/);
  refused(
    () => tools.set("API Call", { config: { endpoints: [{ name: "a b", description: "d", url: "u" }] } }),
    /endpoints\.0\.name/,
  );
  refused(() => tools.set("RAG Search", { type: "calculator" }), /config of type calculator/);
  refused(
    () => tools.set("RAG Search", { permissions: JSON.parse('{"netwrk": true}') }),
    /did you mean "network"/,
  );
  const remote = { base_url: "http://localhost:1", model: "m" };
  refused(
    () => providers.add({ component: "llm", provider: "openai-compatible", config: { model: "m" } }),
    /config, is not valid: base_url/,
  );
  refused(
    () =>
      providers.add({
        component: "llm",
        provider: "openai-compatible",
        config: { ...remote, api_key_env: "sk-1234" },
      }),
    /api_key_env: must be the name of an environment variable/,
  );
  refused(
    () => providers.set("llm/local", { config: { model: "m", api_key: "secret" } }),
    /there is no field "api_key"/,
  );
  refused(
    () =>
      providers.add({
        component: "llm",
        provider: "ollama",
        config: { ...remote, base_url: "http://u:p@h" },
      }),
    /base_url: no user/,
  );
  assert.equal(JSON.stringify([agents.list(), tools.list(), providers.list()]), before);
});

test("a malformed JSON column is named with its table and row, and the command it names mends it", async (context) => {
  const database = await seeded(context);
  const [agents, tools, providers] = [
    createAgentRepository(database),
    createToolRepository(database),
    createProviderRepository(database),
  ];
  const malformed = (work: () => unknown, message: RegExp, hint: RegExp) =>
    assert.throws(work, (error: Error & { code?: string; hint?: string }) => {
      assert.equal(error.code, "CONFIG_INVALID");
      assert.match(error.message, message);
      assert.match(error.hint ?? "", hint);
      return true;
    });
  damage(database, "agents", "capabilities", "{broken", "name = 'HR Assistant'");
  malformed(
    () => agents.list(),
    /table agents, row "HR Assistant": column capabilities is not valid: it is not JSON/,
    /agents set "HR Assistant" --topic/,
  );
  damage(database, "agents", "capabilities", '{"topics": "leave"}', "name = 'HR Assistant'");
  malformed(() => agents.get("HR Assistant"), /column capabilities is not valid: topics: /, /--example/);
  assert.equal(agents.get("IT Support").department, "it");
  agents.set("HR Assistant", { capabilities: { topics: ["leave"], examples: [] } });
  assert.deepEqual(agents.get("HR Assistant").capabilities, { topics: ["leave"], examples: [] });

  damage(database, "agents", "provider_config", "[]", "name = 'HR Assistant'");
  malformed(() => agents.list(), /column provider_config/, /--provider-config '\{\}'/);
  agents.set("HR Assistant", { providerConfig: {} });
  damage(database, "tools", "config", "7", "name = 'Calculator'");
  malformed(
    () => tools.list(),
    /table tools, row "Calculator": column config/,
    /tools set "Calculator" --config/,
  );
  tools.set("Calculator", { config: {} });
  const principals = createPrincipalRepository(database);
  damage(database, "principals", "roots", '["hr"]', "name = 'employee'");
  malformed(
    () => principals.list(),
    /table principals, row "employee": column roots/,
    /principals set "employee" --root/,
  );
  assert.deepEqual(principals.set("employee", { roots: ["/srv"] }).roots, ["/srv"]);
  damage(database, "provider_configs", "config", "null", "component_type = 'llm'");
  malformed(
    () => providers.list(),
    /table provider_configs, row "llm\/local": column config/,
    /providers set llm\/local/,
  );
  providers.remove("llm/local");
  assert.equal(agents.list().length + tools.list().length + providers.list().length, 6 + 5 + 2);
});

test("what was typed cannot move the terminal through the message of an unknown name", async (context) => {
  const database = await seeded(context);
  assert.throws(
    () => createAgentRepository(database).get("\u001b[2JHR\u202e"),
    (error: Error) => !/[\p{Cc}\p{Cf}]/u.test(error.message),
  );
});

test("two processes that edit the same agent at once lose nothing", async (context) => {
  const path = registryPlace(context);
  const database = await openRegistry(path);
  seed(database);
  const child = fileURLToPath(new URL("./edit-child.ts", import.meta.url));
  await Promise.all(["a", "b"].map((mark) => promisify(execFile)(process.execPath, [child, path, mark])));
  const agent = createAgentRepository(database).get("HR Assistant");
  assert.equal(agent.capabilities.topics.filter((topic) => topic.startsWith("a")).length, 25);
  assert.equal(agent.capabilities.topics.filter((topic) => topic.startsWith("b")).length, 25);
  assert.equal(agent.tools.filter(({ name }) => /^[ab] \d+$/.test(name)).length, 50);
  database.close();
});

test("a vendor's row needs a model alone, and shows the address and the variable of the key", async (context) => {
  const providers = createProviderRepository(await seeded(context));
  providers.add({ component: "llm", provider: "openai", config: { model: "gpt-4" } });
  assert.deepEqual(providers.get("llm/openai").config, {
    model: "gpt-4",
    base_url: "https://api.openai.com/v1",
    api_key_env: "OPENAI_API_KEY",
  });
  providers.add({
    component: "reflection",
    provider: "gemini",
    config: { model: "m", api_key_env: "GEMINI_KEY" },
  });
  const { config } = providers.get("reflection/gemini");
  assert.deepEqual(
    [config["base_url"], config["api_key_env"]],
    ["https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_KEY"],
  );
  assert.throws(() => providers.add({ component: "llm", provider: "anthropic", config: {} }), {
    code: "USAGE_INVALID",
    message: /model/,
  });
});
