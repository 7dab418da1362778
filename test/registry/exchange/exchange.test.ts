import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { createAgentRepository } from "../../../src/registry/company/agents.ts";
import { createPermissionRepository } from "../../../src/registry/company/permissions.ts";
import { createPrincipalRepository } from "../../../src/registry/company/principals.ts";
import { createProfileRepository } from "../../../src/registry/company/profiles.ts";
import { createProviderRepository } from "../../../src/registry/company/providers.ts";
import { createToolRepository } from "../../../src/registry/company/tools.ts";
import type { Database } from "../../../src/registry/database.ts";
import {
  diffRegistry,
  type ExchangeChange,
  exportRegistry,
  importRegistry,
} from "../../../src/registry/exchange/exchange.ts";
import { seed } from "../../../src/registry/exchange/seed.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace } from "../support.ts";

async function opened(context: TestContext): Promise<Database> {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  return database;
}

const options = { name: "registry.yaml" };
const brief = (changes: readonly ExchangeChange[]) =>
  changes.map(({ kind, section, name }) => `${kind} ${section} ${name}`);

test("what is exported imports elsewhere to the same rows, and then nothing differs", async (context) => {
  const [first, second] = [await opened(context), await opened(context)];
  await seed(first);
  await createPermissionRepository(first).put({
    subjectKind: "principal",
    subject: "engineer",
    effect: "deny",
    resourceKind: "tool",
    resource: "*",
  });
  await createPrincipalRepository(first).set("owner", { departments: ["it"] });
  const text = await exportRegistry(first);
  assert.deepEqual(await diffRegistry(first, text, options), []);
  await createPermissionRepository(first).put({
    subjectKind: "department",
    subject: "hr",
    effect: "deny",
    resourceKind: "agent",
    resource: "Not There Yet",
  });
  assert.deepEqual(await diffRegistry(first, await exportRegistry(first), options), []);
  await assert.rejects(
    async () => importRegistry(second, await exportRegistry(first), options),
    /no agent "Not There Yet"/,
  );
  await importRegistry(second, text, options);
  assert.deepEqual(await diffRegistry(second, text, { ...options, prune: true }), []);
  assert.equal(await exportRegistry(second), text);
  assert.deepEqual(await importRegistry(second, text, options), []);
});

test("agents, tools and providers in other systems' words import, and then nothing differs", async (context) => {
  const registry = await opened(context);
  const config = { milvus_public_uri: "http://milvus_public:19530", mmr_lambda: 0.5, top_k: 10 };
  const text = stringify({
    version: 1,
    providers: [
      { component: "reflection", provider: "openai", config: { model: "gpt-4" } },
      {
        component: "semantic_router",
        provider: "sentence_transformers",
        config: { model: "all-MiniLM-L6-v2" },
      },
    ],
    tools: [
      { name: "RAG Search", type: "rag", config, permissions: { requires_department_access: true } },
      { name: "Mail", type: "email_sender", config: { description: "Sends a mail.", argv: ["mail"] } },
    ],
    agents: [
      {
        name: "Analyst",
        department: "finance",
        capabilities: { topics: ["budget"] },
        provider_config: { provider: "anthropic", model: "claude-3" },
      },
    ],
  });
  assert.equal((await importRegistry(registry, text, options)).length, 5);
  assert.deepEqual(await diffRegistry(registry, text, options), []);
  assert.equal((await createToolRepository(registry).get("Mail")).type, "generic");
  const wrong = { component: "llm", provider: "sentence_transformers", config: { model: "x" } };
  await assert.rejects(
    () => importRegistry(registry, stringify({ version: 1, providers: [wrong] }), options),
    /works for semantic_router/,
  );
});

test("the example of docs/reference/registry.md imports, and then nothing differs", async (context) => {
  const database = await opened(context);
  const page = await readFile(new URL("../../../docs/reference/registry.md", import.meta.url), "utf8");
  const example = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
  assert.equal((await importRegistry(database, example, options)).length, 8);
  assert.deepEqual(await diffRegistry(database, example, options), []);
});

