import { RagctlError } from "../../core/errors.ts";
import type { Database, Statement } from "../database.ts";
import { type PostgresAddress, parsePostgresAddress, placeOf } from "./address.ts";
import { bound, translate } from "./dialect.ts";
import { failed } from "./postgres-errors.ts";
import { type Link, openLink } from "./postgres-link.ts";
import type { Mode, Reply } from "./postgres-protocol.ts";
import { faultsOf, migrate, type PostgresOptions, type Script } from "./postgres-schema.ts";

/** The oldest server whose SQL this is: `gen_random_uuid()`. */
const oldestVersion = 130_000;

/** The state of a transaction, which begins with its first statement. */
interface State {
  mode: Mode | undefined;
  begun: boolean;
}

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
  const link = openLink({ address, limits: { lockMs: busyTimeoutMs, statementMs: statementTimeoutMs } });
  try {
    return await opened(link, address, options);
  } catch (error) {
    link.close();
    throw error;
  }
}

async function opened(link: Link, address: PostgresAddress, options: PostgresOptions): Promise<Database> {
  const place = placeOf(address);
  const first = await link.begin({
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
  const { database, script } = connection(link, place, version);
  migrate(script, { ...options, schema: address.schema, place });
  return { ...database, check: () => faultsOf(script, address.schema) };
}

/** Rows of an answer. @throws what `failed` makes of an error */
function rowsOf<Row>(
  reply: Reply,
  place: string,
  during: "statement" | "commit" = "statement",
): readonly Row[] {
  if (reply.type === "failed") throw failed(reply.failure, place, during);
  // The caller declares the columns of its own SQL.
  return reply.rows as readonly Row[];
}

/** Sends statements, those of a transaction together. */
interface Sending {
  readonly within: () => boolean;
  /** Sends the beginning of the transaction along with its first statement. */
  readonly sent: (send: (begin: { readonly begin?: Mode }) => Reply) => Extract<Reply, { type: "done" }>;
  readonly transaction: <T>(mode: Mode, work: () => T) => T;
}

function openSending(link: Link, place: string): Sending {
  const state: State = { mode: undefined, begun: false };
  const sent: Sending["sent"] = (send) => {
    const begin = state.mode !== undefined && !state.begun ? { begin: state.mode } : {};
    if (state.mode !== undefined) state.begun = true;
    const reply = send(begin);
    if (reply.type === "failed") throw failed(reply.failure, place, "statement");
    return reply;
  };
  /** A part that must not be lost makes all of its transaction so. */
  const waitForDisk = (): void => {
    if (state.begun) sent(() => link.call({ type: "script", text: "SET LOCAL synchronous_commit = on" }));
    state.mode = "write";
  };
  const end = (mode: Mode): void => {
    if (!state.begun) return;
    if (mode === "read") link.tell({ type: "rollback" });
    else rowsOf(link.call({ type: "commit" }), place, "commit");
  };
  return {
    within: () => state.mode !== undefined,
    sent,
    transaction(mode, work) {
      if (state.mode !== undefined) {
        if (state.mode === "write-behind" && mode === "write") waitForDisk();
        return work();
      }
      state.mode = mode;
      try {
        const result = work();
        end(mode);
        return result;
      } catch (error) {
        if (state.begun) link.tell({ type: "rollback" });
        throw error;
      } finally {
        state.mode = undefined;
        state.begun = false;
      }
    },
  };
}

function connection(
  link: Link,
  place: string,
  version: string,
): { readonly database: Omit<Database, "check">; readonly script: Script } {
  const sending = openSending(link, place);
  const { sent, transaction } = sending;
  const rows = (text: string): readonly unknown[] =>
    sent((begin) => link.call({ type: "query", name: "", text, values: [], again: false, ...begin })).rows;
  const statements = new Map<string, Statement<unknown>>();
  const known = (sql: string): Statement<unknown> => {
    const statement = statements.get(sql) ?? prepared(link, sql, `r${statements.size}`, sending);
    statements.set(sql, statement);
    return statement;
  };
  return {
    database: {
      kind: "postgresql",
      place,
      version: () => version,
      now: () =>
        (known("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time").get() as { time: number }).time,
      statement: <Row>(sql: string) => known(sql) as Statement<Row>,
      read: (work) => transaction("read", work),
      write: (work) => transaction("write", work),
      writeBehind: (work) => transaction("write-behind", work),
      close: () => link.close(),
    },
    script: {
      rows: <Row>(text: string) => rows(text) as readonly Row[],
      run: (text) => void sent((begin) => link.call({ type: "script", text, ...begin })),
      write: (work) => transaction("write", work),
    },
  };
}

function prepared(
  link: Link,
  sql: string,
  name: string,
  { within, sent, transaction }: Sending,
): Statement<unknown> {
  const translation = translate(sql);
  const { text } = translation;
  const again = /^\s*SELECT\b/i.test(text);
  const ask = (parameters: readonly unknown[]) => {
    const values = bound(translation, parameters);
    return sent((begin) => link.call({ type: "query", name, text, values, again, ...begin }));
  };
  return {
    get: (...parameters) => ask(parameters).rows[0],
    all: (...parameters) => [...ask(parameters).rows],
    // On its own a statement excludes other writers too, as in SQLite.
    run: (...parameters) =>
      within()
        ? { changes: ask(parameters).changes }
        : transaction("write", () => ({ changes: ask(parameters).changes })),
  };
}
