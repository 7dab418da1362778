import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Sqlite from "better-sqlite3";
import { openCache } from "../../src/cache/cache.ts";
import type { ParsedContent } from "../../src/core/documents/document.ts";
import { createAgentRepository } from "../../src/registry/company/agents.ts";
import { createProviderRepository } from "../../src/registry/company/providers.ts";
import { openSqliteFile } from "../../src/registry/database/sqlite.ts";
import { openSqliteRegistry } from "../../src/registry/database/sqlite-registry.ts";
import { baselineVersion, migrations } from "../../src/registry/migrations/all.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { saveSnapshot } from "../../src/registry/snapshot.ts";
import { mountSmallDisk, skipTmpfs } from "../helpers/tmpfs.ts";
import { codeOf, temporaryFolder } from "./support.ts";

test("eight processes open and seed a fresh registry at once and all succeed", async (context) => {
  const path = join(temporaryFolder(context), "home", "registry.sqlite");
  const child = fileURLToPath(new URL("./open-child.ts", import.meta.url));
  const outputs = await Promise.all(
    Array.from({ length: 8 }, () => promisify(execFile)(process.execPath, [child, path])),
  );
  const added = outputs.map(({ stdout }) => Number(JSON.parse(stdout).agents));
  const database = await openRegistry(path);
  assert.equal(
    added.reduce((sum, count) => sum + count, 0),
    (await createAgentRepository(database).list()).length,
  );
  assert.deepEqual(await database.check(), []);
  database.close();
});

test("the registry, its folder and its side files are for their owner only", {
  skip: process.platform === "win32" && "modes are POSIX",
}, async (context) => {
  const folder = join(temporaryFolder(context), "home");
  const path = join(folder, "registry.sqlite");
  const database = await openRegistry(path);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
  database.close();
});

test("a file that is no database is reported as damaged and left alone", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  writeFileSync(path, "this is not a database, but long enough to be read as one".repeat(40));
  const size = statSync(path).size;
  await assert.rejects(openRegistry(path), (error: Error & { code?: string; hint?: string }) => {
    assert.equal(error.code, "REGISTRY_CORRUPT");
    assert.match(error.hint ?? "", /move the file away/);
    return true;
  });
  assert.equal(statSync(path).size, size);
});

test("pages damaged behind the header are reported as damage when they are read", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  const database = await openRegistry(path);
  await createAgentRepository(database).insertIfAbsent({
    name: "a",
    department: "d",
    description: "",
    capabilities: {},
    providerConfig: {},
  });
  database.close();
  const { readFileSync } = await import("node:fs");
  const bytes = readFileSync(path);
  bytes.fill(0xff, 4096);
  writeFileSync(path, bytes);
  const code = await codeOf(async () => {
    const opened = await openRegistry(path);
    try {
      await createAgentRepository(opened).list();
    } finally {
      opened.close();
    }
  });
  assert.equal(code, "REGISTRY_CORRUPT");
});

test("a registry of a newer program is refused without a change to it", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  (await openRegistry(path, [...migrations, "CREATE TABLE later (id TEXT) STRICT"])).close();
  const known = baselineVersion + migrations.length - 1;
  await assert.rejects(
    openRegistry(path),
    new RegExp(`written by a newer ragctl \\(schema ${known + 1}; this version supports ${known}\\)`),
  );
  (await openRegistry(path, [...migrations, "CREATE TABLE later (id TEXT) STRICT"])).close();
});

test("a registry of the first schema keeps its providers, and takes one that embeds", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  const first = await openRegistry(path, migrations.slice(0, 1));
  const before = createProviderRepository(first);
  await before.add({ component: "llm", provider: "local", config: { model: "mine" } });
  const kept = await before.list();
  first.close();
  const now = await openRegistry(path);
  const providers = createProviderRepository(now);
  assert.deepEqual(await providers.list(), kept);
  const config = { model: "m", base_url: "http://127.0.0.1:11434", dimensions: 768 };
  await providers.add({ component: "embedding", provider: "ollama", config });
  assert.deepEqual(await providers.names(), ["embedding/ollama", "llm/local"]);
  now.close();
});

test("a registry of an older schema than is read is refused with the way on, and one of the first is opened", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  (await openRegistry(path, migrations.slice(0, 1))).close();
  const mark = (version: number) => {
    const sqlite = new Sqlite(path);
    sqlite.pragma(`user_version = ${version}`);
    sqlite.close();
  };
  mark(baselineVersion - 1);
  await assert.rejects(openRegistry(path), {
    code: "CONFIG_INVALID",
    message: /written by an older ragctl \(schema 19; this version reads 20 and later\)/,
    hint: /ragctl doctor/,
  });
  mark(baselineVersion);
  const opened = await openRegistry(path, [...migrations, "CREATE TABLE later (id TEXT) STRICT"]);
  assert.deepEqual(await opened.statement("SELECT * FROM later").all(), []);
  opened.close();
});