test("an import adds and changes what the file states, and leaves the rest until it is pruned", async (context) => {
  const database = await opened(context);
  await seed(database);
  const text = `version: 1
agents:
  - { name: hr assistant, department: hr, description: ours, tools: [Search 2, { tool: calculator, priority: 5, enabled: false }] }
tools:
  - { name: search 2, type: rag, config: { top_k: 3 } }
  - { name: Calculator, type: calculator, config: { precision_digits: 12 } }
`;
  const dry = await diffRegistry(database, text, options);
  assert.ok(brief(dry).includes("keep agents IT Support"));
  assert.deepEqual(
    dry.find(({ name }) => name === "HR Assistant")?.fields.filter(({ field }) => field.startsWith("tools.")),
    [
      { field: "tools.rag search", before: { priority: 30, enabled: true }, after: undefined },
      {
        field: "tools.calculator",
        before: { priority: 20, enabled: true },
        after: { priority: 5, enabled: false },
      },
      { field: "tools.database query", before: { priority: 10, enabled: true }, after: undefined },
      { field: "tools.search 2", before: undefined, after: { priority: 20, enabled: true } },
    ],
  );
  assert.deepEqual(brief(await importRegistry(database, text, options)), [
    "add tools search 2",
    "change agents HR Assistant",
  ]);
  const hr = await createAgentRepository(database).get("HR Assistant");
  assert.deepEqual(
    [hr.description, hr.capabilities.topics, hr.tools.map(({ name }) => name)],
    ["ours", [], ["search 2", "Calculator"]],
  );
  assert.equal((await createAgentRepository(database).list()).length, 6);

  const pruned = await importRegistry(database, text, { ...options, prune: true });
  assert.ok(
    pruned.every(({ kind, section }) => kind === "remove" && (section === "agents" || section === "tools")),
  );
  assert.deepEqual(await createToolRepository(database).names(), ["Calculator", "search 2"]);
  assert.deepEqual(await createAgentRepository(database).names(), ["HR Assistant"]);
  assert.ok((await createPrincipalRepository(database).list()).length > 1);
});

test("the name of a collection places it where the file does not", async (context) => {
  const database = await opened(context);
  const text = `version: 1
collections:
  - { name: hr_private_docs }
  - { name: it_private_docs, instance: public, department: "" }
  - { name: manuals }
`;
  await importRegistry(database, text, options);
  assert.deepEqual(
    (await createProfileRepository(database).list()).map(({ name, instance, department }) => [
      name,
      instance,
      department,
    ]),
    [
      ["hr_private_docs", "private", "hr"],
      ["it_private_docs", "public", ""],
      ["manuals", "public", ""],
    ],
  );
  assert.deepEqual(await diffRegistry(database, await exportRegistry(database), options), []);
});

test("pruning never removes the owner", async (context) => {
  const database = await opened(context);
  await seed(database);
  await importRegistry(database, "version: 1\nprincipals: []\npermissions: []\n", {
    ...options,
    prune: true,
  });
  assert.deepEqual(
    (await createPrincipalRepository(database).list()).map(({ name }) => name),
    ["owner"],
  );
});

test("a provider that the file enables takes over from the one it does not name", async (context) => {
  const database = await opened(context);
  await seed(database);
  const text =
    "version: 1\nproviders: [{ component: llm, provider: ollama, config: { base_url: http://127.0.0.1:11434, model: m } }]\n";
  assert.deepEqual(brief(await diffRegistry(database, text, options)).slice(0, 2), [
    "change providers llm/local",
    "add providers llm/ollama",
  ]);
  await importRegistry(database, text, options);
  const active = (await createProviderRepository(database).list({ component: "llm" })).map(
    ({ provider, enabled }) => [provider, enabled],
  );
  assert.deepEqual(active, [
    ["local", false],
    ["ollama", true],
  ]);
  assert.deepEqual(await importRegistry(database, text, options), []);
});

