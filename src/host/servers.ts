import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Instance } from "../core/retrieval.ts";
import { type LiteServer, startLiteServer } from "../drivers/stores/lite-server.ts";
import { endProcess, identityText, readIdentity } from "./identity.ts";
import { type HostConfig, hostFiles } from "./protocol.ts";

/** A server that lived shorter than this is not started again by itself, ms. */
const steadyMs = 5_000;

type HostFiles = ReturnType<typeof hostFiles>;

interface ServerStatus {
  readonly name: Instance;
  readonly pid: number;
  readonly uri: string;
  readonly rssBytes: number;
}

/** Servers of stores that this process owns. */
export interface Servers {
  /** Address of an instance's server, started if need be. @throws RUNTIME_MISSING STORE_UNAVAILABLE */
  uri(instance: Instance, runtime: string): Promise<string>;
  status(): Promise<readonly ServerStatus[]>;
  stop(): Promise<void>;
}

/**
 * The native servers of a home, one per instance, started on first use. `inUse` says whether one that died
 * must come back.
 */
export function createServers(
  config: Pick<HostConfig, "home">,
  inUse: () => boolean,
  log: (message: string) => void,
): Servers {
  const files = hostFiles(config.home);
  const running = new Map<Instance, Promise<LiteServer>>();
  let stopping = false;

  const get = (instance: Instance, runtime: string): Promise<LiteServer> => {
    const server = running.get(instance);
    if (server !== undefined) return server;
    const starting = start(instance, runtime);
    running.set(instance, starting);
    starting.catch(() => running.delete(instance));
    return starting;
  };
  const start = async (instance: Instance, runtime: string): Promise<LiteServer> => {
    const server = await startRecorded(instance, runtime, files);
    log(`server ${instance} listens at ${server.uri} (pid ${server.pid})`);
    const since = performance.now();
    void server.exited.then(async () => {
      running.delete(instance);
      await rm(recordOf(instance, files), { force: true });
      if (stopping) return;
      log(`server ${instance} (pid ${server.pid}) ended unasked`);
      if (inUse() && performance.now() - since > steadyMs)
        await get(instance, runtime).catch((error: unknown) =>
          log(`server ${instance} did not come back: ${String(error)}`),
        );
    });
    return server;
  };

  return {
    async uri(instance, runtime) {
      return (await get(instance, runtime)).uri;
    },
    async status() {
      const all = await Promise.all([...running].map(async ([name, server]) => statusOf(name, server)));
      return all.filter((status) => status !== undefined);
    },
    async stop() {
      stopping = true;
      const servers = await Promise.allSettled(running.values());
      await Promise.all(servers.map((each) => (each.status === "fulfilled" ? each.value.stop() : undefined)));
    },
  };
}

/** Names the process of an instance's server, for a host that finds it running. */
const recordOf = (instance: Instance, { folder }: HostFiles): string =>
  join(folder, `${instance}.server.json`);

/** Starts the server of an instance and records its process, or neither. */
async function startRecorded(instance: Instance, runtime: string, files: HostFiles): Promise<LiteServer> {
  const { folder, stores } = files;
  const record = recordOf(instance, files);
  // A host killed with -9 may have left a server that is still on its way out: two on one file would spoil it.
  const left = await readIdentity(record);
  if (left !== undefined) await endProcess(left);
  const server = await startLiteServer({
    id: instance,
    runtime,
    dataFolder: stores,
    name: instance,
    socketFolder: folder,
    logPath: join(folder, `${instance}.log`),
  });
  try {
    await writeFile(record, await identityText(server.pid, folder), { mode: 0o600 });
  } catch (error) {
    // Nobody would know of it: the next one would be a second on one file.
    await server.stop();
    throw error;
  }
  return server;
}

/** Undefined for a server that did not start. */
async function statusOf(name: Instance, started: Promise<LiteServer>): Promise<ServerStatus | undefined> {
  const server = await started.catch(() => undefined);
  return server && { name, pid: server.pid, uri: server.uri, rssBytes: await residentBytes(server.pid) };
}

/** Resident memory of a process, bytes; 0 when it cannot be told. */
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
