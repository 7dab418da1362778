import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Sqlite from "better-sqlite3";
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
    assert.deepEqual(
      guardSelect("SELECT (SELECT max(x) FROM ORDERS) FROM Pumps", "sqlite", tables).tables.toSorted(),
      ["orders", "pumps"],
    );
    assert.doesNotThrow(() =>
      guardSelect("SELECT a::text, extract(year FROM d) FROM public.pumps", "postgresql", tables),
    );
  });

  it("takes a table by the name of its own schema only", () => {
    assert.doesNotThrow(() =>
      guardSelect("SELECT * FROM reporting.pumps", "postgresql", tables, "reporting"),
    );
    assert.throws(() => guardSelect("SELECT * FROM public.pumps", "postgresql", tables, "reporting"), {
      code: "TOOL_REFUSED",
    });
  });

  it("reads a string where the database ends it, whatever stands before its quotation mark", () => {
    const hidden = "SELECT 'a\\', (SELECT x FROM secrets), ' FROM pumps -- ' FROM pumps";
    for (const dialect of ["sqlite", "postgresql"] as const)
      assert.throws(() => guardSelect(hidden, dialect, tables), { code: "TOOL_REFUSED" }, dialect);
    assert.doesNotThrow(() => guardSelect("SELECT * FROM pumps WHERE path = 'C:\\data'", "sqlite", tables));
  });

  it("refuses a table as the right side of IN, and casts to what names a table", () => {
    for (const sql of [
      `select 'HUNTER2' in "secret" as hit from pumps`,
      `select 1 from pumps where name not in "secret"`,
      "select 1 from pumps where name in `secret`",
      "select 1 from pumps where name in pumps",
      `select (1, 'HUNTER3') in "secret" from pumps`,
    ])
      assert.throws(() => guardSelect(sql, "sqlite", tables), { code: /TOOL_REFUSED|TOOL_INVALID/ }, sql);
    for (const type of ["regclass", "regproc", "regrole", "oid", "pg_lsn", "xml"]) {
      assert.throws(
        () => guardSelect(`select cast('secret' as ${type}) from pumps`, "postgresql", tables),
        { code: /TOOL_/ },
        type,
      );
      assert.throws(
        () => guardSelect(`select 'secret'::${type} from pumps`, "postgresql", tables),
        { code: /TOOL_/ },
        type,
      );
    }
    for (const type of [
      "int",
      "bigint",
      "text",
      "varchar(10)",
      "numeric(10,2)",
      "double precision",
      "date",
      "timestamp",
      "boolean",
    ])
      assert.doesNotThrow(
        () =>
          guardSelect(
            `select cast(name as ${type}) from pumps where name in ('a', 'b')`,
            "postgresql",
            tables,
          ),
        type,
      );
  });

  it("gives the statement to run from its tree, which passes the guard again and asks the same", () => {
    const database = new Sqlite(":memory:");
    database.exec(
      "CREATE TABLE pumps (name TEXT, pressure REAL); CREATE TABLE orders (pump TEXT, item TEXT)",
    );
    database.exec(
      "INSERT INTO pumps VALUES ('P-1', 10), ('P-2', 20), ('it''s', NULL); INSERT INTO orders VALUES ('P-1', 'a'), ('P-2', 'b')",
    );
    for (const sql of [
      "SELECT * FROM pumps",
      "SELECT DISTINCT name FROM Pumps WHERE name LIKE 'P%' OR name = 'it''s' ORDER BY name DESC LIMIT 2 OFFSET 1",
      "SELECT count(*), upper(p.name) FROM pumps AS p JOIN orders o ON o.pump = p.name WHERE p.pressure > 1 AND o.item IN (SELECT item FROM orders) GROUP BY 2 HAVING count(*) > 0 ORDER BY 1",
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT max(x) FROM c",
      "SELECT CASE WHEN pressure > 10 THEN 'a;--b' ELSE NULL END AS Kind FROM pumps ORDER BY Kind",
      "SELECT max(pressure) - min(pressure) * 2 AS d, avg(pressure), -1.5e3, 0.1 FROM pumps WHERE (pressure > 3 OR name <> 'x') AND pressure IS NOT NULL",
      "SELECT name || '-' || substr(name, 1, 2), row_number() OVER (PARTITION BY name ORDER BY pressure DESC) FROM pumps",
      "SELECT name FROM pumps WHERE pressure = (SELECT max(pressure) FROM pumps) UNION SELECT pump FROM orders WHERE item NOT IN ('a')",
      "SELECT cast(pressure AS INTEGER), count(DISTINCT name) FROM main.pumps WHERE pressure BETWEEN 5 AND 15",
    ]) {
      const guarded = guardSelect(sql, "sqlite", tables);
      assert.equal(guarded.sql, sql);
      assert.deepEqual(
        database.prepare(guarded.run).raw().all(),
        database.prepare(sql).raw().all(),
        guarded.run,
      );
      assert.equal(guardSelect(guarded.run, "sqlite", tables).run, guarded.run);
    }
    database.close();
  });

  it("names what PostgreSQL would find: aliases in small letters unless they were quoted, tables as the schema has them", () => {
    const run = (sql: string, known = tables) => guardSelect(sql, "postgresql", known).run;
    assert.equal(
      run("SELECT count(*) AS Total FROM PUMPS P WHERE P.x > 1 ORDER BY Total"),
      'SELECT COUNT(*) AS "total" FROM "pumps" AS "p" WHERE "p".x > 1 ORDER BY Total ASC',
    );
    assert.equal(
      run('SELECT "P"."X" AS "Total" FROM pumps "P"'),
      'SELECT "P"."X" AS "Total" FROM "pumps" AS "P"',
    );
    assert.equal(run("SELECT Pumps.x FROM Pumps", ["Pumps"]), 'SELECT "Pumps".x FROM "Pumps"');
    assert.equal(
      run("WITH Big AS (SELECT x FROM pumps) SELECT big.x FROM BIG"),
      'WITH "big" AS (SELECT x FROM "pumps") SELECT "big".x FROM "big"',
    );
    assert.equal(run("SELECT DISTINCT x FROM pumps"), 'SELECT DISTINCT x FROM "pumps"');
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
      ..."SELECT FROM pumps secrets WHERE WITH AS ( ) , * ; -- ' \" 1 = UNION INTO DELETE name IN UPDATE /* */ x".split(
        " ",
      ),
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
