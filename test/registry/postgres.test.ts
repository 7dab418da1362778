import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createAgentRepository } from "../../src/registry/company/agents.ts";
import { createPermissionRepository } from "../../src/registry/company/permissions.ts";
import { createPrincipalRepository } from "../../src/registry/company/principals.ts";
import { createProviderRepository } from "../../src/registry/company/providers.ts";
import { parsePostgresAddress } from "../../src/registry/database/address.ts";
import { translate, translateMigration } from "../../src/registry/database/dialect.ts";
import { openPostgres } from "../../src/registry/database/postgres.ts";
import type { Database } from "../../src/registry/database.ts";
import { createDocumentRepository } from "../../src/registry/documents/documents.ts";
import { seed } from "../../src/registry/exchange/seed.ts";
import { createJobRepository } from "../../src/registry/history/jobs.ts";
import { baselineVersion, migrations } from "../../src/registry/migrations/all.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { jobMessage } from "../contracts/queue.ts";
import { makeAuthority } from "../helpers/certificates.ts";
import { postgresMissing, startPostgres } from "../helpers/postgres.ts";
import { temporaryFolder } from "./support.ts";

const agent = (name: string) => ({ name, department: "d", description: "", capabilities: {} });

/** What opening fails with, having checked that the password is nowhere in it. */
async function refusal(work: () => unknown): Promise<Error & { code?: string; hint?: string }> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof Error);
    const cause = error.cause instanceof Error ? error.cause.message : "";
    assert.doesNotMatch(`${error.message} ${cause} ${error.stack}`, /secret|hunter2/);
    return error;
  }
  throw new Error("nothing was thrown");
}

test("an address is read with its parameters, and one that is wrong is refused without being shown", async () => {
  const { password: _, ...read } = parsePostgresAddress(
    "postgresql://ada:p%40ss%2Fword@db.example:6543/company?schema=rag_2&sslmode=verify-full&connect_timeout=9",
  );
  assert.deepEqual(read, {
    host: "db.example",
    port: 6543,
    database: "company",
    user: "ada",
    schema: "rag_2",
    sslMode: "verify-full",
    connectMs: 9000,
  });
  assert.equal(parsePostgresAddress("postgresql:///db?host=/var/run/postgresql").host, "/var/run/postgresql");
  for (const [address, reason] of [
    ["postgresql://u:hunter2@host", /has no database name/],
    ["postgresql://u:hunter2@host/db?schema=Public", /schema must be/],
    ["postgresql://u:hunter2@host/db?schema=x%22%3B--", /schema must be/],
    ["postgresql://u:hunter2@host/db?sslmode=no", /sslmode must be one of/],
    ["postgresql://u@host/db?password=hunter2", /the password belongs before the host/],
    ["postgresql://u@host/db?hunter2=1", /unknown parameter/],
    ["postgresql://u:hunter2@host:port/db", /cannot be parsed/],
    ["postgresql://u:hunter2%@host/db", /contains a %/],
    ["postgresql://u:hunter2@host/db?connect_timeout=0", /connect_timeout/],
  ] as const) {
    const { code, message } = await refusal(() => parsePostgresAddress(address));
    assert.equal(code, "CONFIG_INVALID");
    assert.match(message, reason);
  }
});

test("a statement is translated outside its literals only", () => {
  const { text, parameters } = translate(
    "SELECT 'a?:b lower(' AS itsName, lower(name) FROM t WHERE x = :x AND (:x IS NULL OR \"odd:name\" = ?) AND y = ?",
  );
  assert.equal(
    text,
    `SELECT 'a?:b lower(' AS "itsName", nocase(name) FROM t WHERE x = $1 AND ($1::text IS NULL OR "odd:name" = $2) AND y = $3`,
  );
  assert.deepEqual(parameters, ["x", 0, 1]);
  assert.throws(() => translateMigration("CREATE TABLE t (name TEXT COLLATE NOCASE) STRICT"), /NOCASE/);
});

