import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionOptions } from "node:tls";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Client, QueryResult } from "pg";
import type { PostgresAddress } from "./address.ts";
import {
  changesSql,
  type Later,
  type LaterReply,
  type Mode,
  type Request,
  type WorkerChange,
  type WorkerData,
  type WorkerFailure,
  type WorkerReply,
} from "./postgres-protocol.ts";

/*
 * The thread that talks to PostgreSQL for a registry, so that the caller can wait for it: one connection, one
 * request at a time, answered in order. A connection that was lost is made again by the next request that
 * begins something.
 */

/** Types by their id: bool as 0 or 1, int8 and numeric as numbers; the rest as `pg` reads it. */
const readers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => Number(text === "t"),
  20: Number,
  1700: Number,
};

/** Server states that pass by themselves: starting up, shutting down. */
const passing = /^(?:57P0[123]|ECONNREFUSED|ECONNRESET|ENOENT|08)/;
/** Codes of a connection that is gone. */
const gone = /^(?:08|57P0|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|LOST)/;

interface State {
  client: Client | undefined;
  /** Whether a transaction is open. */
  within: boolean;
  /** How many were made. After the first, a server that is gone may be restarting. */
  connections: number;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

function failureOf(error: unknown, within: boolean): WorkerFailure {
  const message = error instanceof Error ? error.message || error.name : String(error);
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  const lost = /connection terminated|not queryable|read timeout|timeout expired|connection ended/i.test(
    message,
  );
  const code = codeOf(error) || codeOf(inner) || (lost ? "LOST" : "");
  const text = inner instanceof Error ? inner.message : message;
  return { code, message: text, within: within && gone.test(code) };
}

function encryption({ sslMode, sslRootCert, sslCert, sslKey }: PostgresAddress): ConnectionOptions | false {
  if (sslMode === "disable") return false;
  const verified = sslMode === "verify-ca" || sslMode === "verify-full";
  return {
    rejectUnauthorized: verified,
    ...(sslRootCert === undefined || sslRootCert === "system" ? {} : { ca: readFileSync(sslRootCert) }),
    ...(sslCert === undefined ? {} : { cert: readFileSync(sslCert) }),
    ...(sslKey === undefined ? {} : { key: readFileSync(sslKey) }),
    ...(sslMode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
  };
}

async function connectOnce({ address, limits }: WorkerData, ssl: ConnectionOptions | false): Promise<Client> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    password: address.password,
    ssl,
    application_name: "ragctl",
    // What is sent together takes one round trip.
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: address.connectMs,
    query_timeout: limits.statementMs + limits.lockMs + 1000,
    types: {
      getTypeParser: (id: number, format?: "text" | "binary") =>
        readers[id] ?? pg.types.getTypeParser(id, format as "text"),
    },
  });
  // An idle connection that ends is found by the next request.
  client.on("error", () => undefined);
  try {
    await client.connect();
    // A plan is kept for as long as the connection: one made while a table was small would read it whole ever
    // after. What has no index is read whole anyway; only its estimated cost, which would set off a compiler,
    // is then high.
    await client.query("SET enable_seqscan = off; SET jit = off");
    await client.query(
      `SET search_path TO "${address.schema}"; SET lock_timeout = ${limits.lockMs}; SET statement_timeout = ${limits.statementMs};
       SET idle_in_transaction_session_timeout = 60000; SET client_min_messages = warning; SET standard_conforming_strings = on`,
    );
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/** Connects; a server that was connected before and is gone is retried for the whole connection timeout. */
async function connect(data: WorkerData, again: boolean): Promise<Client> {
  const { address } = data;
  const deadline = Date.now() + address.connectMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    try {
      return await connectEncrypted(data);
    } catch (error) {
      const code = codeOf(error);
      const waits = code === "57P03" || (again && passing.test(code));
      if (!waits || Date.now() + pauseMs > deadline) throw error;
      await sleep(pauseMs);
    }
  }
}

async function connectEncrypted(data: WorkerData): Promise<Client> {
  const { address } = data;
  const isSocket = address.host.startsWith("/");
  try {
    return await connectOnce(data, isSocket ? false : encryption(address));
  } catch (error) {
    const refused = error instanceof Error && /does not support SSL/i.test(error.message);
    if (!refused || address.sslMode !== "prefer") throw error;
    return connectOnce(data, false);
  }
}

/** Two numbers for `pg_advisory_xact_lock`: "RAGC", and the schema. */
function lockOf(schema: string): string {
  return `1380009795, ${createHash("sha256").update(schema).digest().readInt32BE(0)}`;
}

const beginSql = (mode: Mode, schema: string): string =>
  mode === "read"
    ? `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; ${changesSql}`
    : `BEGIN; ${mode === "write-behind" ? "SET LOCAL synchronous_commit = off; " : ""}SELECT pg_advisory_xact_lock(${lockOf(schema)})`;

type Sendable = Extract<Request, { type: "query" | "script" | "batch" }>;

