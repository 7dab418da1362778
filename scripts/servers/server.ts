/** What the servers that tests and trials start have in common. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Runs a program to its end. */
export const execute = promisify(execFile);

/** A server that listens. */
export interface RunningServer {
  /** Process to be ended by its id. */
  readonly pid: number;
  /** Environment variables under which ragctl reaches it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Ends it, at once with SIGKILL; resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface SpawnOptions {
  readonly cwd: string;
  /** File its output is added to. */
  readonly logPath: string;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** Outlives this process. Default false. */
  readonly detached?: boolean | undefined;
}

/** A server's process. */
export interface Spawned extends Required<Pick<SpawnOptions, "logPath" | "detached">> {
  readonly child: ChildProcess;
}

/** Starts a server's process with its output in a file. */
export function spawnServer(
  program: string,
  args: readonly string[],
  { cwd, logPath, uid, gid, detached = false }: SpawnOptions,
): Spawned {
  const log = openSync(logPath, "a");
  const child = spawn(program, args, {
    cwd,
    detached,
    stdio: ["ignore", log, log],
    ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
  });
  closeSync(log);
  if (detached) child.unref();
  return { child, logPath, detached };
}

/**
 * Waits until the server answers; one that does not in time is ended, with what it started where it is
 * detached. @throws when it ended before, or does not answer within `timeoutMs`
 */
export async function ready(
  spawned: Spawned,
  check: () => Promise<boolean>,
  timeoutMs = 90_000,
): Promise<number> {
  const { child, logPath } = spawned;
  const failure = once(child, "error").then(([error]) => Promise.reject(error));
  failure.catch(() => undefined);
  const deadline = Date.now() + timeoutMs;
  while (!(await Promise.race([check().catch(() => false), failure]))) {
    if (hasEnded(child)) throw new Error(`the server ended before it was ready: see ${logPath}`);
    if (Date.now() > deadline) {
      await abandon(spawned);
      throw new Error(`the server is not ready after ${timeoutMs / 1000} s and was ended: see ${logPath}`);
    }
    await sleep(100);
  }
  if (child.pid === undefined) throw new Error("the server has no process");
  return child.pid;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

async function abandon({ child, detached }: Spawned): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = once(child, "exit");
  // A detached process leads a group of its own.
  process.kill(detached ? -child.pid : child.pid, "SIGKILL");
  await ended;
}

/** How a child that this process started is ended. */
export function stopper({ child }: Spawned): RunningServer["stop"] {
  return async (signal = "SIGTERM") => {
    if (hasEnded(child)) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}

/** Whether something listens on a port of 127.0.0.1. */
export async function isListening(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
