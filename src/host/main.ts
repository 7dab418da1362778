import { appendFileSync } from "node:fs";
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { asRagctlError } from "../core/errors.ts";
import type { Instance } from "../core/retrieval.ts";
import { privateFolder, removeSocket, socketFolderFor } from "../drivers/stores/lite-server.ts";
import { takeOwnership } from "./lock.ts";
import {
  type HostConfig,
  hostConfigSchema,
  hostFiles,
  protocolVersion,
  readMessages,
  requestSchema,
} from "./protocol.ts";
import { createServers, type Servers } from "./servers.ts";

const socketName = "control.sock";

/** What the steps of the host share. */
interface Host {
  readonly config: HostConfig;
  readonly log: (message: string) => void;
  readonly startedAt: number;
  readonly control: Server;
  /** Path of the control socket. */
  readonly path: string;
  readonly servers: Servers;
  readonly connections: Set<Socket>;
  /** Connections that hold a lease. */
  readonly leases: Set<Socket>;
  idle: NodeJS.Timeout | undefined;
  stopping: boolean;
}

/**
 * The resident process of a home: owns its databases, lends their servers, ends when nobody has leased one for a while.
 * 1. become the owner or leave; 2. listen on the control socket and write its address down; 3. serve; 4. stop the servers and leave.
 */
async function main(config: HostConfig): Promise<void> {
  const files = hostFiles(config.home);
  await privateFolder(config.home);
  await privateFolder(files.folder);
  if (!(await takeOwnership(files.folder))) return;

  const log = openLog(files.log);
  const leases = new Set<Socket>();
  const host: Host = {
    config,
    log,
    startedAt: performance.now(),
    control: createServer(),
    path: join(await socketFolderFor(files.folder, socketName), socketName),
    servers: createServers(config, () => leases.size > 0, log),
    connections: new Set(),
    leases,
    idle: undefined,
    stopping: false,
  };
  host.control.on("connection", (socket) => accept(host, socket));
  await listen(host);
  log(`listening at ${host.path}`);
  process.on("SIGTERM", () => void stop(host, "SIGTERM"));
  process.on("SIGINT", () => void stop(host, "SIGINT"));
  process.on("SIGHUP", () => undefined);
  waitForWork(host);
}

function openLog(path: string): (message: string) => void {
  return (message) => {
    const line = JSON.stringify({ time: new Date().toISOString(), pid: process.pid, message });
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  };
}

/** Opens the control socket for its owner only, then writes its address down in one step. */
async function listen({ config, control, path }: Host): Promise<void> {
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    control.once("error", reject);
    control.listen(path, resolve);
  });
  await chmod(path, 0o600);
  const { address } = hostFiles(config.home);
  const draft = `${address}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ protocol: protocolVersion, control: path }), { mode: 0o600 });
  await rename(draft, address);
}

async function stop(host: Host, reason: string): Promise<void> {
  if (host.stopping) return;
  host.stopping = true;
  host.log(`stopping: ${reason}`);
  clearTimeout(host.idle);
  host.control.close();
  await host.servers.stop();
  for (const socket of host.connections) socket.destroy();
  await removeSocket(host.path, hostFiles(host.config.home).folder);
  host.log("stopped");
  process.exit(0);
}

/** Restarts the idle time. A lease can come before the host has said that it listens: whoever holds one keeps it. */
function waitForWork(host: Host): void {
  clearTimeout(host.idle);
  if (host.leases.size > 0 || host.stopping) return;
  const { idleMs } = host.config;
  host.idle = setTimeout(() => void stop(host, `no lease for ${idleMs} ms`), idleMs);
}

function accept(host: Host, socket: Socket): void {
  if (host.stopping) {
    socket.destroy();
    return;
  }
  host.connections.add(socket);
  socket.on("error", () => undefined);
  socket.once("close", () => {
    host.connections.delete(socket);
    host.leases.delete(socket);
    waitForWork(host);
  });
  serve(host, socket).catch(() => socket.destroy());
}

async function serve(host: Host, socket: Socket): Promise<void> {
  for await (const message of readMessages(socket)) {
    const reply = await answer(host, socket, message).catch((error: unknown) => {
      const { code, message: text, hint } = asRagctlError(error);
      host.log(`request failed: ${code} ${text}`);
      return { ok: false, code, message: text, ...(hint === undefined ? {} : { hint }) };
    });
    if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
  }
}

async function answer(host: Host, socket: Socket, message: unknown): Promise<object> {
  const { leases, servers } = host;
  const request = requestSchema.parse(message);
  switch (request.request) {
    case "health":
      return { ok: true };
    case "status":
      return {
        ok: true,
        pid: process.pid,
        uptimeMs: Math.round(performance.now() - host.startedAt),
        clients: leases.size,
        instances: await servers.status(),
      };
    case "stop":
      setImmediate(() => void stop(host, "asked to"));
      return { ok: true };
    case "lease": {
      leases.add(socket);
      clearTimeout(host.idle);
      const uris: Partial<Record<Instance, string>> = {};
      for (const instance of request.instances) uris[instance] = await servers.uri(instance);
      return { ok: true, pid: process.pid, uris };
    }
  }
}

await main(hostConfigSchema.parse(JSON.parse(process.argv[2] ?? "{}")));
