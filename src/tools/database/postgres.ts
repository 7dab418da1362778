import type { Client } from "pg";
import { RagctlError } from "../../core/errors.ts";
import { trimEndOf } from "../../core/text.ts";
import { quoteName } from "../../tables/names.ts";
import type { Cell, Rows, TableSchema } from "../../tables/schema.ts";
import type { QueryLimits, SqlSource } from "./source.ts";
import { columnType } from "./sqlite-source.ts";

export interface PostgresSettings {
  /** `postgresql://user:password@host:port/database`; never shown. */
  readonly url: string;
  readonly schemaName: string;
  /** Tables that may be queried; empty: all of the schema. */
  readonly tables: readonly string[];
}

const connectMs = 5000;
/** Limits for reading the table descriptions. */
const schemaLimits: QueryLimits = { rows: 3, timeoutMs: 5000, bytes: 100_000, cellCharacters: 80 };
/** The extended protocol accepts only one statement, whatever the text. */
const oneStatement = { queryMode: "extended" } as const;

/** The database's name, for errors and sources. */
const nameOf = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1)) || "postgresql";

function cell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "string") return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `(${value.byteLength} bytes)`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** PostgreSQL sends numbers as text; those that lose no digits are converted. */
function numberOf(value: Cell, typeId: number): Cell {
  if (typeof value !== "string" || ![20, 1700].includes(typeId) || !/^-?[\d.]+$/.test(value)) return value;
  const plain = value.includes(".") ? trimEndOf(trimEndOf(value, /0/), /\./) : value;
  return plain.replace(/^-?0*|\./g, "").length <= 15 ? Number(plain) : value;
}

function failure(name: string, cause: unknown, timeoutMs: number): RagctlError {
  if (cause instanceof RagctlError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const detail = cause instanceof Error ? cause.message : String(cause);
  if (code === "57014")
    return new RagctlError(
      "TOOL_TIMEOUT",
      `the query on ${name} took longer than ${timeoutMs} ms and was ended`,
      {
        hint: "ask about fewer rows, or raise timeout_ms of the tool",
        cause,
      },
    );
  if (["25006", "42501", "0A000"].includes(code))
    return new RagctlError("TOOL_REFUSED", `${name} refused the query (${detail})`, {
      hint: "ask a question that only reads, or grant SELECT on the table to the user of the tool's url",
      cause,
    });
  if (/^(42|22)/.test(code))
    return new RagctlError("TOOL_INVALID", `${name} does not take the SQL (${detail})`, {
      hint: "ask in other words, naming the column",
      cause,
    });
  return new RagctlError("TOOL_FAILED", `the database ${name} cannot be asked (${detail})`, {
    hint: "check that it runs and that the address and the password of the tool are right",
    cause,
  });
}

/** Runs `work` in a read-only transaction with a time limit that the server enforces. */
async function within<T>(
  { url, schemaName }: PostgresSettings,
  limits: QueryLimits,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { default: pg } = await import("pg");
  signal.throwIfAborted();
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: limits.timeoutMs + 1000,
    application_name: "ragctl",
    // Read-only even if a statement managed to end the transaction.
    options: "-c default_transaction_read_only=on",
  });
  client.on("error", () => {});
  const stop = (): void => void client.end().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
    await client.query("BEGIN");
    await client.query("SET TRANSACTION READ ONLY");
    await client.query(`SET LOCAL statement_timeout = ${Math.round(limits.timeoutMs)}`);
    await client.query(`SET LOCAL search_path = ${quoteName(schemaName)}, pg_catalog`);
    const result = await work(client);
    await client.query("ROLLBACK");
    return result;
  } catch (cause) {
    signal.throwIfAborted();
    throw failure(nameOf(url), cause, limits.timeoutMs);
  } finally {
    signal.removeEventListener("abort", stop);
    await client.end().catch(() => {});
  }
}

