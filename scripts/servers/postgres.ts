/**
 * A PostgreSQL on 127.0.0.1 from Debian's programs. It refuses to run as root, so that root starts it as the
 * user `postgres`.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execute, freePort, isListening, type RunningServer, ready, spawnServer, stopper } from "./server.ts";

const programs = "/usr/lib/postgresql/15/bin";

/** Whether there is a PostgreSQL to start. */
export const hasPostgres = (): boolean => existsSync(join(programs, "postgres"));

export interface PostgresOptions {
  /** Default: a free one. */
  readonly port?: number;
  readonly detached?: boolean;
}

/** Starts a server on the data in `folder`, made when new, and waits until it listens. */
export async function startPostgres(folder: string, options: PostgresOptions = {}): Promise<RunningServer> {
  const port = options.port ?? (await freePort());
  const data = join(folder, "data");
  const user = await serverUser();
  await mkdir(folder, { recursive: true, mode: 0o755 });
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const password = await initialized(folder, data, user);
  const logPath = join(folder, "postgres.log");
  const args = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", folder];
  const child = spawnServer(join(programs, "postgres"), args, {
    cwd: folder,
    logPath,
    detached: options.detached,
    ...user,
  });
  const pid = await ready(child, () => isListening(port), logPath);
  const stop = stopper(child);
  return {
    pid,
    variables: { DATABASE_URL: `postgresql://ragctl:${password}@127.0.0.1:${port}/postgres` },
    // The polite end waits for its clients; SIGINT disconnects them.
    stop: (signal = "SIGINT") => stop(signal),
  };
}

interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

async function serverUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await execute("id", [flag, "postgres"])).stdout)),
  );
  if (uid === undefined || gid === undefined) throw new Error("there is no user postgres");
  return { uid, gid };
}

/** Makes the data folder unless it is there; the password of the user `ragctl` is kept beside it. */
async function initialized(folder: string, data: string, user: ServerUser): Promise<string> {
  const passwordPath = join(folder, "password");
  if (existsSync(data)) return readFile(passwordPath, "utf8");
  const password = randomBytes(12).toString("hex");
  await writeFile(passwordPath, password, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) await chown(passwordPath, user.uid, user.gid);
  try {
    const args = ["-D", data, "-U", "ragctl", "--auth=scram-sha-256", `--pwfile=${passwordPath}`];
    await execute(join(programs, "initdb"), [...args, "--encoding=UTF8", "--locale=C.UTF-8"], {
      cwd: folder,
      ...user,
    });
    await chmod(data, 0o700);
    return password;
  } catch (error) {
    await rm(data, { recursive: true, force: true });
    throw error;
  }
}
