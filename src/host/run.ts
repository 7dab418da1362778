import { appendFileSync } from "node:fs";
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { asRagctlError } from "../core/errors.ts";
import type { CallerFrame, RemoteFrame, RemoteRequest } from "../core/remote.ts";
import type { z } from "../core/schema.ts";
import { ensurePrivateFolder, removeSocket, socketFolderFor } from "../drivers/stores/lite-server.ts";
import { tryLock } from "../lock/lock.ts";
import { folderIdentity } from "../lock/process.ts";
import {
  callerFrameSchema,
  type HostConfig,
  hostFiles,
  type LocalDatabase,
  maxRequestBytes,
  protocolVersion,
  readMessages,
  requestSchema,
  type statusSchema,
} from "./protocol.ts";
import { reserveDiskSpace } from "./reserve.ts";
import { createServers, residentBytes, type Servers } from "./servers.ts";

const socketName = "control.sock";

/** Shared state of the host's steps. */
interface Host {
  readonly config: HostConfig;
  readonly log: (message: string) => void;
  readonly startedAt: number;
  /** That of the home. */
  readonly lock: AsyncDisposable;
  readonly control: Server;
  /** Path of the control socket. */
  readonly path: string;
  readonly servers: Servers;
  readonly services: HostServices;
  readonly connections: Set<Socket>;
  /** Connections that hold a lease. */
  readonly leases: Set<Socket>;
  idle: NodeJS.Timeout | undefined;
  idleMs: number;
  stopping: boolean;
}

/** The connection of a caller whose command the host runs. */
export interface CommandLink {
  readonly request: RemoteRequest;
  send(frame: RemoteFrame): void;
  /** Calls `take` with each later frame of the caller. */
  onFrame(take: (frame: CallerFrame) => void): void;
  /** Aborted when the caller has left. */
  readonly left: AbortSignal;
}

/** The interface of the host for services. */
export interface HostLifetime {
  readonly home: string;
  /**
   * Address of a local store, whose server is started if need be. @throws RUNTIME_MISSING STORE_UNAVAILABLE
   */
  readonly localStore: (database: LocalDatabase, runtime: string) => Promise<string>;
  /** Something ended: the idle time begins once nothing is in use. */
  idle(): void;
  /** How long the host stays without use from now on, ms. */
  setIdleMs(ms: number): void;
  /** Another ragctl works on this home: ends unless something is in use. */
  retire(): void;
  readonly log: (message: string) => void;
}

/** What a host does in addition to owning the databases. */
export interface HostServices {
  /** Runs a caller's command to its end. */
  run(link: CommandLink): Promise<void>;
  /** Commands that run and models that are loaded. */
  status(): Pick<HostState, "commands" | "models">;
  /** Ends the commands and unloads the models. */
  stop(): Promise<void>;
}
type HostState = z.infer<typeof statusSchema>;

/**
 * The resident process of a home: owns its databases, lends their servers, ends when nobody has leased one
 * for a while.
 * 1. become the owner or leave; 2. listen on the control socket and write its address down; 3. serve; 4. stop
 *   the servers and leave.
 */
export async function runHost(
  config: HostConfig,
  openServices: (lifetime: HostLifetime) => HostServices,
): Promise<void> {
  const files = hostFiles(config.home);
  await ensurePrivateFolder(config.home);
  await ensurePrivateFolder(files.folder);
  const onLost = (): void => void stop(host, "its home is gone, or in use on another machine");
  const lock = await tryLock(files.folder, "server", onLost);
  if (lock === undefined) return;

  const log = openLog(files.log);
  const leases = new Set<Socket>();
  const lifetime: HostLifetime = {
    home: config.home,
    localStore: (database, runtime) => host.servers.uri(database, runtime),
    idle: () => waitForWork(host),
    setIdleMs(ms) {
      host.idleMs = ms;
    },
    retire() {
      if (!isUsed(host)) void stop(host, "another ragctl is using this home");
    },
    log,
  };
  const host: Host = {
    config,
    log,
    startedAt: performance.now(),
    lock,
    control: createServer(),
    path: join(await socketFolderFor(files.folder, socketName), socketName),
    servers: createServers(config, () => isUsed(host), log),
    services: openServices(lifetime),
    connections: new Set(),
    leases,
    idle: undefined,
    idleMs: config.idleMs,
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
    try {
      appendFileSync(path, `${line}\n`, { mode: 0o600 });
    } catch {
      // On a full disk commands continue without a log.
    }
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
  const { address, folder } = hostFiles(config.home);
  const draft = `${address}.${process.pid}`;
  const text = JSON.stringify({ protocol: protocolVersion, control: path, place: folderIdentity(folder) });
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, address);
  } finally {
    await rm(draft, { force: true });
  }
}

