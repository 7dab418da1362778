import { AsyncLocalStorage } from "node:async_hooks";
import { RagctlError } from "../../core/errors.ts";
import type { Database, PreparedStatement } from "../database.ts";
import { parsePostgresAddress, placeOf } from "./address.ts";
import { bindParameters, type SqlValue, translate } from "./dialect.ts";
import { createPostgresPool, type PostgresPool } from "./postgres-pool.ts";
import {
  type Changes,
  changesOf,
  changesSql,
  createQueryCache,
  type Key,
  type QueryCache,
} from "./postgres-query-cache.ts";
import {
  migrate,
  type PostgresOptions,
  relationsOf,
  type Script,
  schemaProblems,
  trackedTables,
} from "./postgres-schema.ts";
import { createTransactions, type Transactions } from "./postgres-transactions.ts";

/** The oldest server whose SQL this is: `gen_random_uuid()`. */
const oldestVersion = 130_000;

/** How long a look counts, ms. A question begins with one of its own. */
const currentMs = 1000;

/**
 * What a question remembers between its statements: how the tables were when it last looked. It lives as long
 * as the work of `current`.
 */
interface Question {
  isOpen: boolean;
  changes: Changes | undefined;
  until: number;
  /** How many writes this process had begun; one more, and the look counts no longer. */
  writes: number;
}

/** The parts of an open registry. */
interface Server {
  readonly transactions: Transactions;
  readonly cache: QueryCache;
  readonly questions: AsyncLocalStorage<Question>;
  /** How many writes to tables that are remembered this process has begun or ended. */
  readonly writes: { count: number };
}

/**
 * Opens a registry in a schema of a PostgreSQL server, makes it when missing and brings it up to date; many
 * machines may do so at once.
 * @throws REGISTRY_UNAVAILABLE, REGISTRY_BUSY, DISK_FULL, and CONFIG_INVALID for an address that is wrong and
 *   a schema that is newer, foreign or not writable
 */
export async function openPostgres(text: string, options: PostgresOptions): Promise<Database> {
  const address = parsePostgresAddress(text);
  const { busyTimeoutMs = 10_000, statementTimeoutMs = 60_000 } = options;
  const pool = await createPostgresPool(address, { lockMs: busyTimeoutMs, statementMs: statementTimeoutMs });
  try {
    return await opened(pool, address.schema, placeOf(address), options);
  } catch (error) {
    await pool.close();
    throw error;
  }
}

async function opened(
  pool: PostgresPool,
  schema: string,
  place: string,
  options: PostgresOptions,
): Promise<Database> {
  const transactions = createTransactions(pool, schema, place);
  const script = scriptOf(transactions);
  const [server] = await script.rows<{ version: string; number: number }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
  );
  const version = `PostgreSQL ${server?.version.split(" ")[0] ?? ""}`;
  if ((server?.number ?? 0) < oldestVersion)
    throw new RagctlError("CONFIG_INVALID", `the registry ${place} runs on ${version}, which is too old`, {
      hint: `use a server of version ${oldestVersion / 10_000} or newer`,
    });
  await migrate(script, { ...options, schema, place });
  const cache = createQueryCache(pool.lost);
  cache.watch(await relationsOf(script, schema), await trackedTables(script, schema));
  const parts: Server = { transactions, cache, questions: new AsyncLocalStorage(), writes: { count: 0 } };
  return {
    kind: "postgresql",
    place,
    version: () => version,
    ...statementsOf(parts),
    ...questionsOf(parts),
    check: () => schemaProblems(script, schema),
    close: () => pool.close(),
    [Symbol.dispose]: () => void pool.close(),
  };
}

function scriptOf({ send, run }: Transactions): Script {
  return {
    // The caller declares the columns of its own SQL.
    rows: async <Row>(text: string) => (await send({ text }, true)).rows as readonly Row[],
    run: (text) => send({ text }, false),
    write: (work) => run("write", work),
  };
}

/** What the question of the caller knows; undefined where it has to look again. */
function knownChanges({ questions, writes }: Server): Changes | undefined {
  const question = questions.getStore();
  const holds =
    question?.isOpen === true && question.writes === writes.count && performance.now() < question.until;
  return holds ? question.changes : undefined;
}

function questionsOf(server: Server): Pick<Database, "current" | "refresh"> {
  const { transactions, questions, writes } = server;
  const look = async (question: Question): Promise<void> => {
    const [since, count] = [performance.now(), writes.count];
    const { rows } = await transactions.send({ text: changesSql, name: "changes" }, true);
    // A later look may have been answered first.
    if (since + currentMs > question.until)
      Object.assign(question, { changes: changesOf(rows), until: since + currentMs, writes: count });
  };
  return {
    async current(work) {
      if (knownChanges(server) !== undefined) return work();
      const question: Question = { isOpen: true, changes: undefined, until: 0, writes: 0 };
      await look(question);
      try {
        return await questions.run(question, work);
      } finally {
        question.isOpen = false;
      }
    },
    async refresh() {
      const question = questions.getStore();
      if (question?.isOpen === true) await look(question);
    },
  };
}