test("a migration that fails leaves the registry as it was", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  const first = await openRegistry(path);
  await createAgentRepository(first).insertIfAbsent({
    name: "kept",
    department: "d",
    description: "",
    capabilities: {},
    providerConfig: {},
  });
  first.close();
  await assert.rejects(
    openRegistry(path, [...migrations, "CREATE TABLE half (id TEXT); CREATE TABLE agents (id TEXT);"]),
  );
  const again = await openRegistry(path, [
    ...migrations,
    "ALTER TABLE agents ADD COLUMN note TEXT NOT NULL DEFAULT ''",
  ]);
  assert.equal(await again.statement("SELECT name FROM sqlite_schema WHERE name = 'half'").get(), undefined);
  assert.equal((await createAgentRepository(again).get("kept")).department, "d");
  again.close();
});

test("a database of another program is refused", async (context) => {
  const path = join(temporaryFolder(context), "other.sqlite");
  const options = {
    applicationId: 7,
    migrations: ["CREATE TABLE theirs (id TEXT)"],
    name: "other",
    synchronous: "NORMAL",
  } as const;
  (await openSqliteFile(path, options)).close();
  await assert.rejects(openRegistry(path), /is another program's database, not a ragctl registry/);
});

test("a registry that cannot be made names the path and what to do", async (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, "file"), "");
  assert.equal(await codeOf(() => openRegistry(join(folder, "file", "registry.sqlite"))), "CONFIG_INVALID");
  assert.equal(await codeOf(() => openRegistry(folder)), "CONFIG_INVALID");
});

test("a writer that waits too long for another is told that the registry is busy", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  (await openRegistry(path)).close();
  const options = {
    applicationId: 0x52414743,
    migrations,
    firstVersion: baselineVersion,
    name: "registry",
    synchronous: "FULL",
    busyTimeoutMs: 50,
  } as const;
  const [holder, waiter] = [await openSqliteFile(path, options), await openSqliteFile(path, options)];
  holder.write(() => assert.throws(() => waiter.write(() => 1), { code: "REGISTRY_BUSY" }));
  assert.equal(
    waiter.write(() => 1),
    1,
  );
  holder.close();
  waiter.close();
});

test("a connection that waited for its own process waits for another one no less", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  const options = { applicationId: 0x52414743, migrations, firstVersion: baselineVersion, name: "registry" };
  const file = await openSqliteFile(path, { ...options, synchronous: "NORMAL", busyTimeoutMs: 0 });
  const [database, other] = [openSqliteRegistry(file, 100), await openRegistry(path)];
  context.after(() => Promise.all([database.close(), other.close()]));
  const held = database.read(async () => {
    await database.statement("SELECT 1").get();
    await sleep(150);
  });
  const written = database.write(() =>
    createAgentRepository(database).add({ name: "late", department: "d" }),
  );
  await sleep(140);
  const elsewhere = other.write(async () => {
    await other.statement("SELECT 1").get();
    await sleep(50);
  });
  await Promise.all([held, written, elsewhere]);
});

test("what fails within a write leaves nothing of it behind", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  const database = await openRegistry(path);
  const agents = createAgentRepository(database);
  await assert.rejects(() =>
    database.write(async () => {
      await agents.insertIfAbsent({
        name: "half",
        department: "d",
        description: "",
        capabilities: {},
        providerConfig: {},
      });
      throw new Error("stop");
    }),
  );
  assert.deepEqual(await agents.list(), []);
  database.close();
  assert.ok(existsSync(path));
});

test("a transaction takes in nothing of what others ask meanwhile, and two do not begin in one turn", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "registry.sqlite"));
  context.after(() => database.close());
  const agents = createAgentRepository(database);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const failing = database.write(async () => {
    await agents.add({ name: "half", department: "d" });
    await held;
    assert.deepEqual(await agents.names(), ["half"], "its own work sees what it wrote");
    throw new Error("stop");
  });
  const others = Array.from({ length: 8 }, (_, at) => agents.add({ name: `n${at}`, department: "d" }));
  const seen = agents.names();
  letGo();
  await assert.rejects(failing, /stop/);
  await Promise.all(others);
  assert.ok(!(await seen).includes("half"), "a statement beside it waited for its end");
  assert.equal((await agents.names()).length, 8);
});

test("a connection waits for another of its own process without stopping it", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  const [one, two] = [await openRegistry(path), await openRegistry(path)];
  context.after(() => Promise.all([one.close(), two.close()]));
  const held = one.write(async () => {
    await createAgentRepository(one).add({ name: "first", department: "d" });
    await sleep(100);
  });
  await createAgentRepository(two).add({ name: "second", department: "d" });
  await held;
  assert.deepEqual(await createAgentRepository(one).names(), ["first", "second"]);
});

