import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

const places = [17, 16, 15, 14, 13].map((version) => `/usr/lib/postgresql/${version}/bin`);
const programs = places.find((place) => existsSync(join(place, "initdb"))) ?? "";

/** For a test's `skip`: why there is no PostgreSQL here, or false. */
export const postgresMissing: string | false =
  programs === "" && "PostgreSQL is not installed (its programs are looked for in /usr/lib/postgresql)";

/** A PostgreSQL server of a test's own. */
export interface PostgresServer {
  readonly port: number;
  /** An address of a schema nothing else uses, as the superuser. */
  address(schema?: string): string;
  /** Runs SQL as the superuser, one statement. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Ends the server as `systemctl restart` does: connections are cut. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
function identity(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/**
 * Starts a server on a free port of the loopback in a folder that is gone after the test. Its superuser is
 * `tester` with the password `secret/word`; nothing is kept through a crash of the machine.
 */
export async function startPostgres(context: Pick<TestContext, "after">): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-pg-"));
  const [data, as] = [join(folder, "data"), identity()];
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, "secret/word\n");
  if (as.uid !== undefined)
    for (const path of [folder, passwordFile]) chownSync(path, as.uid, as.gid ?? as.uid);
  const options = { ...as, cwd: folder, stdio: "ignore" } as const;
  const initdb = ["-D", data, "-U", "tester", "--no-sync", "-A", "scram-sha-256", "--pwfile", passwordFile];
  execFileSync(join(programs, "initdb"), [...initdb, "-E", "UTF8", "--locale=C.UTF-8"], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = await freePort();
  const settings = ["fsync=off", "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
  const flags = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const running: { child?: ChildProcess } = {};
  const client = () =>
    new Client({ host: "127.0.0.1", port, user: "tester", password: "secret/word", database: "postgres" });
  const query = async <Row extends object>(sql: string): Promise<readonly Row[]> => {
    const connection = client();
    await connection.connect();
    try {
      return (await connection.query<Row>(sql)).rows;
    } finally {
      await connection.end();
    }
  };
  const server: PostgresServer = {
    port,
    address: (schema = `s${Math.random().toString(36).slice(2)}`) =>
      `postgresql://tester:secret%2Fword@127.0.0.1:${port}/postgres?schema=${schema}`,
    query,
    async stop() {
      const { child } = running;
      if (child === undefined || child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // PostgreSQL's fast shutdown.
      child.kill("SIGINT");
      await ended;
    },
    async start() {
      running.child = spawn(join(programs, "postgres"), flags, options);
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
