import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { guardSelect } from "../../../src/tools/database/guard.ts";

const tables = ["pumps", "orders"];

describe("the SQL guard", () => {
  it("lets SELECT and WITH … SELECT over known tables through and names the tables", () => {
    for (const sql of [
      "SELECT * FROM pumps",
      "select count(*), upper(p.name) from pumps as p join orders o on o.pump = p.name where p.pressure > 10 and o.item in (select item from orders) group by 2 having count(*) > 1 order by 1 limit 3;",
      "WITH big AS (SELECT name FROM pumps WHERE pressure > 100) SELECT count(*) FROM big",
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < 9) SELECT max(x) FROM c",
      "SELECT name FROM pumps UNION SELECT pump FROM orders",
      "SELECT CASE WHEN pressure > 1 THEN 'a;--b' ELSE NULL END FROM pumps",
      "SELECT CAST(pressure AS INTEGER) FROM main.pumps",
    ]) {
      assert.doesNotThrow(() => guardSelect(sql, "sqlite", tables), sql);
    }
    assert.deepEqual(guardSelect("SELECT (SELECT max(x) FROM ORDERS) FROM Pumps", "sqlite", tables).tables.toSorted(), ["orders", "pumps"]);
    assert.doesNotThrow(() => guardSelect("SELECT a::text, extract(year FROM d) FROM public.pumps", "postgresql", tables));
  });

  it("takes a table by the name of its own schema only", () => {
    assert.doesNotThrow(() => guardSelect("SELECT * FROM reporting.pumps", "postgresql", tables, "reporting"));
    assert.throws(() => guardSelect("SELECT * FROM public.pumps", "postgresql", tables, "reporting"), { code: "TOOL_REFUSED" });
  });

  it("reads a string where the database ends it, whatever stands before its quotation mark", () => {
    const hidden = "SELECT 'a\\', (SELECT x FROM secrets), ' FROM pumps -- ' FROM pumps";
    for (const dialect of ["sqlite", "postgresql"] as const)
      assert.throws(() => guardSelect(hidden, dialect, tables), { code: "TOOL_REFUSED" }, dialect);
    assert.doesNotThrow(() => guardSelect("SELECT * FROM pumps WHERE path = 'C:\\data'", "sqlite", tables));
  });

  const refused: readonly (readonly ["sqlite" | "postgresql", string])[] = [
    ...[
      "DELETE FROM pumps",
      "UPDATE pumps SET a = 1",
      "INSERT INTO pumps VALUES (1)",
      "REPLACE INTO pumps VALUES (1)",
      "DROP TABLE pumps",
      "CREATE TABLE x (a)",
      "ALTER TABLE pumps ADD b",
      "ATTACH DATABASE '/tmp/x' AS x",
      "DETACH x",
      "PRAGMA table_info(pumps)",
      "PRAGMA writable_schema = 1",
      "VACUUM INTO '/tmp/x'",
      "REINDEX",
      "EXPLAIN SELECT * FROM pumps",
      "BEGIN",
      "SELECT 1; DROP TABLE pumps",
      "SELECT 1 /* x */ FROM pumps",
      "SELECT 1 FROM pumps -- x",
      "SELECT 1 FROM pumps # x",
      "SELECT 'a\\', (SELECT x FROM secrets), ' FROM pumps -- ' FROM pumps",
      "SELECT load_extension('x')",
      "SELECT readfile('/etc/passwd')",
      "SELECT writefile('/tmp/x', 'y')",
      "SELECT randomblob(1000000000)",
      "SELECT zeroblob(1000000000)",
      "SELECT printf('%1000000000d', 1)",
      "SELECT hex(name) FROM pumps",
      "SELECT * FROM sqlite_master",
      "SELECT * FROM sqlite_schema",
      "SELECT * FROM secrets",
      "SELECT * FROM pragma_table_info('pumps')",
      "SELECT * FROM pumps, json_each('[1]')",
      "SELECT * FROM temp.pumps",
      "WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets",
      "SELECT * FROM pumps WHERE 1 IN (WITH secrets AS (SELECT 1) SELECT 1 FROM secrets) AND 2 IN (SELECT a FROM secrets)",
      "WITH d AS (DELETE FROM pumps RETURNING *) SELECT * FROM d",
      "",
      "this is no SQL",
      "SELECT",
      "SELECT * FROM pumps WHERE name = '\0'",
      `SELECT '${"x".repeat(5000)}' FROM pumps`,
    ].map((sql) => ["sqlite", sql] as const),
    ...[
      "SELECT pg_sleep(10)",
      "SELECT pg_catalog.pg_sleep(1)",
      "SELECT pg_read_file('/etc/passwd')",
      "SELECT * FROM pg_read_file('/etc/passwd')",
      "SELECT lo_import('/etc/passwd')",
      "SELECT current_setting('x')",
      "SELECT set_config('a', 'b', false)",
      "SELECT * FROM pg_authid",
      "SELECT * FROM information_schema.tables",
      "WITH pg_authid AS (SELECT * FROM pg_authid) SELECT * FROM pg_authid",
      "SELECT a INTO b FROM pumps",
      "SELECT a FROM pumps FOR UPDATE",
      "COPY pumps TO '/tmp/x'",
      "SET ROLE postgres",
      "DO 'x'",
      "TABLE pumps",
      "SELECT query_to_xml('delete from pumps', true, true, '')",
      "SELECT repeat('x', 1000000000) FROM pumps",
    ].map((sql) => ["postgresql", sql] as const),
  ];
  it("refuses everything that writes, attaches, configures, reads files, waits or looks elsewhere", () => {
    for (const [dialect, sql] of refused) {
      assert.throws(
        () => guardSelect(sql, dialect, tables),
        (error) => /^TOOL_(REFUSED|INVALID)$/.test(String(Object(error).code)),
        `${dialect}: ${sql}`,
      );
    }
  });

  it("answers any text with a checked SELECT or one of its own errors", () => {
    const words = fc.constantFrom(
      ..."SELECT FROM pumps secrets WHERE WITH AS ( ) , * ; -- ' \" 1 = UNION INTO DELETE name IN UPDATE /* */ x".split(" "),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 14 }), (parts) => {
        try {
          const { tables: used } = guardSelect(parts.join(" "), "sqlite", tables);
          assert.ok(used.every((name) => tables.includes(name)));
        } catch (error) {
          assert.match(String(Object(error).code), /^TOOL_(REFUSED|INVALID)$/, String(error));
        }
      }),
      { numRuns: 400 },
    );
  });
});