test("a full disk is reported as that, and the write that met it leaves nothing behind", async (context) => {
  const database = await openRegistry(join(temporaryFolder(context), "registry.sqlite"));
  const pages =
    (await database.statement<{ page_count: number }>("PRAGMA page_count").get())?.page_count ?? 0;
  await database.statement(`PRAGMA max_page_count = ${pages + 1}`).get();
  const agents = createAgentRepository(database);
  const examples = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(500, "x"));
  const large = {
    name: "large",
    department: "d",
    description: "",
    capabilities: { examples },
    providerConfig: {},
  };
  await assert.rejects(() => agents.insertIfAbsent(large), { code: "DISK_FULL" });
  assert.deepEqual(await agents.list(), []);
  database.close();
});

test("a registry that nobody has open is read on a disk without a byte left, and names it to whoever writes", {
  skip: skipTmpfs(),
}, async (context) => {
  const folder = temporaryFolder(context);
  using disk = mountSmallDisk(folder, "4m");
  const [path, cachePath] = [join(folder, "registry.sqlite"), join(folder, "cache.sqlite")];
  const before = await openRegistry(path);
  const agent = { name: "a", department: "d", description: "", capabilities: {}, providerConfig: {} };
  await createAgentRepository(before).insertIfAbsent(agent);
  before.close();
  const warnings: string[] = [];
  const options = { maxBytes: 1e6, warn: (message: string) => void warnings.push(message) };
  (await openCache(cachePath, options))[Symbol.dispose]();
  disk.fill();
  for (const _ of ["once", "and again"]) {
    const registry = await openRegistry(path);
    const agents = createAgentRepository(registry);
    const names = async () => (await agents.list()).map(({ name }) => name);
    assert.deepEqual(await names(), ["a"]);
    await assert.rejects(() => agents.insertIfAbsent({ ...agent, name: "b" }), {
      code: "DISK_FULL",
      message: /registry\.sqlite/,
      hint: /free some space/,
    });
    assert.deepEqual(await names(), ["a"]);
    registry.close();
  }
  using cache = await openCache(cachePath, options);
  assert.equal(await cache.documents.get("0".repeat(64), "p"), undefined);
  await cache.documents.put("0".repeat(64), "p", { blocks: [] } as unknown as ParsedContent);
  assert.match(warnings.join(), /^the cache is switched off for this run: the disk is full/);
  assert.equal(warnings.length, 1);
  disk.empty();
  (await openRegistry(path)).close();
});

test("a registry that may not grow, as files have a limit, names itself and the limit", {
  skip: process.platform === "win32" && "no such limit",
}, async (context) => {
  const folder = temporaryFolder(context);
  const program = `
    const { openRegistry } = await import(${JSON.stringify(import.meta.resolve("../../src/registry/registry.ts"))});
    await openRegistry(process.argv[1]).catch(({ code, message, hint }) => console.log(code, message, hint));`;
  for (const blocks of [1, 8, 64]) {
    const typed = [process.execPath, "--input-type=module", "-e", program, join(folder, `${blocks}.sqlite`)];
    const { stdout } = await promisify(execFile)("sh", [
      "-c",
      `ulimit -f ${blocks}; exec "$@"`,
      "sh",
      ...typed,
    ]);
    assert.match(
      stdout,
      /^DISK_FULL the registry .* cannot be written \(.*\(ulimit -f\)/,
      `${blocks} blocks`,
    );
  }
});

test("a damaged registry names itself to whoever reads it without a transaction, and a backup as the way back", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  const whole = await openRegistry(path);
  whole.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(32_768, 0x5a), 0, 32_768, 12_288);
  closeSync(file);
  const damaged = await openRegistry(path);
  const refused = {
    code: "REGISTRY_CORRUPT",
    message: /registry\.sqlite/,
    hint: /^restore a backup: ragctl backup restore FOLDER --force/,
  };
  await assert.rejects(saveSnapshot(damaged, `${path}.copy`), refused);
  damaged.close();
});

test("a folder in the place of a registry is called one", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  mkdirSync(path);
  await assert.rejects(openRegistry(path), { code: "CONFIG_INVALID", message: /is a folder, not a file/ });
});

test("a registry that another process holds is said to be locked after two seconds, with what to do", async (context) => {
  const path = join(temporaryFolder(context), "registry.sqlite");
  (await openRegistry(path)).close();
  const registry = await openRegistry(path);
  const holder = new Sqlite(path);
  context.after(() => holder.close());
  holder.exec("BEGIN IMMEDIATE");
  const since = performance.now();
  await assert.rejects(() => registry.write(() => undefined), {
    code: "REGISTRY_BUSY",
    message: `the registry ${path} is locked by another process`,
    hint: /ragctl status.*fuser/,
  });
  const waitedMs = performance.now() - since;
  assert.ok(waitedMs > 1_500 && waitedMs < 8_000, `${waitedMs} ms`);
  holder.exec("COMMIT");
  await registry.write(() => undefined);
  registry.close();
  holder.pragma("journal_mode = DELETE");
  holder.exec("BEGIN EXCLUSIVE");
  await assert.rejects(openRegistry(path), { code: "REGISTRY_BUSY" });
});
