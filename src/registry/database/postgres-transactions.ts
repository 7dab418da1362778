import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { PoolClient, QueryResult } from "pg";
import type { SqlValue } from "./dialect.ts";
import { isConnectionLost, toRegistryError } from "./postgres-errors.ts";
import { mostConnections, type PostgresPool } from "./postgres-pool.ts";
import { type Changes, changesOf, changesSql } from "./postgres-query-cache.ts";

/**
 * How a transaction begins. A write excludes every other one of the same registry; a write-behind is
 * confirmed before it is on disk.
 */
export type Mode = "read" | "write" | "write-behind";

/** A statement with its parameters, prepared under its name once for each connection; a script has neither. */
export interface Query {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly SqlValue[];
}

/** A transaction while its work runs. */
export interface Transaction {
  readonly mode: Mode;
  /** What the tables were in the state that a read sees; undefined before its first answer. */
  readonly changes: Changes | undefined;
}

/** Sends statements, each within the transaction of its caller. */
export interface Transactions {
  /** The transaction of the caller. */
  own(): Transaction | undefined;
  /** Sends a statement; `isRepeatable`: also again, where the connection was lost before it was answered. */
  send(query: Query, isRepeatable: boolean): Promise<QueryResult>;
  /** Runs work within a transaction of its own, or of the caller. */
  run<T>(mode: Mode, work: () => T | Promise<T>): Promise<T>;
}

/** A connection, and the answer to what begins a transaction on it, which is sent with its first statement. */
interface Begun {
  readonly client: PoolClient;
  readonly answer: Promise<QueryResult | readonly QueryResult[]>;
}

interface State {
  mode: Mode;
  isOpen: boolean;
  begun: Promise<Begun> | undefined;
  changes: Changes | undefined;
  /** Whether a statement was answered: from then on a lost connection loses the transaction. */
  isAnswered: boolean;
  isLost: boolean;
}

const fresh = { isOpen: true, begun: undefined, changes: undefined, isAnswered: false, isLost: false };

/** Two numbers for `pg_advisory_xact_lock`: "RAGC", and the schema. */
const lockOf = (schema: string): string =>
  `1380009795, ${createHash("sha256").update(schema).digest().readInt32BE(0)}`;

const beginSql = (mode: Mode, schema: string): string =>
  mode === "read"
    ? `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; ${changesSql}`
    : `BEGIN; ${mode === "write-behind" ? "SET LOCAL synchronous_commit = off; " : ""}SELECT pg_advisory_xact_lock(${lockOf(schema)})`;

const asked = ({ text, name, values }: Query) =>
  name === undefined ? { text } : { text, name, values: [...(values ?? [])] };

/** Sends a statement on its own; it may be sent again as often as `again` says. */
async function sendAlone(pool: PostgresPool, query: Query, again: number): Promise<QueryResult> {
  const client = await pool.lend();
  try {
    const result = await client.query(asked(query));
    pool.giveBack(client, false);
    return result;
  } catch (error) {
    const isLost = isConnectionLost(error);
    pool.giveBack(client, isLost);
    if (!isLost || again === 0) throw error;
  }
  return sendAlone(pool, query, again - 1);
}

async function begin(pool: PostgresPool, schema: string, mode: Mode): Promise<Begun> {
  const client = await pool.lend();
  const answer = client.query(beginSql(mode, schema));
  // Whoever sends the first statement waits for it.
  answer.catch(() => undefined);
  return { client, answer };
}

/** Sends a statement with what begins its transaction, and waits for both. */
async function sendBegun(its: State, { client, answer }: Begun, query: Query): Promise<QueryResult> {
  const [began, result] = await Promise.allSettled([answer, client.query(asked(query))]);
  if (began.status === "rejected") throw began.reason;
  // Several statements in one text have an array of results.
  const last = Array.isArray(began.value) ? began.value.at(-1) : began.value;
  if (its.mode === "read") its.changes ??= changesOf(last?.rows ?? []);
  if (result.status === "rejected") throw result.reason;
  its.isAnswered = true;
  return result.value;
}

/** Ends a transaction; a read need not wait for it. @throws where its changes were not saved */
async function commit(its: State, { client }: Begun, place: string): Promise<void> {
  if (its.mode === "read") {
    client.query("ROLLBACK").catch(() => undefined);
    return;
  }
  const result = await client.query("COMMIT").catch((error: unknown) => {
    its.isLost = isConnectionLost(error);
    throw toRegistryError(error, place, "commit");
  });
  // PostgreSQL answers ROLLBACK to the COMMIT of a transaction where one of its statements had failed.
  if (result.command !== "COMMIT")
    throw toRegistryError(new Error("a statement in the transaction failed, so nothing was saved"), place);
}

/** Creates the transactions of one registry; `place` names it in errors. */
export function createTransactions(pool: PostgresPool, schema: string, place: string): Transactions {
  const current = new AsyncLocalStorage<State>();
  const own = (): State | undefined => {
    const its = current.getStore();
    return its?.isOpen === true ? its : undefined;
  };
  /** Writes exclude one another: while they wait for the lock, half of the connections stay free for reads. */
  const lanes = Array<Promise<unknown>>(mostConnections / 2).fill(Promise.resolve());
  const inLane = async <T>(work: () => Promise<T>): Promise<T> => {
    const turn = (lanes.shift() ?? Promise.resolve()).then(work);
    lanes.push(turn.catch(() => undefined));
    return turn;
  };
  const within = async (its: State, query: Query, again = mostConnections): Promise<QueryResult> => {
    its.begun ??= begin(pool, schema, its.mode);
    const { begun } = its;
    const { client, answer } = await begun;
    try {
      return await sendBegun(its, { client, answer }, query);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      its.isLost = its.isAnswered || again === 0;
      if (its.isLost) throw error;
    }
    // Nothing can have come of it: it is begun again on another connection.
    if (its.begun === begun) {
      its.begun = undefined;
      pool.giveBack(client, true);
    }
    return within(its, query, again - 1);
  };
  const send: Transactions["send"] = async (query, isRepeatable) => {
    const its = own();
    try {
      return await (its === undefined
        ? sendAlone(pool, query, isRepeatable ? mostConnections : 0)
        : within(its, query));
    } catch (error) {
      throw toRegistryError(error, place, its?.isLost === true && its.mode !== "read" ? "change" : undefined);
    }
  };
  const whole = async <T>(its: State, work: () => T | Promise<T>): Promise<T> => {
    const opened = () => its.begun?.catch(() => undefined);
    try {
      const result = await current.run(its, work);
      its.isOpen = false;
      const begun = await opened();
      if (begun !== undefined) await commit(its, begun, place);
      return result;
    } catch (error) {
      const begun = its.isOpen ? await opened() : undefined;
      begun?.client.query("ROLLBACK").catch(() => undefined);
      throw error;
    } finally {
      its.isOpen = false;
      const begun = await opened();
      if (begun !== undefined) pool.giveBack(begun.client, its.isLost);
    }
  };
  return {
    own,
    send,
    async run(mode, work) {
      const outer = own();
      if (outer === undefined) {
        const start = () => whole({ ...fresh, mode }, work);
        return mode === "read" ? start() : inLane(start);
      }
      // A part that must not be lost makes all of its transaction so.
      if (outer.mode === "write-behind" && mode === "write") {
        outer.mode = "write";
        if (outer.begun !== undefined) await send({ text: "SET LOCAL synchronous_commit = on" }, false);
      }
      return work();
    },
  };
}
