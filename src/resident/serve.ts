import { appendFileSync } from "node:fs";
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { RemoteLink } from "../cli/remote.ts";
import type { Resident } from "../cli/shell/terminal.ts";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import type { CallerFrame, RemoteFrame, RemoteRequest } from "../core/remote.ts";
import { ensurePrivateFolder, removeSocket, socketFolderFor } from "../drivers/stores/lite-server.ts";
import { tryLock } from "../lock/lock.ts";
import { folderIdentity } from "../lock/place.ts";
import { type Address, hostFiles, protocolVersion } from "./address.ts";
import { admit, isOfThisProgram, mismatch } from "./admission.ts";
import { readMessages, sendMessage } from "./frames.ts";
import { startMainThreadWatchdog } from "./heartbeat.ts";
import {
  callerFrameSchema,
  type HostStatus,
  hostConfigSchema,
  type LocalDatabase,
  maxRequestBytes,
  requestSchema,
} from "./protocol.ts";
import { reserveDiskSpace } from "./reserve.ts";
import { createServers, residentBytes, type Servers } from "./servers.ts";
import { graceMs } from "./stop.ts";

const socketName = "control.sock";

/** Engines that outlive the command they were opened for. */
interface Engines extends AsyncDisposable {
  loader(options: {
    readonly idleMs: number;
    readonly onWait: (ahead: number) => void;
  }): ReturnType<Resident["loader"]>;
  models(): Readonly<HostStatus["models"]>;
}

/** What runs in the process. */
export interface Program {
  /** `onIdle` is called when an engine was closed. */
  openEngines(onIdle: () => void): Engines;
  /** Runs a caller's command to its end. */
  run(link: RemoteLink, resident: Resident): Promise<void>;
}

/** A command that runs. */
interface Running {
  readonly command: string;
  readonly principal: string;
  readonly since: number;
  readonly ended: Promise<void>;
}

/** Shared state of the steps. */
interface Host {
  readonly home: string;
  readonly log: (message: string) => void;
  readonly startedAt: number;
  /** That of the home. */
  readonly lock: AsyncDisposable;
  readonly control: Server;
  /** Path of the control socket. */
  readonly path: string;
  readonly servers: Servers;
  readonly engines: Engines;
  readonly run: Program["run"];
  readonly running: Set<Running>;
  /** Aborted when the process ends before its commands do. */
  readonly ending: AbortController;
  readonly connections: Set<Socket>;
  /** Connections that hold a lease. */
  readonly leases: Set<Socket>;
  idle: NodeJS.Timeout | undefined;
  idleMs: number;
}

/**
 * The resident process of a home: owns its databases, lends their servers, and runs commands for callers with
 * the models it keeps loaded. Each command opens an app of its own by its own settings; only engines are
 * shared, by all they are opened with. It ends when nobody has used it for a while.
 * 1. become the owner or leave; 2. listen on the control socket and write its address down; 3. serve; 4. stop
 *   the servers and leave.
 */
export async function serveHome(config: string, program: Program): Promise<void> {
  startMainThreadWatchdog();
  const { home, idleMs } = hostConfigSchema.parse(JSON.parse(config));
  const files = hostFiles(home);
  await ensurePrivateFolder(home);
  await ensurePrivateFolder(files.folder);
  const onLost = (): void => void stop(host, "its home is gone, or in use on another machine");
  const lock = await tryLock(files.folder, "server", onLost);
  if (lock === undefined) return;
  const log = openLog(files.log);
  const host: Host = {
    ...{ home, idleMs, log, lock },
    startedAt: performance.now(),
    control: createServer(),
    path: join(await socketFolderFor(files.folder, socketName), socketName),
    servers: createServers(home, () => isUsed(host), log),
    engines: program.openEngines(() => waitForWork(host)),
    run: program.run,
    running: new Set(),
    ending: new AbortController(),
    connections: new Set(),
    leases: new Set(),
    idle: undefined,
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
async function listen({ home, control, path }: Host): Promise<void> {
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    control.once("error", reject);
    control.listen(path, resolve);
  });
  await chmod(path, 0o600);
  const { address, folder } = hostFiles(home);
  const draft = `${address}.${process.pid}`;
  const found: Address = { protocol: protocolVersion, control: path, place: folderIdentity(folder) };
  try {
    await writeFile(draft, JSON.stringify(found), { mode: 0o600 });
    await rename(draft, address);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Ends the commands, the models and the servers, in this order, and then the process. */
async function stop(host: Host, reason: string): Promise<void> {
  if (host.ending.signal.aborted) return;
  const why = "the resident process was stopped while it ran this command";
  host.ending.abort(new RagctlError("HOST_UNAVAILABLE", why, { hint: "run the same command again" }));
  host.log(`stopping: ${reason}`);
  clearTimeout(host.idle);
  host.control.close();
  const ended = Promise.all([...host.running].map((each) => each.ended));
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, graceMs))]);
  await host.engines[Symbol.asyncDispose]();
  await host.servers.stop();
  for (const socket of host.connections) socket.destroySoon();
  const { folder } = hostFiles(host.home);
  await removeSocket(host.path, folder);
  await reserveDiskSpace(folder);
  await host.lock[Symbol.asyncDispose]();
  host.log("stopped");
  // Models and threads must not keep the process alive: its threads let native runs end first
  // (drivers/runtime/gate.ts).
  process.exit(0);
}