async function query(client: Client, sql: string, limits: QueryLimits): Promise<Rows> {
  const result = await client.query<unknown[]>({
    text: `SELECT * FROM (${sql}) AS answer LIMIT ${limits.rows + 1}`,
    rowMode: "array",
    ...oneStatement,
  });
  let [bytes, cellsCut] = [0, 0];
  const rows: Cell[][] = [];
  for (const row of result.rows.slice(0, limits.rows)) {
    if (bytes >= limits.bytes) break;
    const cells = row.map((value, index) => {
      const read = numberOf(cell(value), result.fields[index]?.dataTypeID ?? 0);
      if (typeof read !== "string" || read.length <= limits.cellCharacters) return read;
      cellsCut += 1;
      return `${read.slice(0, limits.cellCharacters)}…`;
    });
    bytes += cells.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
    rows.push(cells);
  }
  const cut = rows.length < result.rows.length;
  const counted = cut
    ? await client.query<{ count: string }>(`SELECT count(*) AS count FROM (${sql}) AS answer`)
    : undefined;
  const omitted = cut ? Number(counted?.rows[0]?.count ?? 0) - rows.length : 0;
  return {
    columns: result.fields.map((field) => field.name),
    rows,
    omitted,
    omittedIsExact: true,
    cellsCut,
  };
}

async function describeTable(
  client: Client,
  table: string,
  declared: readonly { readonly column_name: string; readonly data_type: string }[],
): Promise<TableSchema> {
  const samples = await query(client, `SELECT * FROM ${quoteName(table)} LIMIT 3`, schemaLimits);
  const count = await client.query<{ count: string }>(`SELECT count(*) AS count FROM ${quoteName(table)}`);
  const columns: TableSchema["columns"][number][] = [];
  for (const { column_name, data_type } of declared) {
    const type = data_type === "interval" || data_type === "point" ? "other" : columnType(data_type);
    const distinct = `SELECT DISTINCT ${quoteName(column_name)} AS value FROM ${quoteName(table)} WHERE length(${quoteName(column_name)}) BETWEEN 1 AND 80 LIMIT 500`;
    const values =
      type === "text" ? (await client.query<{ value: string }>(distinct)).rows.map((row) => row.value) : [];
    columns.push({ name: column_name, title: column_name, type, unit: "", values });
  }
  return {
    name: table,
    title: table,
    columns,
    rowCount: Number(count.rows[0]?.count ?? 0),
    samples: samples.rows,
  };
}

async function describe(
  client: Client,
  { schemaName, tables: wanted }: PostgresSettings,
  skip: Parameters<SqlSource["schema"]>[1],
): Promise<readonly TableSchema[]> {
  const listed = await client.query<{ table_name: string; column_name: string; data_type: string }>(
    "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = $1 ORDER BY table_name, ordinal_position",
    [schemaName],
  );
  const byTable = Map.groupBy(listed.rows, (row) => row.table_name);
  const tables: TableSchema[] = [];
  for (const [table, declared] of byTable) {
    if (wanted.length > 0 && !wanted.includes(table)) continue;
    // A failed statement aborts the transaction unless it rolls back to a savepoint.
    await client.query("SAVEPOINT described");
    try {
      tables.push(await describeTable(client, table, declared));
    } catch (error) {
      await client.query("ROLLBACK TO SAVEPOINT described");
      skip(table, error instanceof Error ? error.message : String(error));
    }
  }
  return tables;
}

/** A PostgreSQL database, queried in read-only transactions with a time limit that the server enforces. */
export function postgresSource(settings: PostgresSettings): SqlSource {
  const name = nameOf(settings.url);
  return {
    dialect: "postgresql",
    name,
    schema: (signal, skip) =>
      within(settings, schemaLimits, signal, (client) => describe(client, settings, skip)),
    query: (sql, limits, signal) => within(settings, limits, signal, (client) => query(client, sql, limits)),
    provenance: async (sql, used) => [{ source: name, section: sql, details: { tables: used } }],
    async [Symbol.asyncDispose]() {},
  };
}
