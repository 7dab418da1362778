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

/** Starts a server's process with its output in a file. */
export function spawnServer(
  program: string,
  args: readonly string[],
  { cwd, logPath, uid, gid, detached = false }: SpawnOptions,
): ChildProcess {
  const log = openSync(logPath, "a");
  const child = spawn(program, args, {
    cwd,
    detached,
    stdio: ["ignore", log, log],
    ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
  });
  closeSync(log);
  if (detached) child.unref();
  return child;
}

/** Waits until the server answers. @throws when it ended before, or does not within a minute and a half */
export async function ready(
  child: ChildProcess,
  check: () => Promise<boolean>,
  logPath: string,
): Promise<number> {
  const failure = once(child, "error").then(([error]) => Promise.reject(error));
  failure.catch(() => undefined);
  const deadline = Date.now() + 90_000;
  while (!(await Promise.race([check().catch(() => false), failure]))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended before it was ready: see ${logPath}`);
    if (Date.now() > deadline) throw new Error(`the server is not ready after 90 s: see ${logPath}`);
    await sleep(100);
  }
  if (child.pid === undefined) throw new Error("the server has no process");
  return child.pid;
}

/** How a child that this process started is ended. */
export function stopper(child: ChildProcess): RunningServer["stop"] {
  return async (signal = "SIGTERM") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
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
