import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import Sqlite from "better-sqlite3";
import open from "../../../src/tools/database/database-query.ts";
import { openSqlite } from "../../../src/tools/database/sqlite.ts";
import { callOf, drivers, run, scriptedModel } from "../support.ts";

const limits = { rows: 5, timeoutMs: 3000, bytes: 100_000, cellCharacters: 50 };
const { signal } = new AbortController();
const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c";

describe("a SQLite file", () => {
  let folder = "";
  let path = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "ragctl-sql-"));
    path = join(folder, "plant.sqlite");
    const database = new Sqlite(path);
    database.exec("CREATE TABLE valve (name TEXT, bore REAL, note TEXT)");
    const insert = database.prepare("INSERT INTO valve VALUES (?, ?, ?)");
    for (let index = 1; index <= 40; index += 1)
      insert.run(`V-${index}`, index / 2, "x".repeat(index === 1 ? 500 : 3));
    database.close();
  });
  after(() => rm(folder, { recursive: true }));

  it("is answered within row and cell limits, what was left out being counted", async () => {
    await using sqlite = openSqlite("plant", { path });
    const result = await sqlite.query("SELECT name, note FROM valve", limits, signal);
    assert.equal(result.rows.length, 5);
    assert.equal(result.omitted, 35);
    assert.equal(result.cellsCut, 1);
    assert.equal(String(result.rows[0]?.[1]).length, 51);
    const small = await sqlite.query(
      "SELECT name, note FROM valve",
      { ...limits, rows: 100, bytes: 40 },
      signal,
    );
    assert.ok(small.rows.length < 10 && small.rows.length + small.omitted === 40);
  });

  it("ends a statement that loops forever at its limit and answers the next one", async () => {
    await using sqlite = openSqlite("plant", { path });
    const started = performance.now();
    await sqlite.query("SELECT 1", limits, signal);
    for (const sql of [endless, `${endless.slice(0, endless.indexOf("count"))}group_concat(x) FROM c`]) {
      await assert.rejects(sqlite.query(sql, { ...limits, timeoutMs: 300 }, signal), (error) =>
        /^TOOL_(TIMEOUT|REFUSED)$/.test(String(Object(error).code)),
      );
    }
    assert.ok(performance.now() - started < 15_000);
    assert.deepEqual((await sqlite.query("SELECT count(*) FROM valve", limits, signal)).rows, [[40]]);
  });

  it("ends a statement when its run is aborted", async () => {
    await using sqlite = openSqlite("plant", { path });
    const controller = new AbortController();
    const asked = sqlite.query(endless, { ...limits, timeoutMs: 60_000 }, controller.signal);
    setTimeout(() => controller.abort(new Error("enough")), 400);
    await assert.rejects(asked, /enough/);
  });

  it("cannot be written even past the guard", async () => {
    await using sqlite = openSqlite("plant", { path });
    const before = await readFile(path);
    for (const sql of [
      "DELETE FROM valve",
      "ATTACH 'other.sqlite' AS o",
      "INSERT INTO valve VALUES (1, 2, 3) RETURNING name",
      "VACUUM",
      "PRAGMA query_only = OFF",
      "CREATE TEMP TABLE t (a)",
      "SELECT 1; DELETE FROM valve",
    ]) {
      await assert.rejects(
        sqlite
          .query(sql, limits, signal)
          .then(() =>
            Promise.reject(
              Object.assign(new Error("ran"), { code: sql.startsWith("PRAGMA") ? "TOOL_INVALID" : "RAN" }),
            ),
          ),
        { code: "TOOL_INVALID" },
        sql,
      );
    }
    assert.deepEqual(await readFile(path), before);
  });

  it("is asked by templates, and by a model whose endless SQL ends at the time limit", async () => {
    const row = {
      name: "Plant",
      type: "database_query",
      config: { path, row_limit: 3, timeout_ms: 700 },
      permissions: {},
    } as const;
    await using plain = await open(row, drivers());
    const { data, findings } = await plain.call(
      callOf("Plant", "database_query"),
      "What is the bore of V-7?",
      run(),
    );
    assert.deepEqual(data["rows"], [[3.5]]);
    assert.deepEqual([findings[0]?.source, findings[0]?.section], ["plant.sqlite", data["sql"]]);
    await using looping = await open(row, drivers({ model: scriptedModel(endless) }));
    await assert.rejects(looping.call(callOf("Plant", "database_query"), "Which ones leak?", run()), {
      code: "TOOL_TIMEOUT",
    });
  });

  it("is answered beside a view that cannot be read, which is named, and of the tables it is limited to alone", async () => {
    const broken = join(folder, "broken.sqlite");
    const database = new Sqlite(broken);
    database.exec("CREATE TABLE valve (name TEXT, bore REAL); INSERT INTO valve VALUES ('V-7', 3.5)");
    database.exec(
      "CREATE VIEW unsafe AS SELECT load_extension(name) AS x FROM valve; CREATE TABLE other (a); CREATE VIEW stale AS SELECT a FROM other",
    );
    database.exec("DROP TABLE other");
    database.close();
    const warned: string[] = [];
    const asking = {
      ...run(),
      log: { event: () => undefined, warn: (message: string) => void warned.push(message) },
    };
    const ask = async (config: Record<string, unknown>) => {
      await using tool = await open(
        { name: "Plant", type: "database_query", config: { path: broken, ...config }, permissions: {} },
        drivers(),
      );
      return (await tool.call(callOf("Plant", "database_query"), "What is the bore of V-7?", asking)).data[
        "rows"
      ];
    };
    assert.deepEqual(await ask({ tables: ["valve"] }), [[3.5]]);
    assert.deepEqual(warned, []);
    assert.deepEqual(await ask({}), [[3.5]]);
    assert.deepEqual(
      warned.map((message) => /^Plant: (\w+) in broken\.sqlite skipped: /.exec(message)?.[1]),
      ["unsafe", "stale"],
    );
    await assert.rejects(ask({ tables: ["unsafe"] }), {
      code: "TOOL_FAILED",
      message: /no tables to query; unsafe cannot be read \(/,
    });
  });

  it("is asked by templates though tables and columns are called by words of SQL", async () => {
    const reserved = join(folder, "reserved.sqlite");
    const database = new Sqlite(reserved);
    database.exec(`CREATE TABLE "order" (name TEXT, "group" TEXT, weight REAL)`);
    database.exec(`INSERT INTO "order" VALUES ('A-1', 'north', 2.5), ('A-2', 'south', 4)`);
    database.close();
    await using tool = await open(
      { name: "Orders", type: "database_query", config: { path: reserved }, permissions: {} },
      drivers(),
    );
    const ask = async (question: string) =>
      (await tool.call(callOf("Orders", "database_query"), question, run())).data["rows"];
    assert.deepEqual(await ask("How many orders are there?"), [[2]]);
    assert.deepEqual(await ask("What is the group of A-2?"), [["south"]]);
  });

  it("names a file that is missing or no database, and a config that cannot be", async () => {
    const at = (config: Record<string, unknown>) => ({
      name: "Plant",
      type: "database_query" as const,
      config,
      permissions: {},
    });
    for (const missing of [join(folder, "none.sqlite"), import.meta.filename]) {
      await using tool = await open(at({ path: missing }), drivers());
      await assert.rejects(tool.call(callOf("Plant", "database_query"), "How many valves?", run()), {
        code: "TOOL_FAILED",
        message: /cannot be read/,
      });
    }
    await assert.rejects(open(at({ path, url: "postgresql://h/d" }), drivers()), {
      code: "CONFIG_INVALID",
      message: /Plant: config/,
    });
    await assert.rejects(open(at({ path, read_only: false }), drivers()), {
      code: "CONFIG_INVALID",
      message: /config.read_only/,
    });
    await assert.rejects(open(at({ url_secret: "ABSENT" }), drivers()), {
      code: "CONFIG_INVALID",
      message: /ABSENT/,
    });
  });
});