test("the certificate of a PostgreSQL must fit its name and the authority that is named", {
  skip: postgresMissing,
}, async (context) => {
  const folder = temporaryFolder(context);
  const [authority, stranger] = [makeAuthority(folder, "authority"), makeAuthority(folder, "stranger")];
  const server = await startPostgres(context, { tls: authority.issue("db.example", { loopback: true }) });
  const address = (mode: string, root = "", host = "127.0.0.1"): string =>
    `${server.address("tls").replace("127.0.0.1", host)}&sslmode=${mode}${root === "" ? "" : `&sslrootcert=${encodeURIComponent(root)}`}`;
  const { certificatePath } = authority;
  for (const fits of [
    address("require"),
    address("verify-full", certificatePath),
    address("verify-ca", certificatePath, "localhost"),
  ])
    (await openRegistry(fits)).close();
  for (const [wrong, reason] of [
    [address("verify-full", stranger.certificatePath), /cannot be reached \(.*(?:certificate|signature)/],
    [address("verify-full"), /certificate/],
    [address("verify-full", certificatePath, "localhost"), /localhost|does not match/],
    [address("verify-full", join(folder, "none.pem")), /none\.pem/],
  ] as const) {
    const refused = await refusal(() => openRegistry(wrong));
    assert.match(refused.message, reason);
    assert.notEqual(refused.code, "INTERNAL", refused.message);
  }
});

test("PostgreSQL", { skip: postgresMissing }, async (suite) => {
  const server = await startPostgres(suite);
  const opened = async (context: TestContext, address = server.address()): Promise<Database> => {
    const database = await openRegistry(address);
    context.after(() => database.close());
    return database;
  };

  await suite.test(
    "does not wait for the disk to write behind, unless a part must not be lost",
    async (context) => {
      const registry = await opened(context, server.address("behind"));
      const setting = async () =>
        (
          await registry
            .statement<{ value: string }>("SELECT current_setting('synchronous_commit') AS value")
            .get()
        )?.value;
      assert.deepEqual([await registry.writeBehind(setting), await registry.write(setting)], ["off", "on"]);
      const posted = await registry.writeBehind(async () => {
        await registry.statement("DELETE FROM collection_profiles").run();
        return setting();
      });
      assert.equal(posted, "off", "a statement that writes is a part of it");
      const after = await registry.writeBehind(async () => {
        const before = await setting();
        await createAgentRepository(registry).add(agent("ada"));
        return [before, await setting()];
      });
      assert.deepEqual(after, ["off", "on"], "adding an agent is a write of its own");
      assert.equal((await createAgentRepository(registry).list())[0]?.name, "ada");
    },
  );

  await suite.test("has the tables, columns and keys that SQLite has", async (context) => {
    const file = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
    context.after(() => file.close());
    await opened(context, server.address("shape"));
    const theirs = await server.query<{ table: string; column: string; type: string; needed: boolean }>(
      `SELECT table_name AS table, column_name AS column, data_type AS type, is_nullable = 'NO' AS needed FROM information_schema.columns
       WHERE table_schema = 'shape' AND table_name NOT IN ('ragctl_schema', 'ragctl_changes') AND column_name <> 'rowid'`,
    );
    const types: Readonly<Record<string, string>> = {
      TEXT: "text",
      INTEGER: "bigint",
      REAL: "double precision",
      BLOB: "bytea",
    };
    const ours = await file
      .statement<{ table: string; column: string; type: string; needed: number }>(
        `SELECT m.name AS "table", c.name AS "column", c.type, c."notnull" OR c.pk > 0 AS needed FROM sqlite_schema m, pragma_table_info(m.name) c
         WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'`,
      )
      .all();
    // Switches, so that people can insert rows by hand; they read as numbers.
    const isSwitch = (column: string) => ["status", "is_active", "is_enabled"].includes(column);
    const isView = (table: string) => table === "collection_permissions";
    const lines = (rows: readonly { table: string; column: string; type: string; needed: unknown }[]) =>
      rows
        .map(({ table, column, type, needed }) =>
          [
            table,
            column,
            type === "boolean" && isSwitch(column) ? "bigint" : (types[type] ?? type),
            isView(table) || Boolean(needed),
          ].join(" "),
        )
        .toSorted();
    // A view of PostgreSQL says of no column that it is needed.
    assert.deepEqual(
      lines(theirs.map((row) => (isView(row.table) ? { ...row, needed: true } : row))),
      lines(ours),
    );
    const [uniques] = await server.query<{ count: string }>(
      "SELECT count(*) AS count FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'shape' AND i.indisunique",
    );
    const keys = (
      await file
        .statement<{ count: number }>(
          `SELECT count(*) AS count FROM sqlite_schema m, pragma_index_list(m.name) i WHERE m.type = 'table' AND i."unique" = 1`,
        )
        .get()
    )?.count;
    // `decisions` and `sign_ins` have an INTEGER PRIMARY KEY, for which SQLite needs no index; `ragctl_changes`
    // is only here.
    assert.equal(Number(uniques?.count), (keys ?? 0) + 3);
  });

  await suite.test("takes rows that people insert, with what they leave out", async (context) => {
    const address = server.address("by_hand");
    const registry = await opened(context, address);
    const inserts = [
      `agents (name, department, capabilities, provider_config) VALUES
       ('HR Assistant', 'hr', '{"topics": ["employee", "policy"]}', '{"provider": "openai", "model": "gpt-4"}')`,
      `tools (name, type, config, permissions) VALUES
       ('RAG Search', 'rag', '{"mmr_lambda": 0.5, "top_k": 10}', '{"requires_department_access": true}'),
       ('Mail', 'email_sender', '{}', DEFAULT)`,
      "agent_tools (agent_id, tool_id) SELECT a.id, t.id FROM by_hand.agents a, by_hand.tools t",
      `provider_configs (component_type, provider_name, config, is_active) VALUES
       ('reflection', 'openai', '{"model": "gpt-4"}', true),
       ('semantic_router', 'sentence_transformers', '{"model": "all-MiniLM-L6-v2"}', false)`,
      `collection_permissions (department, collection_name, milvus_instance) VALUES
       ('hr', 'company_policies', 'public'), ('hr', 'hr_documents', 'private')`,
    ];
    for (const insert of inserts) await server.query(`INSERT INTO by_hand.${insert}`);
    const [agent] = await createAgentRepository(registry).list();
    assert.deepEqual(
      [agent?.name, agent?.enabled, agent?.tools.map(({ name, enabled }) => `${name} ${enabled}`)],
      ["HR Assistant", true, ["Mail true", "RAG Search true"]],
    );
    assert.match(agent?.createdAt ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const providers = createProviderRepository(registry);
    assert.deepEqual(
      (await providers.list()).map(({ provider, enabled }) => [provider, enabled]),
      [
        ["openai", true],
        ["sentence_transformers", false],
      ],
    );
    await providers.set("semantic_router/sentence_transformers", { enabled: true });
    assert.ok((await providers.get("semantic_router/sentence_transformers")).enabled);
    const rules = (await createPermissionRepository(registry).list()).toSorted((one, other) =>
      one.resource < other.resource ? -1 : 1,
    );
    assert.deepEqual(
      rules.map(({ subject, effect, level, resource, instance }) => [
        subject,
        effect,
        level,
        resource,
        instance,
      ]),
      [
        ["hr", "allow", "read", "company_policies", "public"],
        ["hr", "allow", "read", "hr_documents", "private"],
      ],
    );
  });

  await suite.test("lets people insert rows by the names of its tables alone", async (context) => {
    const registry = await opened(context, server.address("ragctl"));
    await server.query("INSERT INTO agents (name, department) VALUES ('Finance Analyst', 'finance')");
    assert.deepEqual(
      (await createAgentRepository(registry).list()).map(({ name }) => name),
      ["Finance Analyst"],
    );
  });

  await suite.test("folds A to Z alone where names ignore case, whatever its collation", async (context) => {
    const agents = createAgentRepository(await opened(context));
    await agents.add(agent("Über"));
    await agents.add(agent("über"));
    await assert.rejects(() => agents.add(agent("ÜBER")), { code: "USAGE_INVALID" });
    assert.deepEqual(await agents.names(), ["Über", "über"]);
    assert.equal((await agents.get("ÜBEr")).name, "Über");
  });

  await suite.test("is made once by eight machines that open it at once", async () => {
    const address = server.address("eight");
    const child = fileURLToPath(new URL("./open-child.ts", import.meta.url));
    const outputs = await Promise.all(
      Array.from({ length: 8 }, () => promisify(execFile)(process.execPath, [child, address])),
    );
    const added = outputs.map(({ stdout }) => Number(JSON.parse(stdout).agents)).filter((count) => count > 0);
    assert.equal(added.length, 1);
  });

  await suite.test(
    "has one visible version of each file that two machines ingest at once",
    async (context) => {
      const address = server.address("both");
      const documents = createDocumentRepository(await opened(context, address));
      const child = fileURLToPath(new URL("./begin-child.ts", import.meta.url));
      await Promise.all(
        ["one", "two"].map((machine) => promisify(execFile)(process.execPath, [child, address, machine])),
      );
      const visible = await documents.latest();
      assert.equal(visible.length, 10);
      assert.deepEqual([...new Set(visible.map(({ version }) => version))], [1]);
      assert.equal(new Set(visible.map(({ path }) => path)).size, 10);
    },
  );

  await suite.test("that is down, or lets nobody in, is told without its password", async () => {
    const down = await refusal(() => openRegistry("postgresql://u:hunter2@127.0.0.1:1/db"));
    assert.equal(down.code, "REGISTRY_UNAVAILABLE");
    assert.match(down.message, /127\.0\.0\.1:1\/db, schema ragctl cannot be reached/);
    const wrong = await refusal(() => openRegistry(server.address().replace("secret%2Fword", "hunter2")));
    assert.deepEqual([wrong.code, /rejected the sign-in/.test(wrong.message)], ["CONFIG_INVALID", true]);
    const missing = await refusal(() => openRegistry(server.address().replace("/postgres?", "/nothing?")));
    assert.deepEqual([missing.code, /rejected the sign-in/.test(missing.message)], ["CONFIG_INVALID", true]);
    const plain = await refusal(() => openRegistry(`${server.address()}&sslmode=require`));
    assert.match(plain.message, /does not support SSL/);
  });

  await suite.test("that can only be read is refused", async () => {
    await server.query("CREATE ROLE reader LOGIN PASSWORD 'hunter2'");
    await server.query("ALTER ROLE reader SET default_transaction_read_only = on");
    const address = server.address().replace("tester:secret%2Fword", "reader:hunter2");
    const refused = await refusal(() => openRegistry(address));
    assert.equal(refused.code, "CONFIG_INVALID");
    assert.match(refused.message, /is read-only|privileges/);
  });

  await suite.test("that holds another schema is refused: newer, of another program, half-made", async () => {
    const newer = server.address("newer");
    (await openRegistry(newer, [...migrations, "CREATE TABLE later (id TEXT) STRICT"])).close();
    assert.match((await refusal(() => openRegistry(newer))).message, /written by a newer ragctl/);
    await server.query("CREATE SCHEMA theirs");
    await server.query("CREATE TABLE theirs.customers (id int)");
    assert.match(
      (await refusal(() => openRegistry(server.address("theirs")))).message,
      /are not a complete ragctl registry/,
    );
    await server.query("CREATE SCHEMA half");
    await server.query("CREATE TABLE half.agents (id int)");
    assert.match(
      (await refusal(() => openRegistry(server.address("half")))).message,
      /not a complete ragctl/,
    );
  });

  await suite.test(
    "is left as it was by a migration that fails, and takes one that does not",
    async (context) => {
      const address = server.address("upgrade");
      (await openRegistry(address)).close();
      const broken = [
        ...migrations,
        "CREATE TABLE half (id TEXT) STRICT; CREATE TABLE agents (id TEXT) STRICT;",
      ];
      await refusal(() => openRegistry(address, broken));
      const note = "ALTER TABLE agents ADD COLUMN note TEXT NOT NULL DEFAULT ''";
      const later = await openRegistry(address, [...migrations, note]);
      context.after(() => later.close());
      assert.deepEqual(await later.statement("SELECT note FROM agents").all(), []);
      assert.equal((await server.query("SELECT 1 FROM pg_tables WHERE tablename = 'half'")).length, 0);
    },
  );

  await suite.test("keeps nothing of a change whose connection is cut in the middle", async (context) => {
    const database = await opened(context);
    const agents = createAgentRepository(database);
    const other = await opened(context, server.address("cutter"));
    const cut = other.statement<{ done: number }>(
      "SELECT count(pg_terminate_backend(pid)) AS done FROM pg_stat_activity WHERE application_name = 'ragctl' AND pid <> pg_backend_pid()",
    );
    const lost = await refusal(() =>
      database.write(async () => {
        await agents.add(agent("half"));
        await cut.get();
        await agents.add(agent("other half"));
      }),
    );
    assert.equal(lost.code, "REGISTRY_UNAVAILABLE");
    assert.match(lost.message, /during a change: nothing was saved/);
    assert.deepEqual(await agents.names(), [], "and the next statement connects anew");
    await cut.get();
    await agents.add(agent("whole"));
    assert.deepEqual(await agents.names(), ["whole"], "a connection lost between two changes is made again");
  });

  await suite.test("answers one question from memory, but never after a change", async (context) => {
    const address = server.address("memory");
    const [database, other] = [await opened(context, address), await opened(context, address)];
    const [agents, others] = [createAgentRepository(database), createAgentRepository(other)];
    const rows = () => database.read(() => database.statement("SELECT name FROM agents").all());
    await agents.add(agent("ada"));
    await database.current(async () => {
      await rows();
      const [first, second] = [await rows(), await rows()];
      assert.equal(first[0], second[0], "the same row, which nobody can change");
      assert.ok(Object.isFrozen(first[0]));
      await others.add(agent("elsewhere"));
      await agents.add(agent("here"));
      assert.deepEqual(await agents.names(), ["ada", "elsewhere", "here"], "an own change is seen at once");
      await server.query("DELETE FROM memory.agents WHERE name = 'here'");
      await database.refresh();
      assert.deepEqual(await agents.names(), ["ada", "elsewhere"], "one by hand after another look");
    });
    await others.add(agent("later"));
    assert.deepEqual(await agents.names(), ["ada", "elsewhere", "later"], "outside a question at once");
    await others.add(agent("next"));
    await database.current(async () => assert.equal((await agents.names()).length, 4));
  });

  await suite.test(
    "remembers nothing of a table whose trigger is off or whose note is gone",
    async (context) => {
      const other = await opened(context, server.address("off"));
      const others = createAgentRepository(other);
      await server.query("ALTER TABLE off.agents DISABLE TRIGGER ragctl_changed");
      const database = await opened(context, server.address("off"));
      const names = () => database.current(async () => createAgentRepository(database).names());
      assert.match((await database.check()).join(), /ragctl_changed of agents is missing or disabled/);
      assert.deepEqual([await names(), await names()], [[], []]);
      await others.add(agent("ada"));
      assert.deepEqual(await names(), ["ada"]);
      await server.query("ALTER TABLE off.agents ENABLE TRIGGER ragctl_changed");
      const later = await opened(context, server.address("off"));
      const seen = () => later.current(async () => createAgentRepository(later).names());
      assert.deepEqual(await seen(), ["ada"]);
      await server.query("TRUNCATE off.ragctl_changes");
      assert.deepEqual([await seen(), await seen()], [["ada"], ["ada"]]);
      await others.add(agent("bob"));
      assert.deepEqual(await seen(), ["ada", "bob"]);
    },
  );

  await suite.test("takes a row from an ancestor that goes as a change of its own", async (context) => {
    const address = server.address("cascade");
    const [database, other] = [await opened(context, address), await opened(context, address)];
    const departments = () =>
      database.read(() => database.statement("SELECT department FROM principal_departments").all());
    const principals = createPrincipalRepository(other);
    await principals.add({ name: "ada", departments: ["hr"] });
    await database.current(async () => assert.equal((await departments()).length, 1));
    await principals.remove("ada");
    await database.current(async () => assert.deepEqual(await departments(), []));
  });

  await suite.test("says how many rows a statement changed that was sent with others", async (context) => {
    const database = await opened(context);
    const insert = database.statement(
      "INSERT INTO collection_profiles (name, instance, created_at) VALUES (?, 'public', '') ON CONFLICT DO NOTHING",
    );
    const changes = await database.write(async () => [
      await insert.run("one"),
      await insert.run("one"),
      await insert.run("two"),
    ]);
    assert.deepEqual(
      changes.map((each) => each.changes),
      [1, 0, 1],
    );
    await database.write(async () =>
      assert.equal((await insert.run("three")).changes, 1, "also before the end"),
    );
    const twice = database.statement(
      "INSERT INTO collection_profiles (name, instance, created_at) VALUES (?, 'public', '')",
    );
    await assert.rejects(
      () => database.write(async () => [await twice.run("four"), await twice.run("four")]),
      { code: "INTERNAL" },
    );
    await assert.rejects(database.post([["DELETE FROM collection_profiles"], ["DELETE FROM nothing"]]));
    assert.equal((await database.statement("SELECT name FROM collection_profiles").all()).length, 3);
    await database.post([["DELETE FROM collection_profiles WHERE name = ?", "one"]]);
    assert.equal((await database.statement("SELECT name FROM collection_profiles").all()).length, 2);
  });

  await suite.test("says so where a change swallowed an error of a statement", async (context) => {
    const database = await opened(context);
    const swallowed = () =>
      database.write(async () => {
        await createAgentRepository(database).add(agent("x"));
        try {
          await database.statement("SELECT * FROM nothing").get();
        } catch {}
      });
    assert.match((await refusal(swallowed)).message, /nothing was saved/);
    assert.deepEqual(await createAgentRepository(database).names(), []);
  });

  await suite.test("lets one writer in at a time, and tells who waits too long", async (context) => {
    const address = server.address("busy");
    const holder = await opened(context, address);
    const waiter = await openPostgres(address, {
      applicationId: 0x52414743,
      migrations,
      name: "registry",
      firstVersion: baselineVersion,
      busyTimeoutMs: 100,
    });
    context.after(() => waiter.close());
    await holder.write(async () => {
      await holder.statement("SELECT 1 AS one").get();
      await assert.rejects(() => waiter.write(() => waiter.statement("SELECT 1 AS one").get()), {
        code: "REGISTRY_BUSY",
      });
    });
    assert.deepEqual(await waiter.write(() => waiter.statement("SELECT 1 AS one").get()), { one: 1 });
  });

  await suite.test("tells who waits too long for a free connection, and serves the next", async (context) => {
    const database = await opened(context, `${server.address("full")}&connect_timeout=1`);
    const one = database.statement<{ one: number }>("SELECT 1 AS one");
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const readers = Array.from({ length: 8 }, () =>
      database.read(async () => {
        await one.get();
        await held;
      }),
    );
    await assert.rejects(one.get(), { code: "REGISTRY_BUSY", message: /did not answer in time/ });
    letGo();
    await Promise.all(readers);
    assert.deepEqual(await one.get(), { one: 1 });
  });

  await suite.test("is read while many writes wait for one of another machine", async (context) => {
    const address = `${server.address("lanes")}&connect_timeout=1`;
    const [holder, database] = [await opened(context, address), await opened(context, address)];
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const { promise: holds, resolve: begun } = Promise.withResolvers<void>();
    const holding = holder.write(async () => {
      await holder.statement("SELECT 1 AS one").get();
      begun();
      await held;
    });
    await holds;
    const writes = Array.from({ length: 12 }, () =>
      database.write(() => database.statement("SELECT 1 AS one").get()),
    );
    assert.deepEqual(await database.statement("SELECT 1 AS one").get(), { one: 1 });
    letGo();
    await holding;
    assert.equal((await Promise.all(writes)).length, 12);
  });

  await suite.test("gives each job to one worker, and goes by its own clock", async (context) => {
    const address = server.address("jobs");
    const database = await opened(context, address);
    const ahead = createJobRepository(database, { now: () => Date.now() + 3_600_000 });
    const [job] = await createJobRepository(database).push([jobMessage("/d")]);
    const real = Date.now;
    context.after(() => {
      Date.now = real;
    });
    assert.equal((await createJobRepository(database).take("one", 60_000))?.id, job?.id);
    // The clock of this machine goes an hour ahead: the lease still holds.
    Date.now = () => real() + 3_600_000;
    assert.equal(await createJobRepository(database).take("two", 60_000), undefined);
    assert.notEqual(await ahead.take("two", 60_000), undefined, "a clock that is asked for counts");
  });

  await suite.test("is found again after a restart under load", async (context) => {
    const database = await opened(context);
    const agents = createAgentRepository(database);
    let [kept, lost] = [0, 0];
    const stopped = { yes: false };
    const load = (async () => {
      for (let turn = 0; !stopped.yes; turn++) {
        try {
          await agents.add(agent(`a${turn}`));
          kept += 1;
        } catch (error) {
          assert.equal((error as { code?: string }).code, "REGISTRY_UNAVAILABLE");
          lost += 1;
        }
        await sleep(5);
      }
    })();
    await sleep(100);
    await server.stop();
    await server.start();
    await sleep(200);
    stopped.yes = true;
    await load;
    const names = (await agents.names()).length;
    assert.ok(names >= kept && names <= kept + lost, `${kept} kept, ${lost} lost, ${names} there`);
    await agents.add(agent("after"));
    assert.ok((await agents.names()).includes("after"));
  });

  await suite.test("seeds the same company as SQLite", async (context) => {
    const file = await openRegistry(join(temporaryFolder(context), "r.sqlite"));
    context.after(() => file.close());
    assert.deepEqual(await seed(await opened(context)), await seed(file));
  });
});
