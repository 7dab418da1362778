/**
 * A PostgreSQL on 127.0.0.1 from Debian's programs. It refuses to run as root, so that root starts it as the
 * user `postgres`.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { chmod, chown, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execute, freePort, isListening, type RunningServer, ready, spawnServer, stopper } from "./server.ts";

const places = [17, 16, 15, 14, 13].map((version) => `/usr/lib/postgresql/${version}/bin`);
const programs = places.find((place) => existsSync(join(place, "initdb"))) ?? "";

/** Whether there is a PostgreSQL to start. */
export const hasPostgres = (): boolean => programs !== "";

export interface PostgresOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** The superuser of new data, and whose address is given. Default: `ragctl`. */
  readonly user?: string;
  /** The superuser's password, where the data is new. Default: a random one. */
  readonly password?: string;
  /** Keeps its data through a crash of the machine, which costs time. Default true. */
  readonly durable?: boolean;
  /** PEM files: it then also speaks TLS. */
  readonly tls?: { readonly certificatePath: string; readonly keyPath: string };
  readonly detached?: boolean;
}

/** Starts a server on the data in `folder`, made when new, and waits until it listens. */
export async function startPostgres(folder: string, options: PostgresOptions = {}): Promise<RunningServer> {
  const { port = await freePort(), user = "ragctl", durable = true, detached } = options;
  const data = join(folder, "data");
  const account = serverAccount();
  // Restarting is quick also where a test blocks its event loop: what needs turns is done for new data alone.
  const password = await initialized(folder, account, { ...options, user, durable });
  const logPath = join(folder, "postgres.log");
  const args = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", folder];
  if (!durable) args.push("-c", "fsync=off");
  if (options.tls !== undefined) args.push(...(await encrypted(folder, account, options.tls)));
  const spawned = spawnServer(join(programs, "postgres"), args, {
    cwd: folder,
    logPath,
    detached,
    ...account,
  });
  const pid = await ready(spawned, () => isListening(port));
  const stop = stopper(spawned);
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return {
    pid,
    variables: { DATABASE_URL: `postgresql://${login}@127.0.0.1:${port}/postgres` },
    // The polite end waits for its clients; SIGINT disconnects them.
    stop: (signal = "SIGINT") => stop(signal),
  };
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Copies certificate and key to where the server may read them, and nobody else; the flags that name them. */
async function encrypted(
  folder: string,
  { uid, gid }: Account,
  { certificatePath, keyPath }: NonNullable<PostgresOptions["tls"]>,
): Promise<readonly string[]> {
  const copies = [join(folder, "server.pem"), join(folder, "server.key")] as const;
  for (const [at, path] of [certificatePath, keyPath].entries()) {
    const copy = copies[at] ?? "";
    await copyFile(path, copy);
    await chmod(copy, 0o600);
    if (uid !== undefined && gid !== undefined) await chown(copy, uid, gid);
  }
  return ["-c", "ssl=on", "-c", `ssl_cert_file=${copies[0]}`, "-c", `ssl_key_file=${copies[1]}`];
}

/** Makes the data folder unless it is there; the password of its superuser is kept beside it. */
async function initialized(
  folder: string,
  account: Account,
  options: Pick<PostgresOptions, "password"> & Required<Pick<PostgresOptions, "user" | "durable">>,
): Promise<string> {
  const data = join(folder, "data");
  const passwordPath = join(folder, "password");
  if (existsSync(data)) return readFileSync(passwordPath, "utf8");
  const { user, password = randomBytes(12).toString("hex"), durable } = options;
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeFile(passwordPath, password, { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined)
    for (const path of [folder, passwordPath]) await chown(path, account.uid, account.gid);
  try {
    const args = ["-D", data, "-U", user, "--auth=scram-sha-256", `--pwfile=${passwordPath}`];
    if (!durable) args.push("--no-sync");
    await execute(join(programs, "initdb"), [...args, "--encoding=UTF8", "--locale=C.UTF-8"], {
      cwd: folder,
      ...account,
    });
    await chmod(data, 0o700);
    return password;
  } catch (error) {
    await rm(data, { recursive: true, force: true });
    throw error;
  }
}
