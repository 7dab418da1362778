import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decide } from "../../../src/core/decide.ts";
import { createAgentRepository } from "../../../src/registry/company/agents.ts";
import { createPermissionRepository } from "../../../src/registry/company/permissions.ts";
import { createPrincipalRepository } from "../../../src/registry/company/principals.ts";
import { createProfileRepository } from "../../../src/registry/company/profiles.ts";
import { createProviderRepository } from "../../../src/registry/company/providers.ts";
import { createToolRepository } from "../../../src/registry/company/tools.ts";
import { seed } from "../../../src/registry/exchange/seed.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace, temporaryFolder } from "../support.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const nothing = {
  agents: 0,
  tools: 0,
  agentTools: 0,
  providers: 0,
  collections: 0,
  principals: 0,
  permissions: 0,
};

test("seeding fills every table and a second time adds nothing", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const { added: first, leftOut } = await seed(database);
  assert.ok(
    first.agents >= 6 &&
      first.tools >= 5 &&
      first.agentTools >= 10 &&
      first.providers === 3 &&
      first.permissions >= 12,
  );
  assert.ok(first.principals >= 5 && first.collections >= 8);
  assert.deepEqual(leftOut, []);
  const before = await createAgentRepository(database).list();
  assert.deepEqual(await seed(database), { added: nothing, leftOut: [], undescribed: [] });
  assert.deepEqual(await createAgentRepository(database).list(), before);
  assert.deepEqual([...new Set(before.map((agent) => agent.department))].sort(), [
    "engineering",
    "finance",
    "general",
    "hr",
    "it",
    "safety",
  ]);
  for (const agent of before)
    assert.ok(agent.capabilities.topics.length >= 5 && agent.capabilities.examples.length >= 6, agent.name);
  for (const row of [
    ...before,
    ...(await createToolRepository(database).list()),
    ...(await createProviderRepository(database).list()),
    ...(await createPermissionRepository(database).list()),
  ])
    assert.match(row.id, uuid);
  database.close();
});

test("the seeded permissions let HR read HR alone, Finance everything and Engineering neither of the two", async (context) => {
  const database = await openRegistry(registryPlace(context));
  await seed(database);
  const grants = await createPermissionRepository(database).list();
  const reads = async (name: string) => {
    const principal = await createPrincipalRepository(database).get(name);
    return ["hr", "finance", "engineering"].filter((department) => {
      const resource = {
        kind: "collection",
        name: `${department}_private_docs`,
        instance: "private",
        department: "",
      } as const;
      return decide({ principal, agent: null, action: "read", resource, grants }).effect === "allow";
    });
  };
  assert.deepEqual(await reads("hr_manager"), ["hr"]);
  assert.deepEqual(await reads("finance_analyst"), ["hr", "finance", "engineering"]);
  assert.deepEqual(await reads("engineer"), ["engineering"]);
  assert.deepEqual(await reads("employee"), []);
  assert.deepEqual(await reads("owner"), ["hr", "finance", "engineering"]);
  database.close();
});

test("seeding never undoes what an operator changed, and what was removed stays away until it is forced", async (context) => {
  const database = await openRegistry(registryPlace(context));
  await seed(database);
  const [agents, tools, principals] = [
    createAgentRepository(database),
    createToolRepository(database),
    createPrincipalRepository(database),
  ];
  await agents.set("HR Assistant", { description: "ours", enabled: false });
  await database.write(async () => {
    await database
      .statement(
        "DELETE FROM agent_tools WHERE agent_id = (SELECT id FROM agents WHERE name = 'HR Assistant')",
      )
      .run();
    await database.statement("UPDATE permissions SET level = 'admin' WHERE subject = 'general'").run();
  });
  await agents.remove("IT Support");
  await tools.remove("Web Search");
  await principals.remove("engineer");
  const kept = async () => {
    const hr = await agents.get("hr assistant");
    assert.deepEqual([hr.description, hr.enabled], ["ours", false]);
    const general = await createPermissionRepository(database).list({
      subjectKind: "department",
      subject: "general",
    });
    assert.deepEqual(new Set(general.map((grant) => grant.level)), new Set(["admin"]));
  };
  const again = await seed(database);
  assert.deepEqual(again.added, nothing);
  const left = [
    "tools Web Search",
    "agent_tools HR Assistant/RAG Search",
    "agents IT Support",
    "principals engineer",
  ];
  for (const name of left)
    assert.ok(again.leftOut.includes(name), `${name} is not in ${again.leftOut.join(", ")}`);
  assert.deepEqual((await agents.get("HR Assistant")).tools, []);
  await kept();

  const forced = await seed(database, { force: true });
  assert.deepEqual(
    [forced.added.agents, forced.added.tools, forced.added.principals, forced.leftOut.length],
    [1, 1, 1, 0],
  );
  assert.ok((await agents.get("IT Support")).tools.some((tool) => tool.name === "Web Search"));
  await kept();
  database.close();
});