async function stop(host: Host, reason: string): Promise<void> {
  if (host.stopping) return;
  host.stopping = true;
  host.log(`stopping: ${reason}`);
  clearTimeout(host.idle);
  host.control.close();
  await host.services.stop();
  await host.servers.stop();
  for (const socket of host.connections) socket.destroySoon();
  const { folder } = hostFiles(host.config.home);
  await removeSocket(host.path, folder);
  await reserveDiskSpace(folder);
  await host.lock[Symbol.asyncDispose]();
  host.log("stopped");
  // Models and threads must not keep the process alive: its threads let native runs end first
  // (drivers/runtime/gate.ts).
  process.exit(0);
}

/** Whether a command uses the databases or a model. */
function isUsed({ leases, services }: Host): boolean {
  return leases.size > 0 || services.status().commands.length > 0;
}

/**
 * Restarts the idle time. A lease can come before the host has said that it listens; while one is held, the
 * host stays.
 */
function waitForWork(host: Host): void {
  clearTimeout(host.idle);
  if (isUsed(host) || host.services.status().models.length > 0 || host.stopping) return;
  const { idleMs } = host;
  host.idle = setTimeout(() => void stop(host, `unused for ${idleMs} ms`), idleMs);
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
  let take: ((frame: CallerFrame) => void) | undefined;
  for await (const message of readMessages(socket, maxRequestBytes)) {
    if (take !== undefined) {
      take(callerFrameSchema.parse(message));
      continue;
    }
    const request = requestSchema.safeParse(message);
    if (request.data?.request === "run") {
      take = runCommand(host, socket, request.data);
      continue;
    }
    const reply = await answer(host, socket, message).catch((error: unknown) => {
      const { code, message: text, hint } = asRagctlError(error);
      host.log(`request failed: ${code} ${text}`);
      return { ok: false, code, message: text, ...(hint === undefined ? {} : { hint }) };
    });
    if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
  }
}

/** Runs a caller's command over its connection; the value takes the frames that follow. */
function runCommand(host: Host, socket: Socket, request: RemoteRequest): (frame: CallerFrame) => void {
  const left = new AbortController();
  const takers: ((frame: CallerFrame) => void)[] = [];
  socket.once("close", () => left.abort());
  const send = (frame: RemoteFrame): void => {
    if (socket.writable) socket.write(`${JSON.stringify(frame)}\n`);
  };
  send({ hello: process.pid });
  clearTimeout(host.idle);
  host.services
    .run({ request, send, onFrame: (each) => void takers.push(each), left: left.signal })
    .catch((error: unknown) => host.log(`a command failed: ${String(error)}`))
    .finally(() => {
      socket.end();
      waitForWork(host);
    });
  return (frame) => {
    for (const each of takers) each(frame);
  };
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
        rssBytes: await residentBytes(process.pid),
        clients: leases.size + host.services.status().commands.length,
        ...host.services.status(),
        instances: await servers.status(),
      };
    case "stop":
      setImmediate(() => void stop(host, "asked to"));
      return { ok: true };
    case "lease": {
      leases.add(socket);
      clearTimeout(host.idle);
      const uris: Partial<Record<LocalDatabase, string>> = {};
      for (const instance of request.instances) uris[instance] = await servers.uri(instance, request.runtime);
      return { ok: true, pid: process.pid, uris };
    }
    case "run":
      throw new TypeError("a command has its own connection");
  }
}
