import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { RagctlError } from "../core/errors.ts";
import { type LiteServer, startLiteServer } from "../drivers/stores/lite-server.ts";
import { ownerOf, readRecord, recordOf, tryLock } from "../lock/lock.ts";
import { endProcess } from "../lock/process.ts";
import { hostFiles } from "./address.ts";
import type { HostStatus, LocalDatabase } from "./protocol.ts";

/** A server that lived shorter than this is not started again by itself, ms. */
const steadyMs = 5_000;

type HostFiles = ReturnType<typeof hostFiles>;

type ServerStatus = HostStatus["instances"][number];

/** Servers of stores that this process owns. */
export interface Servers {
  /**
   * Address of a database's server, started if need be. @throws RUNTIME_MISSING STORE_UNAVAILABLE STORE_BUSY
   */
  uri(database: LocalDatabase, runtime: string): Promise<string>;
  status(): Promise<readonly ServerStatus[]>;
  stop(): Promise<void>;
}

/**
 * The native servers of a home, one per database, started on first use. `inUse` says whether one that died
 * must come back.
 */
export function createServers(home: string, inUse: () => boolean, log: (message: string) => void): Servers {
  const files = hostFiles(home);
  const running = new Map<LocalDatabase, Promise<LiteServer>>();
  const claims = new AsyncDisposableStack();
  let stopping = false;

  const get = (database: LocalDatabase, runtime: string): Promise<LiteServer> => {
    const server = running.get(database);
    if (server !== undefined) return server;
    const starting = start(database, runtime);
    running.set(database, starting);
    starting.catch(() => running.delete(database));
    return starting;
  };
  const start = async (database: LocalDatabase, runtime: string): Promise<LiteServer> => {
    const placed = placeOf(database, files);
    const { database: elsewhere, record } = placed;
    if (elsewhere !== undefined) await claim(elsewhere, dirname(record), claims);
    const server = await startRecorded(placed, runtime, files);
    log(`server ${database} listens at ${server.uri} (pid ${server.pid})`);
    const since = performance.now();
    void server.exited.then(async () => {
      running.delete(database);
      await rm(placed.record, { force: true });
      if (stopping) return;
      log(`server ${database} (pid ${server.pid}) ended unasked`);
      if (inUse() && performance.now() - since > steadyMs)
        await get(database, runtime).catch((error: unknown) =>
          log(`server ${database} did not come back: ${String(error)}`),
        );
    });
    return server;
  };

  return {
    async uri(database, runtime) {
      return (await get(database, runtime)).uri;
    },
    async status() {
      return (await Promise.all([...running].map(statusOf))).flat();
    },
    async stop() {
      stopping = true;
      const servers = await Promise.allSettled(running.values());
      await Promise.all(servers.map((each) => (each.status === "fulfilled" ? each.value.stop() : undefined)));
      await claims.disposeAsync();
    },
  };
}

/** The place of a database, and the record of its server. */
interface Placed {
  /** Names its socket and its log. */
  readonly name: string;
  /** Path of one outside the home. */
  readonly database?: string;
  /** Names the process of its server, for a host that finds it running. */
  readonly record: string;
}

/**
 * Databases of the home belong to its host only; a database elsewhere has a folder next to it that names its
 * owner.
 */
function placeOf(database: LocalDatabase, { folder }: HostFiles): Placed {
  if (database === "public" || database === "private")
    return { name: database, record: join(folder, `${database}.server.json`) };
  const name = `db-${createHash("sha256").update(database).digest("hex").slice(0, 12)}`;
  return { name, database, record: join(`${database}.lock`, "server.json") };
}

/** Keeps the hosts of other homes from a database until the claims are released. @throws STORE_BUSY */
async function claim(database: string, folder: string, claims: AsyncDisposableStack): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await tryLock(folder, "server");
  if (lock !== undefined) {
    claims.use(lock);
    return;
  }
  const owner = await ownerOf(folder);
  if (owner?.pid === process.pid) return;
  throw new RagctlError("STORE_BUSY", `${database} is open in process ${owner?.pid ?? "of another ragctl"}`, {
    hint: "use the home that opened it, or run `ragctl stop --home FOLDER` for that home",
  });
}

/** Starts the server of a database and records its process, or neither. */
async function startRecorded(placed: Placed, runtime: string, files: HostFiles): Promise<LiteServer> {
  const { folder, stores } = files;
  const { name, database, record } = placed;
  // A host killed with -9 may have left a server that is still on its way out: two on one file would spoil
  // it.
  const left = await readRecord(record);
  if (left !== undefined && left !== "copied") await endProcess(left);
  const server = await startLiteServer({
    ...{ id: database ?? name, runtime, name, dataFolder: stores },
    ...(database === undefined ? {} : { database }),
    socketFolder: folder,
    logPath: join(folder, `${name}.log`),
  });
  try {
    await writeFile(record, await recordOf(server.pid, dirname(record), "server"), { mode: 0o600 });
  } catch (error) {
    // Without a record the next host would start a second server on the same file.
    await server.stop();
    throw error;
  }
  return server;
}

/** None for a server that did not start. */
async function statusOf([name, started]: [LocalDatabase, Promise<LiteServer>]): Promise<ServerStatus[]> {
  const { pid, uri } = await started.catch(() => ({ pid: 0, uri: "" }));
  return pid === 0 ? [] : [{ name, pid, uri, rssBytes: await residentBytes(pid) }];
}

/** Resident memory of a process, bytes; 0 where unknown. */
export async function residentBytes(pid: number): Promise<number> {
  if (process.platform === "linux") {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  }
  const listed = await promisify(execFile)("/bin/ps", ["-o", "rss=", "-p", String(pid)]).catch(
    () => undefined,
  );
  return Number(listed?.stdout.trim() ?? 0) * 1024;
}