const lost = (): Error => Object.assign(new Error("the connection was lost"), { code: "LOST" });

async function connected(data: WorkerData, state: State): Promise<Client> {
  if (state.client !== undefined) return state.client;
  if (state.within) throw lost();
  const client = await connect(data, state.connections > 0);
  state.client = client;
  state.connections += 1;
  // Within a transaction the next statement says so.
  client.once("end", () => {
    if (state.client === client && !state.within) state.client = undefined;
  });
  return client;
}

/** Results of what was sent together, all of them answered. @throws the first error */
async function together(sent: readonly Promise<QueryResult>[]): Promise<readonly QueryResult[]> {
  await Promise.allSettled(sent);
  const results = await Promise.all(sent);
  // Several statements in one text have an array of results.
  return results.map((result) => (Array.isArray(result) ? (result.at(-1) as QueryResult) : result));
}

async function send(request: Sendable, data: WorkerData, state: State): Promise<WorkerReply> {
  const client = await connected(data, state);
  const { begin } = request;
  state.within ||= begin !== undefined;
  const began = begin === undefined ? [] : [client.query(beginSql(begin, data.address.schema))];
  const asked = request.type === "script" ? [client.query(request.text)] : queried(request, client);
  const results = await together([...began, ...asked, ...(commits(request) ? [client.query("COMMIT")] : [])]);
  if (commits(request)) ended(results.at(-1), state);
  const answers = results.slice(began.length, began.length + asked.length);
  const seen = begin === "read" ? { seen: (results[0]?.rows ?? []) as WorkerChange[] } : {};
  const changes = answers.map(({ rowCount }) => rowCount ?? 0);
  return { type: "done", rows: answers.at(-1)?.rows ?? [], changes, ...seen, connection: state.connections };
}

const queried = (request: Exclude<Sendable, { type: "script" }>, client: Client): Promise<QueryResult>[] =>
  (request.type === "batch" ? request.queries : [request]).map(({ name, text, values }) =>
    client.query({ name, text, values: [...values] }),
  );

/** PostgreSQL answers ROLLBACK to the COMMIT of a transaction where one of its statements had failed. */
function ended(result: QueryResult | undefined, state: State): void {
  state.within = false;
  if (result?.command !== "COMMIT")
    throw new Error("a statement in the transaction failed, so nothing was saved");
}

const commits = (request: Sendable): boolean => request.type === "batch" && request.commit;

/** Sends a request; sends it again where its connection was lost and it cannot have had an effect. */
async function perform(request: Sendable, data: WorkerData, state: State): Promise<WorkerReply> {
  const begins = request.begin !== undefined && !commits(request);
  const again = begins || (request.type === "query" && request.again && !state.within);
  const stood = state.client !== undefined;
  const reply = await attempt(request, data, state);
  const isLost = reply.type === "failed" && gone.test(reply.failure.code);
  return isLost && stood && again ? attempt(request, data, state) : reply;
}

/** Sends a request once; a connection that is found lost is dropped. */
async function attempt(request: Sendable, data: WorkerData, state: State): Promise<WorkerReply> {
  const before = state.within;
  try {
    return await send(request, data, state);
  } catch (error) {
    // What was sent with its COMMIT may have been saved.
    const failure = failureOf(error, commits(request) ? state.within : before);
    const isGone = gone.test(failure.code);
    if (isGone) drop(state);
    if (isGone || commits(request)) state.within = before && !commits(request);
    return { type: "failed", failure };
  }
}

function drop(state: State): void {
  state.client?.end().catch(() => undefined);
  state.client = undefined;
}

/** The next request need not wait for it. */
function rollback(state: State): void {
  const { client } = state;
  state.within = false;
  client?.query("ROLLBACK").catch(() => {
    if (state.client === client) drop(state);
  });
}

async function handleLater({ number, request }: Later, data: WorkerData, state: State): Promise<void> {
  const reply = await perform(request, data, state);
  parentPort?.postMessage({ number, reply } satisfies LaterReply);
}

function serve(port: MessagePort, data: WorkerData): void {
  const state: State = { client: undefined, within: false, connections: 0 };
  const answer = (reply: WorkerReply): void => {
    port.postMessage(reply);
    Atomics.store(data.signal, 0, 1);
    Atomics.notify(data.signal, 0);
  };
  const handle = async (request: Request | Later): Promise<void> => {
    if ("number" in request) return handleLater(request, data, state);
    if (request.type === "rollback") return rollback(state);
    if (request.type !== "close") return answer(await perform(request, data, state));
    await state.client?.end().catch(() => undefined);
    answer({ type: "done", rows: [], changes: [], connection: state.connections });
    port.close();
  };
  let before: Promise<void> = Promise.resolve();
  port.on("message", (request: Request | Later) => {
    before = before
      .then(() => handle(request))
      .catch((error: unknown) => answer({ type: "failed", failure: failureOf(error, state.within) }));
  });
}

const data = workerData as WorkerData;
parentPort?.once("message", (port: MessagePort) => serve(port, data));