/** Thrown where memory does not have all that a read asks for: it is run again, with the server. */
class Forgotten extends Error {}

type Statements = Pick<Database, "now" | "statement" | "read" | "write" | "writeBehind" | "post">;

function statementsOf(server: Server): Statements {
  const { transactions, writes } = server;
  const recalls = new AsyncLocalStorage<{ readonly changes: Changes; isOpen: boolean }>();
  const statements = new Map<string, PreparedStatement<unknown>>();
  /** What a read from memory goes by; a transaction asks the server. */
  const recalled = () => {
    const recall = recalls.getStore();
    return recall?.isOpen === true && transactions.own() === undefined ? recall.changes : undefined;
  };
  const known = (sql: string): PreparedStatement<unknown> => {
    const statement = statements.get(sql) ?? prepared(sql, `r${statements.size}`, server, recalled, read);
    statements.set(sql, statement);
    return statement;
  };
  const read: Database["read"] = async (work) => {
    if (recalled() !== undefined) return work();
    const changes = transactions.own() === undefined ? knownChanges(server) : undefined;
    if (changes === undefined) return transactions.run("read", work);
    const recall = { changes, isOpen: true };
    try {
      return await recalls.run(recall, work);
    } catch (error) {
      if (!(error instanceof Forgotten)) throw error;
    } finally {
      recall.isOpen = false;
    }
    return transactions.run("read", work);
  };
  const writing =
    (mode: "write" | "write-behind"): Database["write"] =>
    async (work) => {
      const before = writes.count;
      try {
        return await transactions.run(mode, work);
      } finally {
        // What was written to tables that are remembered is seen only now.
        if (writes.count !== before) writes.count += 1;
      }
    };
  const writeBehind = writing("write-behind");
  return {
    now: async () =>
      ((await known("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time").get()) as { time: number })
        .time,
    statement: <Row>(sql: string) => known(sql) as PreparedStatement<Row>,
    read,
    write: writing("write"),
    writeBehind,
    post: (posted) =>
      writeBehind(async () => {
        await Promise.all(posted.map(([sql, ...parameters]) => known(sql).run(...parameters)));
      }),
  };
}

function prepared(
  sql: string,
  name: string,
  { transactions, cache, writes }: Server,
  recalled: () => Changes | undefined,
  read: Database["read"],
): PreparedStatement<unknown> {
  const translation = translate(sql);
  const { text } = translation;
  const isRead = /^\s*SELECT\b/i.test(text);
  const send = (values: readonly SqlValue[]) => transactions.send({ name, text, values }, isRead);
  /** Within a read: from memory, or from the server and into memory. */
  const remembered = async (key: Key, values: readonly SqlValue[]) => {
    const own = transactions.own();
    const changes = own?.changes ?? recalled();
    const rows = changes === undefined ? undefined : cache.get(key, changes);
    if (rows !== undefined) return rows;
    if (recalled() !== undefined) throw new Forgotten("not in memory");
    const answer = await send(values);
    if (own?.mode === "read" && own.changes !== undefined) cache.set(key, own.changes, answer.rows);
    return answer.rows;
  };
  const ask = async (parameters: readonly unknown[]): Promise<readonly unknown[]> => {
    const values = bindParameters(translation, parameters);
    const own = transactions.own();
    const isReading = isRead && (own === undefined || own.mode === "read");
    const key = isReading ? cache.keyOf(sql, name, values) : undefined;
    if (key !== undefined) return read(() => remembered(key, values));
    if (recalled() !== undefined) throw new Forgotten("not in memory");
    if (!isRead && cache.isWatched(sql)) writes.count += 1;
    return (await send(values)).rows;
  };
  return {
    get: async (...parameters) => (await ask(parameters))[0],
    all: async (...parameters) => [...(await ask(parameters))],
    // On its own a statement excludes other writers too, as in SQLite.
    run: async (...parameters) => {
      const values = bindParameters(translation, parameters);
      if (recalled() !== undefined) throw new Forgotten("a write");
      try {
        const sent = await transactions.run(transactions.own()?.mode ?? "write", () => send(values));
        return { changes: sent.rowCount ?? 0 };
      } finally {
        if (cache.isWatched(sql)) writes.count += 1;
      }
    },
  };
}
