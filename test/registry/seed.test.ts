import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openAgents } from "../../src/registry/agents.ts";
import { openPermissions } from "../../src/registry/permissions.ts";
import { openProviders } from "../../src/registry/providers.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { seed } from "../../src/registry/seed.ts";
import { openTools } from "../../src/registry/tools.ts";
import { temporaryFolder } from "./support.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("seeding fills the five tables and a second time adds nothing", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  const first = seed(database);
  assert.ok(first.agents >= 6 && first.tools >= 5 && first.agentTools >= 10 && first.providers === 3 && first.permissions >= 12);
  const before = openAgents(database).list();
  assert.deepEqual(seed(database), { agents: 0, tools: 0, agentTools: 0, providers: 0, permissions: 0 });
  assert.deepEqual(openAgents(database).list(), before);
  assert.deepEqual([...new Set(before.map((agent) => agent.department))].sort(), [
    "engineering",
    "finance",
    "general",
    "hr",
    "it",
    "safety",
  ]);
  for (const row of [...before, ...openTools(database).list(), ...openProviders(database).list(), ...openPermissions(database).list()])
    assert.match(row.id, uuid);
  database.close();
});

test("seeding never undoes what an operator changed", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  seed(database);
  database.write(() => {
    database.statement("UPDATE agents SET description = 'ours', status = 0 WHERE name = 'HR Assistant'").run();
    database.statement("DELETE FROM agent_tools WHERE agent_id = (SELECT id FROM agents WHERE name = 'HR Assistant')").run();
    database.statement("UPDATE collection_permissions SET access_level = 'admin' WHERE department = 'general'").run();
    database.statement("DELETE FROM agents WHERE name = 'IT Support'").run();
  });
  const counts = seed(database);
  assert.equal(counts.agents, 1);
  const hr = openAgents(database).get("hr assistant");
  assert.deepEqual([hr.description, hr.enabled, hr.tools], ["ours", false, []]);
  assert.deepEqual(
    new Set(
      openPermissions(database)
        .list("general")
        .map((grant) => grant.level),
    ),
    new Set(["admin"]),
  );
  database.close();
});

test("an agent is found by id or name, and a slip of the hand gets the name that was meant", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  const agents = openAgents(database);
  assert.throws(() => agents.get("HR"), { code: "NOT_FOUND", hint: "ragctl agents seed fills the registry" });
  seed(database);
  const safety = agents.get("Safety Officer");
  assert.deepEqual(agents.get(safety.id), safety);
  assert.throws(() => agents.get("Safty Oficer"), /did you mean "Safety Officer"/);
  assert.throws(() => openTools(database).get("calculater"), /did you mean "Calculator"/);
  assert.deepEqual(
    agents.get("Finance Analyst").tools.map((tool) => tool.name),
    ["RAG Search", "Calculator", "Database Query"],
  );
  database.close();
});

test("a JSON column refuses what is no JSON", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
  seed(database);
  for (const [table, column] of [
    ["agents", "capabilities"],
    ["agents", "provider_config"],
    ["tools", "config"],
    ["tools", "permissions"],
    ["provider_configs", "config"],
  ]) {
    assert.throws(
      () => database.write(() => database.statement(`UPDATE ${table} SET ${column} = '{broken'`).run()),
      /CHECK constraint failed/,
    );
  }
  database.close();
});

test("a bad seed file is refused by the key it gets wrong and adds nothing", async (context) => {
  const folder = temporaryFolder(context);
  const database = await openRegistry(join(folder, "r.sqlite"));
  const file = join(folder, "seed.yaml");
  writeFileSync(
    file,
    "providers: []\ntools: []\npermissions: []\nagents:\n  - { name: A, department: hr, description: d, capabilities: {}, tools: [Nothing] }\n",
  );
  assert.throws(() => seed(database, file), /there is no tool "Nothing"/);
  assert.deepEqual(openAgents(database).list(), []);
  writeFileSync(file, "providers: []\ntools: []\npermissions: [{ department: hr, collection: x, instance: secret }]\nagents: []\n");
  assert.throws(() => seed(database, file), /permissions\.0\.instance/);
  assert.throws(() => seed(database, join(folder, "none.yaml")), { code: "CONFIG_INVALID" });
  database.close();
});