/** Whether a command uses the databases or a model. */
const isUsed = ({ leases, running }: Host): boolean => leases.size + running.size > 0;

/**
 * Restarts the idle time. A lease can come before the host has said that it listens; while one is held, the
 * host stays.
 */
function waitForWork(host: Host): void {
  clearTimeout(host.idle);
  if (isUsed(host) || host.engines.models().length > 0 || host.ending.signal.aborted) return;
  const { idleMs } = host;
  host.idle = setTimeout(() => void stop(host, `unused for ${idleMs} ms`), idleMs);
}

function accept(host: Host, socket: Socket): void {
  if (host.ending.signal.aborted) {
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
  let take: Take | undefined;
  for await (const message of readMessages(socket, maxRequestBytes)) {
    if (take !== undefined) {
      take(callerFrameSchema.parse(message));
      continue;
    }
    const reply = await answer(host, socket, message).catch((error: unknown) => {
      const { code, message: text, hint } = asRagctlError(error);
      host.log(`request failed: ${code} ${text}`);
      return { ok: false, code, message: text, hint };
    });
    if (typeof reply === "function") take = reply;
    else sendMessage(socket, reply);
  }
}

/** Takes the frames of a caller while its command runs. */
type Take = (frame: CallerFrame) => void;

/** Runs a caller's command over its connection; the value takes the frames that follow. */
function serveCommand(host: Host, socket: Socket, request: RemoteRequest): Take {
  const left = new AbortController();
  const takers: Take[] = [];
  socket.once("close", () => left.abort());
  const send = (frame: RemoteFrame): void => sendMessage(socket, frame);
  send({ hello: process.pid });
  clearTimeout(host.idle);
  run(host, { request, send, onFrame: (each) => void takers.push(each), left: left.signal })
    .catch((error: unknown) => host.log(`a command failed: ${String(error)}`))
    .finally(() => {
      socket.end();
      waitForWork(host);
    });
  return (frame) => {
    for (const each of takers) each(frame);
  };
}

/** Runs a command, which is among the running ones from its admission to its end, or declines it. */
async function run(host: Host, link: RemoteLink): Promise<void> {
  const reason = mismatch(link.request);
  if (reason !== undefined) {
    link.send({ decline: reason });
    if (!isOfThisProgram(link.request) && !isUsed(host)) void stop(host, "another ragctl is using this home");
    return;
  }
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let own: Running | undefined;
  const resident: Resident = {
    admit(command, principal, settings) {
      admit(command, settings, host.home);
      host.idleMs = settings.milvus.idleMs;
      own = { command, principal, since: performance.now(), ended };
      host.running.add(own);
    },
    loader: ({ resident: { idleMs } }, onWait) => ({
      ...host.engines.loader({ idleMs, onWait }),
      localStore: (database, runtime) => host.servers.uri(database, runtime),
    }),
    ending: host.ending.signal,
  };
  try {
    await host.run(link, resident);
  } finally {
    if (own !== undefined) host.running.delete(own);
    resolve();
  }
}

/** The reply to a request; to a command what takes its frames. */
async function answer(host: Host, socket: Socket, message: unknown): Promise<Take | Record<string, unknown>> {
  const { engines, leases, running, servers } = host;
  const request = requestSchema.parse(message);
  switch (request.request) {
    case "status":
      return {
        pid: process.pid,
        uptimeMs: Math.round(performance.now() - host.startedAt),
        rssBytes: await residentBytes(process.pid),
        clients: leases.size + running.size,
        commands: [...running].map(({ command, principal, since }) => ({
          ...{ command, principal },
          runningMs: Math.round(performance.now() - since),
        })),
        models: engines.models(),
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
      return { pid: process.pid, uris };
    }
    case "run":
      return serveCommand(host, socket, request);
  }
}
