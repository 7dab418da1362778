import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionOptions } from "node:tls";
import type { ClientConfig, Pool, PoolClient } from "pg";
import type { PostgresAddress } from "./address.ts";
import { isPassing } from "./postgres-errors.ts";

/** All in milliseconds. */
export interface PostgresLimits {
  /** How long a writer waits for another, and a statement for a connection. */
  readonly lockMs: number;
  /** How long one statement may take. */
  readonly statementMs: number;
}

/** Connections to one schema of a server, made when they are needed. */
export interface PostgresPool {
  /** A free connection, or a new one; it is to be given back. */
  lend(): Promise<PoolClient>;
  /** Takes a connection back; one that was lost is dropped. */
  giveBack(client: PoolClient, isLost: boolean): void;
  /** How many connections were lost so far: what one said before counts no longer. */
  lost(): number;
  /** Waits for lent connections, within a second. */
  close(): Promise<void>;
}

/** Most connections at once; who finds none free waits. */
export const mostConnections = 8;

/** Types by their id: bool as 0 or 1, int8 and numeric as numbers; the rest as `pg` reads it. */
const readers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => Number(text === "t"),
  20: Number,
  1700: Number,
};

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

/**
 * What every connection begins with. A plan is kept for as long as the connection: one made while a table was
 * small would read it whole ever after. What has no index is read whole anyway; only its estimated cost,
 * which would set off a compiler, is then high.
 */
const settingsOf = (schema: string, limits: PostgresLimits): string =>
  `SET enable_seqscan = off; SET jit = off; SET search_path TO "${schema}"; SET lock_timeout = ${limits.lockMs};
   SET statement_timeout = ${limits.statementMs}; SET idle_in_transaction_session_timeout = 60000;
   SET client_min_messages = warning; SET standard_conforming_strings = on`;

type Pg = typeof import("pg").default;

function configOf(pg: Pg, address: PostgresAddress, limits: PostgresLimits): ClientConfig {
  return {
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    password: address.password,
    application_name: "ragctl",
    // What is sent together takes one round trip.
    pipeline: true,
    keepAlive: true,
    query_timeout: limits.statementMs + limits.lockMs + 1000,
    types: {
      getTypeParser: (id: number, format?: "text" | "binary") =>
        readers[id] ?? pg.types.getTypeParser(id, format as "text"),
    },
  };
}

/** Creates the pool; nothing is connected before it is first used. */
export async function createPostgresPool(
  address: PostgresAddress,
  limits: PostgresLimits,
): Promise<PostgresPool> {
  const { default: pg } = await import("pg");
  const state = { ssl: !address.host.startsWith("/"), connected: false, lost: 0 };
  const poolOf = (ssl: boolean): Pool => {
    const pool = new pg.Pool({
      ...configOf(pg, address, limits),
      ssl: ssl && encryption(address),
      max: mostConnections,
      connectionTimeoutMillis: address.connectMs,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
      // It is lent once these are answered.
      onConnect: (client): Promise<unknown> => client.query(settingsOf(address.schema, limits)),
    });
    // A connection that is lost is found by its statement, an idle one replaced by the next.
    pool.on("connect", (client) => client.on("error", () => undefined));
    return pool.on("error", () => {
      state.lost += 1;
    });
  };
  let pool = poolOf(state.ssl);
  const connectOnce = async (): Promise<PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      const refused = error instanceof Error && /does not support SSL/i.test(error.message);
      if (!refused || address.sslMode !== "prefer" || !state.ssl) throw error;
      state.ssl = false;
      pool = poolOf(false);
      return pool.connect();
    }
  };
  /** A server that was connected before and is gone may be restarting: it is tried for the whole timeout. */
  const connect = async (): Promise<PoolClient> => {
    const deadline = Date.now() + address.connectMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      try {
        const client = await connectOnce();
        state.connected = true;
        return client;
      } catch (error) {
        if (!isPassing(error, state.connected) || Date.now() + pauseMs > deadline) throw error;
        await sleep(pauseMs);
      }
    }
  };
  return {
    lend: connect,
    giveBack(client, isLost) {
      if (isLost) state.lost += 1;
      client.release(isLost);
    },
    lost: () => state.lost,
    close: () => Promise.race([pool.end().catch(() => undefined), sleep(1000, undefined, { ref: false })]),
  };
}
