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

export interface Servers {
  /** Address of an instance's server, started if need be. @throws RUNTIME_MISSING STORE_UNAVAILABLE */
  uri(instance: Instance, runtime: string): Promise<string>;
  status(): Promise<
    readonly {
      readonly name: Instance;
      readonly pid: number;
      readonly uri: string;
      readonly rssBytes: number;
    }[]
  >;
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

  const start = async (instance: Instance, runtime: string): Promise<LiteServer> => {
    const record = join(files.folder, `${instance}.server.json`);
    // A host killed with -9 may have left a server that is still on its way out: two on one file would spoil
    // it.
    const left = await readIdentity(record);
    if (left !== undefined) await endProcess(left);
    const server = await startLiteServer({
      id: instance,
      runtime,
      dataFolder: files.stores,
      name: instance,
      socketFolder: files.folder,
      logPath: join(files.folder, `${instance}.log`),
    });
    try {
      await writeFile(record, await identityText(server.pid, files.folder), { mode: 0o600 });
    } catch (error) {
      // Nobody would know of it: the next one would be a second on one file.
      await server.stop();
      throw error;
    }
    log(`server ${instance} listens at ${server.uri} (pid ${server.pid})`);
    const since = performance.now();
    void server.exited.then(async () => {
      running.delete(instance);
      await rm(record, { force: true });
      if (stopping) return;
      log(`server ${instance} (pid ${server.pid}) ended unasked`);
      if (inUse() && performance.now() - since > steadyMs)
        await get(instance, runtime).catch((error: unknown) =>
          log(`server ${instance} did not come back: ${String(error)}`),
        );
    });
    return server;
  };

  const get = (instance: Instance, runtime: string): Promise<LiteServer> => {
    const server = running.get(instance);
    if (server !== undefined) return server;
    const starting = start(instance, runtime);
    running.set(instance, starting);
    starting.catch(() => running.delete(instance));
    return starting;
  };

  return {
    async uri(instance, runtime) {
      return (await get(instance, runtime)).uri;
    },
    async status() {
      const settled = await Promise.all(
        [...running].map(async ([name, server]) => ({ name, server: await server.catch(() => undefined) })),
      );
      const servers = settled.flatMap(({ name, server }) => (server === undefined ? [] : [{ name, server }]));
      return Promise.all(
        servers.map(async ({ name, server }) => ({
          name,
          pid: server.pid,
          uri: server.uri,
          rssBytes: await residentBytes(server.pid),
        })),
      );
    },
    async stop() {
      stopping = true;
      const servers = await Promise.allSettled(running.values());
      await Promise.all(servers.map((each) => (each.status === "fulfilled" ? each.value.stop() : undefined)));
    },
  };
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
