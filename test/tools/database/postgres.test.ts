import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import open from "../../../src/tools/database/database-query.ts";
import { postgresSource } from "../../../src/tools/database/postgres.ts";
import { callOf, drivers, run } from "../support.ts";

// A database that tests may write into, e.g. postgresql://user@localhost/test
const url = process.env["RAGCTL_TEST_POSTGRES_URL"];
const limits = { rows: 3, timeoutMs: 1000, bytes: 100_000, cellCharacters: 50 };
const { signal } = new AbortController();

describe("a PostgreSQL database", {
  skip: url === undefined ? "RAGCTL_TEST_POSTGRES_URL names no server" : false,
}, () => {
  const address = url ?? "";
  const admin = new pg.Client({ connectionString: address });
  before(async () => {
    await admin.connect();
    await admin.query(
      "DROP SCHEMA IF EXISTS ragctl_test CASCADE; CREATE SCHEMA ragctl_test; CREATE TABLE ragctl_test.valve (name text, bore numeric, amount bigint, bought date); CREATE TABLE ragctl_test.secrets (word text)",
    );
    await admin.query(
      "INSERT INTO ragctl_test.valve SELECT 'V-' || i, i / 2.0, i, date '2024-01-01' + i FROM generate_series(1, 10) AS i",
    );
  });
  after(async () => {
    await admin.query("DROP SCHEMA ragctl_test CASCADE");
    await admin.end();
  });

  it("is described, and answered within its row limit", async () => {
    await using source = postgresSource({ url: address, schemaName: "ragctl_test", tables: ["valve"] });
    const [table, ...others] = await source.schema(signal, () => undefined);
    assert.equal(others.length, 0);
    assert.deepEqual(
      table?.columns.map(({ name, type }) => [name, type]),
      [
        ["name", "text"],
        ["bore", "real"],
        ["amount", "integer"],
        ["bought", "date"],
      ],
    );
    const rows = await source.query("SELECT name, bore, amount FROM valve ORDER BY amount", limits, signal);
    assert.deepEqual([rows.rows[0], rows.rows.length, rows.omitted], [["V-1", 0.5, 1], 3, 7]);
  });

  it("cannot be written even past the guard, and ends what takes too long", async () => {
    await using source = postgresSource({ url: address, schemaName: "ragctl_test", tables: [] });
    for (const sql of [
      "DELETE FROM valve RETURNING name",
      "WITH d AS (DELETE FROM valve RETURNING name) SELECT * FROM d",
      "SELECT 1) AS a; DELETE FROM ragctl_test.valve; SELECT (1",
      "SELECT 1) AS a; COMMIT; DELETE FROM ragctl_test.valve; SELECT (1",
    ]) {
      await assert.rejects(
        source.query(sql, limits, signal),
        (error) => /^TOOL_(INVALID|REFUSED)$/.test(String(Object(error).code)),
        sql,
      );
    }
    assert.equal((await admin.query("SELECT * FROM ragctl_test.valve")).rowCount, 10);
    await assert.rejects(source.query("SELECT pg_sleep(20)", limits, signal), { code: "TOOL_TIMEOUT" });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 200);
    await assert.rejects(
      source.query("SELECT pg_sleep(20)", { ...limits, timeoutMs: 20_000 }, controller.signal),
      /enough/,
    );
  });

  it("is asked by templates through the tool, with its address kept secret", async () => {
    const config = { url_secret: "PLANT_URL", schema: "ragctl_test", tables: ["valve"] };
    await using tool = await open(
      { name: "Plant", type: "database_query", config, permissions: {} },
      drivers({ secret: (name) => (name === "PLANT_URL" ? address : undefined) }),
    );
    const { data, findings } = await tool.call(
      callOf("Plant", "database_query"),
      "What is the average bore of the valves?",
      run(),
    );
    assert.deepEqual(data["rows"], [[2.75]]);
    assert.ok(!JSON.stringify([data, findings]).includes(address));
  });
});

describe("a PostgreSQL address where nothing answers", () => {
  it("is named by its database, never by its password", async () => {
    await using source = postgresSource({
      url: "postgresql://reader:s3cret@127.0.0.1:9/plant",
      schemaName: "public",
      tables: [],
    });
    await assert.rejects(
      source.schema(signal, () => undefined),
      (error) => {
        assert.equal(Object(error).code, "TOOL_FAILED");
        assert.match(String(Object(error).message), /plant/);
        assert.doesNotMatch(String(Object(error).message), /s3cret/);
        return true;
      },
    );
  });
});
