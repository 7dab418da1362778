import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import {
  hasPostgres,
  type PostgresOptions,
  startPostgres as startServer,
} from "../../scripts/servers/postgres.ts";
import { freePort, type RunningServer } from "../../scripts/servers/server.ts";

/** For a test's `skip`: why there is no PostgreSQL here, or false. */
export const postgresMissing: string | false =
  !hasPostgres() && "PostgreSQL is not installed (its programs are looked for in /usr/lib/postgresql)";

/** A PostgreSQL server of a test's own. */
export interface PostgresServer {
  /** An address of a schema nothing else uses, as the superuser. */
  address(schema?: string): string;
  /** Runs SQL as the superuser, one statement. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Ends the server as `systemctl restart` does: connections are cut. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Starts a server on a free port of the loopback in a folder that is gone after the test. Its superuser is
 * `tester` with the password `secret/word`; nothing is kept through a crash of the machine.
 */
export async function startPostgres(
  context: Pick<TestContext, "after">,
  options: Pick<PostgresOptions, "tls"> = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-pg-"));
  // The same after a restart.
  const port = await freePort();
  const running: { server?: RunningServer } = {};
  const url = (): string => running.server?.variables["DATABASE_URL"] ?? "";
  const query = async <Row extends object>(sql: string): Promise<readonly Row[]> => {
    const connection = new Client({ connectionString: url() });
    await connection.connect();
    try {
      return (await connection.query<Row>(sql)).rows;
    } finally {
      await connection.end();
    }
  };
  const server: PostgresServer = {
    address: (schema = `s${Math.random().toString(36).slice(2)}`) => `${url()}?schema=${schema}`,
    query,
    stop: async () => running.server?.stop(),
    async start() {
      const login = { user: "tester", password: "secret/word" };
      running.server = await startServer(folder, { ...options, port, ...login, durable: false });
      // It listens before it lets anybody in.
      for (let attempt = 0; ; attempt++) {
        try {
          await query("SELECT 1");
          return;
        } catch (error) {
          if (attempt > 200) throw error;
          await sleep(100);
        }
      }
    },
  };
  context.after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await server.start();
  return server;
}