test("a bad file is refused with the place in it, and nothing of it is written", async (context) => {
  const database = await opened(context);
  await seed(database);
  const before = await exportRegistry(database);
  const cases: readonly (readonly [string, RegExp])[] = [
    ["version: 2", /version \(line 1\): must be the format version/],
    ["version: 1\nagnets: []", /there is no field "agnets"; did you mean "agents"/],
    ["version: 1\ntools: [", /line 3: /],
    ["version: 1\ntools: 5", /tools \(line 2\): /],
    ["version: 1\nversion: 1", /line 2: Map keys must be unique/],
    [
      "version: 1\ntools:\n  - name: A\n    type: rag\n  - name: a\n    type: rag",
      /tools\[1\] \(line 5\): duplicate "a", first at tools\[0\]/,
    ],
    [
      "version: 1\nagents:\n  - { name: A, department: x, tools: [Calculator, calculator] }",
      /agents\[0\]\.tools\[1\] .*duplicate/,
    ],
    [
      "version: 1\nagents:\n  - { name: A, department: x, tools: [Calculatr] }",
      /agents\[0\]\.tools\[0\] \(line 3\): .*did you mean "Calculator"/,
    ],
    [
      'version: 1\nagents:\n  - { name: "A\\u001b[2J", department: x }',
      /agents\[0\]\.name \(line 3\): control or invisible/,
    ],
    [
      "version: 1\nagents:\n  - { name: A, department: x, provider_config: { provider: ollama } }",
      /provider_config\.provider .*no llm provider "ollama"/,
    ],
    [
      "version: 1\ntools:\n  - { name: T, type: rag, config: { top_k: 0 } }",
      /tools\[0\]\.config\.top_k \(line 3\)/,
    ],
    [
      "version: 1\ntools:\n  - &t { name: T, type: api_call, config: { endpoints: { self: *t } } }",
      /tools\[0\]\.config\.endpoints\.self .*\(a cycle\)/,
    ],
    [
      "version: 1\npermissions: [{ principal: enginer, allow: read, collection: x }]",
      /permissions\[0\]\.principal .*did you mean "engineer"/,
    ],
    [
      "version: 1\npermissions: [{ department: hr, allow: read, deny: read, collection: x }]",
      /exactly one of allow, deny/,
    ],
    [
      "version: 1\npermissions: [{ department: hr, deny: read, agent: Nobody At All }]",
      /permissions\[0\]\.agent .*no agent "Nobody At All"/,
    ],
    [
      "version: 1\npermissions: [{ department: hr, allow: read, tool: '*', instance: public }]",
      /permissions\[0\]\.instance/,
    ],
    ["version: 1\nprincipals: [{ name: boss, kind: owner }]", /principals\[0\]\.kind/],
    ["version: 1\nprincipals: [{ name: owner }]", /principals\[0\]\.kind/],
    [
      "version: 1\nprincipals: [{ name: owner, kind: owner, enabled: false }]",
      /the owner cannot be disabled/,
    ],
    [
      "version: 1\nproviders:\n  - { component: llm, provider: local, config: { model: a } }\n  - { component: llm, provider: ollama, config: { model: a, base_url: 'http://h' } }",
      /providers\[1\]\.enabled .*a second provider for llm/,
    ],
    [
      `version: 1\na: &a [x, x]\nb: &b [${"*a, ".repeat(60)}*a]\nc: &c [${"*b, ".repeat(60)}*b]\nd: [${"*c, ".repeat(60)}*c]`,
      /alias/i,
    ],
    ["", /the file|version|object/],
  ];
  for (const [text, message] of cases) {
    const good = "\ncollections: [{ name: written_beside }]\n";
    await assert.rejects(
      () => importRegistry(database, `${text}${/collections|^$/.test(text) ? "" : good}`, options),
      {
        code: "CONFIG_INVALID",
        message,
      },
    );
  }
  assert.equal(await exportRegistry(database), before);
});

test("with --prune a file may not lean on rows that would be removed", async (context) => {
  const database = await opened(context);
  await seed(database);
  const text =
    "version: 1\ntools: []\nagents: [{ name: HR Assistant, department: hr, tools: [Calculator] }]\n";
  await assert.doesNotReject(() => diffRegistry(database, text, options));
  await assert.rejects(
    () => importRegistry(database, text, { ...options, prune: true }),
    /agents\[0\]\.tools\[0\].*no tool "Calculator"/,
  );
});

test("an import that fails half way leaves nothing", async (context) => {
  const database = await opened(context);
  await database.write(() =>
    database
      .statement(
        database.kind === "sqlite"
          ? "CREATE TRIGGER full BEFORE INSERT ON permissions BEGIN SELECT raise(ABORT, 'no'); END"
          : "ALTER TABLE permissions ADD CHECK (false) NOT VALID",
      )
      .run(),
  );
  const text =
    "version: 1\ntools: [{ name: T, type: rag }]\npermissions: [{ department: hr, allow: read, tool: T }]\n";
  await assert.rejects(() => importRegistry(database, text, options));
  assert.deepEqual(await createToolRepository(database).names(), []);
});

test("ten thousand rows are imported at once", async (context) => {
  const database = await opened(context);
  const count = 2500;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const text = stringify({
    version: 1,
    permissions: numbers.map((index) => ({ principal: `p${index}`, allow: "read", agent: `Agent ${index}` })),
    principals: numbers.map((index) => ({ name: `p${index}`, departments: ["hr"] })),
    agents: numbers.map((index) => ({ name: `Agent ${index}`, department: "hr", tools: [`Tool ${index}`] })),
    tools: numbers.map((index) => ({ name: `Tool ${index}`, type: "calculator" })),
  });
  const startedAt = performance.now();
  assert.equal((await importRegistry(database, text, options)).length, 4 * count);
  const importedAt = performance.now();
  assert.deepEqual(await diffRegistry(database, text, { ...options, prune: true }), []);
  context.diagnostic(
    `import ${Math.round(importedAt - startedAt)} ms, diff ${Math.round(performance.now() - importedAt)} ms`,
  );
  assert.equal((await createAgentRepository(database).get("agent 2499")).tools[0]?.name, "Tool 2499");
});