test("seeding leaves an agent, a provider and a tool that an operator made before as they are", async (context) => {
  const database = await openRegistry(registryPlace(context));
  await createAgentRepository(database).add({
    name: "hr assistant",
    department: "people",
    description: "ours",
  });
  await createProviderRepository(database).add({
    component: "llm",
    provider: "ollama",
    config: { base_url: "http://127.0.0.1:11434", model: "m" },
  });
  await createToolRepository(database).add({
    name: "Calculator",
    type: "calculator",
    config: { precision_digits: 30 },
  });
  await seed(database);
  const agent = await createAgentRepository(database).get("HR Assistant");
  assert.deepEqual([agent.department, agent.description, agent.tools], ["people", "ours", []]);
  assert.equal((await createToolRepository(database).get("calculator")).config["precision_digits"], 30);
  assert.deepEqual(
    (await createProviderRepository(database).list({ component: "llm" })).map(({ provider, enabled }) => [
      provider,
      enabled,
    ]),
    [
      ["local", false],
      ["ollama", true],
    ],
  );
  database.close();
});

test("an agent is found by id or name, and a slip of the hand gets the name that was meant", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const agents = createAgentRepository(database);
  await assert.rejects(() => agents.get("HR"), {
    code: "NOT_FOUND",
    hint: "`ragctl agents seed` fills the registry",
  });
  await seed(database);
  const safety = await agents.get("Safety Officer");
  assert.deepEqual(await agents.get(safety.id), safety);
  await assert.rejects(() => agents.get("Safty Oficer"), /did you mean "Safety Officer"/);
  await assert.rejects(() => createToolRepository(database).get("calculater"), /did you mean "Calculator"/);
  assert.deepEqual(
    (await agents.get("Finance Analyst")).tools.map((tool) => tool.name),
    ["RAG Search", "Calculator", "Database Query"],
  );
  database.close();
});

test("a JSON column refuses what is no JSON", async (context) => {
  const database = await openRegistry(registryPlace(context));
  await seed(database);
  for (const [table, column] of [
    ["agents", "capabilities"],
    ["agents", "provider_config"],
    ["tools", "config"],
    ["tools", "permissions"],
    ["provider_configs", "config"],
  ]) {
    await assert.rejects(
      () => database.write(() => database.statement(`UPDATE ${table} SET ${column} = '{broken'`).run()),
      /CHECK constraint failed|invalid input syntax for type json/,
    );
  }
  database.close();
});

test("a bad seed file is refused by the key it gets wrong and adds nothing", async (context) => {
  const folder = temporaryFolder(context);
  const database = await openRegistry(registryPlace(context));
  const file = join(folder, "seed.yaml");
  writeFileSync(file, "version: 1\nagents:\n  - { name: A, department: hr, tools: [Nothing] }\n");
  await assert.rejects(
    () => seed(database, { file }),
    /agents\[0\]\.tools\[0\] \(line 3\): there is no tool "Nothing"/,
  );
  assert.deepEqual(await createAgentRepository(database).list(), []);
  writeFileSync(
    file,
    "version: 1\npermissions: [{ department: hr, allow: read, collection: x, instance: secret }]\n",
  );
  await assert.rejects(() => seed(database, { file }), /permissions\[0\]\.instance/);
  await assert.rejects(() => seed(database, { file: join(folder, "none.yaml") }), { code: "CONFIG_INVALID" });
  database.close();
});

test("seeding describes no collection that somebody made, and says which", async (context) => {
  const database = await openRegistry(registryPlace(context));
  await database
    .statement(
      "INSERT INTO collections (name, instance, fingerprint, embedder, dimensions, lexical, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .run("general_knowledge", "public", "f", "e", 8, "bm25", "2026-01-01T00:00:00Z");
  const { added, undescribed } = await seed(database);
  assert.deepEqual(undescribed, ["general_knowledge"]);
  const names = (await createProfileRepository(database).list()).map(({ name }) => name);
  assert.ok(!names.includes("general_knowledge") && names.length === added.collections);
  assert.deepEqual((await seed(database)).undescribed, ["general_knowledge"], "it is said each time");
  database.close();
});
