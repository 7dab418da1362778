// Runs SQLite in a separate process, because only ending its process stops a running statement.
import { Worker } from "node:worker_threads";
import type BetterSqlite3 from "better-sqlite3";
import { quoteName } from "../../tables/names.ts";
import type { Cell, LoadedTable, Rows } from "../../tables/schema.ts";
import { addFunctions } from "./functions.ts";
import type { DescribedTable, Description, OpenedTables, SqliteReply, SqliteRequest } from "./messages.ts";
import type { QueryLimits } from "./source.ts";

/** SQLite's memory limit in bytes; a statement that needs more fails. */
const heapBytes = 256 * 1024 * 1024;
/** Limits for listed texts of a column: their number, and their length in characters. */
const values = { count: 500, characters: 80 };
/** Most rows skipped to count those not returned. */
const countedRows = 100_000;

/**
 * Ends this process if a statement far exceeds its time, which only happens if no parent is left to end it.
 */
const deadline = new Float64Array(new SharedArrayBuffer(8));
const watch = `const { workerData } = require("node:worker_threads");
setInterval(() => { if (workerData[0] > 0 && Date.now() > workerData[0]) process.kill(process.pid, "SIGKILL"); }, 500);`;
new Worker(watch, { eval: true, workerData: deadline, env: {} }).unref();

const { default: Sqlite } = await import("better-sqlite3");
const state: { database?: BetterSqlite3.Database } = {};

function load(tables: readonly LoadedTable[], views: readonly string[]): BetterSqlite3.Database {
  const database = new Sqlite(":memory:");
  addFunctions(database);
  const kinds = {
    integer: "INTEGER",
    real: "REAL",
    text: "TEXT COLLATE NOCASE",
    date: "TEXT",
    other: "TEXT",
  };
  for (const table of tables) {
    const columns = table.columns.map(({ name, type }) => `${quoteName(name)} ${kinds[type]}`);
    database.exec(`CREATE TABLE ${quoteName(table.name)} (${columns.join(", ")})`);
    const names = ["rowid", ...table.columns.map(({ name }) => quoteName(name))];
    const insert = database.prepare(
      `INSERT INTO ${quoteName(table.name)} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    database.transaction(() => {
      for (const row of table.rows)
        insert.run(row.id, ...table.columns.map((_, index) => row.cells[index] ?? null));
    })();
  }
  for (const view of views) database.exec(view);
  return database;
}

function open(data: OpenedTables): null {
  state.database?.close();
  const database =
    "path" in data
      ? new Sqlite(data.path, { readonly: true, fileMustExist: true, timeout: 2000 })
      : load(data.tables, data.views ?? []);
  database.pragma("query_only = ON");
  database.pragma("trusted_schema = OFF");
  database.pragma("temp_store = MEMORY");
  database.pragma(`hard_heap_limit = ${heapBytes}`);
  state.database = database;
  return null;
}

function opened(): BetterSqlite3.Database {
  if (state.database === undefined) throw new Error("no database is open");
  return state.database;
}

function cell(value: unknown): Cell {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "bigint")
    return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : String(value);
  return value instanceof Uint8Array ? `(${value.byteLength} bytes)` : String(value);
}

function query(sql: string, limits: QueryLimits): Rows {
  const statement = opened().prepare<unknown[], unknown[]>(sql);
  if (!statement.reader || !statement.readonly) throw new Error("the statement does not only read");
  const rows: Cell[][] = [];
  const columns = statement.columns().map(({ name }) => name);
  let [omitted, bytes, cellsCut, omittedIsExact] = [0, 0, 0, true];
  for (const row of statement.raw().safeIntegers().iterate()) {
    if (rows.length >= limits.rows || bytes >= limits.bytes) {
      omitted += 1;
      if (omitted < countedRows) continue;
      omittedIsExact = false;
      break;
    }
    const cells = row.map((value) => {
      const read = cell(value);
      if (typeof read !== "string" || read.length <= limits.cellCharacters) return read;
      cellsCut += 1;
      return `${read.slice(0, limits.cellCharacters)}…`;
    });
    bytes += cells.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
    rows.push(cells);
  }
  return { columns, rows, omitted, omittedIsExact, cellsCut };
}

function describeTable(name: string, limits: QueryLimits): DescribedTable {
  const database = opened();
  const declared = database
    .prepare<unknown[], { name: string; type: string }>(
      "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1",
    )
    .all(name);
  const columns = declared.map((column) => {
    const distinct = `SELECT DISTINCT ${quoteName(column.name)} AS value FROM ${quoteName(name)} WHERE typeof(${quoteName(column.name)}) = 'text' AND length(${quoteName(column.name)}) BETWEEN 1 AND ${values.characters} LIMIT ${values.count}`;
    return {
      name: column.name,
      declared: column.type,
      values: database
        .prepare<unknown[], { value: string }>(distinct)
        .all()
        .map((row) => row.value),
    };
  });
  const rowCount =
    database.prepare<unknown[], { count: number }>(`SELECT count(*) AS count FROM ${quoteName(name)}`).get()
      ?.count ?? 0;
  const samples = query(`SELECT * FROM ${quoteName(name)} LIMIT 3`, { ...limits, rows: 3 }).rows;
  return { name, columns, rowCount, samples };
}

function describe(wanted: readonly string[], limits: QueryLimits): Description {
  const names = opened()
    .prepare<unknown[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .all();
  const tables: DescribedTable[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const { name } of names) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    try {
      tables.push(describeTable(name, limits));
    } catch (error) {
      skipped.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { tables, skipped };
}

const work = (request: SqliteRequest): Extract<SqliteReply, { readonly value: unknown }>["value"] => {
  if (request.kind === "open") return open(request.data);
  return request.kind === "describe"
    ? describe(request.tables, request.limits)
    : query(request.sql, request.limits);
};

process.on("disconnect", () => process.exit(0));
process.on("message", (message) => {
  // Only the parent sends messages, in this protocol.
  const request = message as SqliteRequest;
  const reply = (answer: SqliteReply): void => void process.send?.(answer);
  deadline[0] = Date.now() + request.limits.timeoutMs + 2000;
  try {
    reply({ id: request.id, value: work(request) });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    reply({
      id: request.id,
      error: { message: error instanceof Error ? error.message : String(error), code },
    });
  } finally {
    deadline[0] = 0;
  }
});