const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter(
    (text) =>
      text === text.trim() &&
      text === text.normalize("NFC") &&
      text !== "*" &&
      text.toLowerCase() !== "owner",
  )
  .filter((text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(text));
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/).filter((text) => text !== "general");
const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const rows = <T>(item: fc.Arbitrary<T>, key: (item: T) => string, maxLength = 5) =>
  fc.uniqueArray(item, { selector: (each) => fold(key(each)), maxLength });
const texts = fc.uniqueArray(name, { selector: (text) => text.toLowerCase(), maxLength: 4 });
const json = fc.dictionary(
  fc.string({ maxLength: 8 }).filter((key) => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 4 },
);

const generic = fc.record({ description: name, argv: fc.tuple(name), parameters: json });

const registry = fc
  .record({
    tools: rows(
      fc.oneof(
        fc.record({ name, type: fc.constant("generic"), enabled: fc.boolean(), config: generic }),
        fc.record({
          name,
          type: fc.constant("rag"),
          enabled: fc.boolean(),
          config: fc.record({ top_k: fc.integer({ min: 1, max: 100 }) }),
        }),
      ),
      (tool) => tool.name,
    ),
    agents: rows(
      fc.record({
        name,
        department: word,
        description: name,
        enabled: fc.boolean(),
        capabilities: fc.record({ topics: texts, examples: texts }),
        picks: fc.array(
          fc.record({
            pick: fc.nat(9),
            priority: fc.integer({ min: -1000, max: 1000 }),
            enabled: fc.boolean(),
          }),
          {
            maxLength: 4,
          },
        ),
      }),
      (agent) => agent.name,
    ),
    collections: rows(
      fc.record({
        name: word,
        instance: fc.constantFrom("public", "private"),
        department: word,
        description: name,
      }),
      (collection) => collection.name,
    ),
    principals: rows(
      fc.record({
        name,
        kind: fc.constantFrom("person", "service"),
        enabled: fc.boolean(),
        departments: fc.array(word, { maxLength: 3 }),
      }),
      (principal) => principal.name,
    ),
    rules: rows(
      fc.record({
        department: word,
        effect: fc.constantFrom("allow", "deny"),
        level: fc.constantFrom("read", "write", "admin"),
        room: name,
      }),
      (rule) => `${rule.department} ${rule.effect} ${rule.room}`,
    ),
    active: fc.constantFrom("local", "ollama", ""),
  })
  .map(({ agents, rules, active, ...sections }) => ({
    version: 1,
    ...sections,
    agents: agents.map(({ picks, ...agent }) => {
      const given = picks.flatMap(({ pick, ...how }) => {
        const tool = sections.tools[pick % Math.max(1, sections.tools.length)];
        return tool === undefined ? [] : [{ tool: tool.name, ...how }];
      });
      return {
        ...agent,
        tools: given.filter(({ tool }, index) => given.findIndex((other) => other.tool === tool) === index),
      };
    }),
    providers: [
      { component: "llm", provider: "local", enabled: active === "local", config: { model: "m" } },
      {
        component: "llm",
        provider: "ollama",
        enabled: active === "ollama",
        config: { model: "m", base_url: "http://h/" },
      },
    ],
    permissions: rules.map(({ department, effect, level, room }) => ({ department, [effect]: level, room })),
  }));

test("any registry survives export and import: nothing differs after it, whatever was there before and in whatever order it is written", async (context) => {
  const [target, copy] = [await opened(context), await opened(context)];
  await fc.assert(
    fc.asyncProperty(registry, fc.infiniteStream(fc.nat()), async (state, random) => {
      const pruned = { ...options, prune: true };
      await importRegistry(target, stringify(state), pruned);
      const text = await exportRegistry(target);
      assert.deepEqual(await diffRegistry(target, text, pruned), []);
      assert.deepEqual(
        (await diffRegistry(target, stringify(state), options)).filter(({ kind }) => kind !== "keep"),
        [],
      );
      const shuffled = Object.fromEntries(
        Object.entries(state)
          .map(([key, value]) => [key, Array.isArray(value) ? [...value].reverse() : value] as const)
          .sort(() => ((random.next().value ?? 0) % 2) - 0.5),
      );
      await importRegistry(copy, stringify(shuffled), pruned);
      assert.equal(await exportRegistry(copy), text);
    }),
    { numRuns: 60 },
  );
});
