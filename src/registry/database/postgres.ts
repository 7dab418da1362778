import { RagctlError } from "../../core/errors.ts";
import type { Database, PreparedStatement } from "../database.ts";
import { type PostgresAddress, parsePostgresAddress, placeOf } from "./address.ts";
import { bindParameters, translate } from "./dialect.ts";
import { createConnection, rowsOf, type Sending } from "./postgres-connection.ts";
import type { Query } from "./postgres-protocol.ts";
import { createQueryCache, type Memory } from "./postgres-query-cache.ts";
import {
  migrate,
  type PostgresOptions,
  relationsOf,
  type Script,
  schemaProblems,
  trackedTables,
} from "./postgres-schema.ts";
import { createReadSnapshots } from "./postgres-snapshots.ts";
import { type Link, startPostgresThread } from "./postgres-thread.ts";

/** The oldest server whose SQL this is: `gen_random_uuid()`. */
const oldestVersion = 130_000;

/**
 * Opens a registry in a schema of a PostgreSQL server, makes it when missing and brings it up to date; many
 * machines may do so at once. Connecting does not block this thread; every statement does, until the server
 * has answered.
 * @throws REGISTRY_UNAVAILABLE, REGISTRY_BUSY, DISK_FULL, and CONFIG_INVALID for an address that is wrong and
 *   a schema that is newer, foreign or not writable
 */
export async function openPostgres(text: string, options: PostgresOptions): Promise<Database> {
  const address = parsePostgresAddress(text);
  const { busyTimeoutMs = 10_000, statementTimeoutMs = 60_000 } = options;
  const link = startPostgresThread({
    address,
    limits: { lockMs: busyTimeoutMs, statementMs: statementTimeoutMs },
  });
  try {
    return await opened(link, address, options);
  } catch (error) {
    link.close();
    throw error;
  }
}

async function opened(link: Link, address: PostgresAddress, options: PostgresOptions): Promise<Database> {
  const place = placeOf(address);
  const first = await link.later({
    type: "query",
    name: "version",
    text: "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
    values: [],
    again: false,
  });
  const [server] = rowsOf<{ version: string; number: number }>(first, place);
  const version = `PostgreSQL ${server?.version.split(" ")[0] ?? ""}`;
  if ((server?.number ?? 0) < oldestVersion)
    throw new RagctlError("CONFIG_INVALID", `the registry ${place} runs on ${version}, which is too old`, {
      hint: `use a server of version ${oldestVersion / 10_000} or newer`,
    });
  const memory = createQueryCache();
  const questions = createReadSnapshots(link, memory, place);
  const sending = createConnection(link, memory, place, questions.isCurrent);
  const script = scriptOf(sending);
  migrate(script, { ...options, schema: address.schema, place });
  memory.watch(relationsOf(script, address.schema), trackedTables(script, address.schema));
  return {
    kind: "postgresql",
    place,
    version: () => version,
    ...statementsOf(memory, sending),
    current: questions.current,
    refresh: questions.refresh,
    check: () => schemaProblems(script, address.schema),
    close: () => link.close(),
    [Symbol.dispose]: () => link.close(),
  };
}

function scriptOf({ rows, script, transaction }: Sending): Script {
  return {
    rows: <Row>(text: string) => rows({ name: "", text, values: [] }, false) as readonly Row[],
    run: script,
    write: (work) => transaction("write", work),
  };
}

type Statements = Pick<Database, "now" | "statement" | "read" | "write" | "writeBehind" | "post">;

function statementsOf(memory: Memory, sending: Sending): Statements {
  const { within, transaction } = sending;
  const statements = new Map<string, Prepared>();
  const known = (sql: string): Prepared => {
    const statement = statements.get(sql) ?? prepared(sql, `r${statements.size}`, memory, sending);
    statements.set(sql, statement);
    return statement;
  };
  return {
    now: () =>
      (known("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time").get() as { time: number }).time,
    statement: <Row>(sql: string) => known(sql) as PreparedStatement<Row>,
    read: (work) => transaction("read", work),
    write: (work) => transaction("write", work),
    writeBehind: (work) => transaction("write-behind", work),
    async post(posted) {
      if (within()) for (const [sql, ...parameters] of posted) known(sql).run(...parameters);
      else await sending.posted(posted.map(([sql, ...parameters]) => known(sql).query(parameters)));
    },
  };
}

interface Prepared extends PreparedStatement<unknown> {
  /** For a batch, which is sent at once. */
  query(parameters: readonly unknown[]): Query;
}

function prepared(sql: string, name: string, memory: Memory, sending: Sending): Prepared {
  const { within, rows, run, transaction } = sending;
  const translation = translate(sql);
  const { text } = translation;
  const again = /^\s*SELECT\b/i.test(text);
  const query = (parameters: readonly unknown[]): Query => {
    if (!again && memory.isWatched(sql)) memory.forget();
    return { name, text, values: bindParameters(translation, parameters) };
  };
  const ask = (parameters: readonly unknown[]): readonly unknown[] => {
    const asked = query(parameters);
    const key = again ? memory.keyOf(sql, name, asked.values) : undefined;
    const answered = () => rows(asked, again, key);
    return key === undefined || within() ? answered() : transaction("read", answered);
  };
  return {
    query,
    get: (...parameters) => ask(parameters)[0],
    all: (...parameters) => [...ask(parameters)],
    // On its own a statement excludes other writers too, as in SQLite.
    run: (...parameters) => {
      const asked = query(parameters);
      return within() ? run(asked) : transaction("write", () => run(asked));
    },
  };
}
