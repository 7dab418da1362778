import { spawn } from "node:child_process";
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFlags, processEnvironment } from "../core/remote.ts";
import { folderIdentity } from "../lock/process.ts";

/**
 * Time for a new process to start listening, ms: as long as a command waits for the store.
 */
const startMs = 30_000;

/** Whether only the user can have created the file. */
function isOurs(path: string, kind: "folder" | "socket"): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.geteuid?.()) return false;
  return kind === "socket" ? stats.isSocket() : stats.isDirectory() && (stats.mode & 0o077) === 0;
}

/** The socket of a home's resident process; undefined if there is none or others could access it. */
function socketOf(home: string): string | undefined {
  try {
    const folder = join(home, "host");
    if (!isOurs(folder, "folder")) return undefined;
    const address: unknown = JSON.parse(readFileSync(join(folder, "host.json"), "utf8"));
    if (typeof address !== "object" || address === null || !("control" in address)) return undefined;
    // A copied home names the process of the original, which would write to the original's stores.
    if ("place" in address && address.place !== folderIdentity(folder)) return undefined;
    const { control } = address;
    return typeof control === "string" && isOurs(dirname(control), "folder") && isOurs(control, "socket")
      ? control
      : undefined;
  } catch {
    return undefined;
  }
}

function connectOnce(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", () => resolve(undefined));
  });
}

/**
 * Starts the resident process of a home, detached. It gets only the process-wide part of the caller's
 * environment. `failed` is called if it ends with an error.
 */
function start(home: string, node: string, failed: () => void): void {
  const entry = fileURLToPath(
    new URL(`../start-resident${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
  );
  mkdirSync(join(home, "host"), { recursive: true, mode: 0o700 });
  const log = openSync(join(home, "host", "host.log"), "a", 0o600);
  try {
    const child = spawn(node, [...nodeFlags, entry, JSON.stringify({ home })], {
      cwd: home,
      detached: true,
      env: processEnvironment(process.env),
      stdio: ["ignore", log, log],
    });
    child.on("error", failed);
    child.on("exit", (status) => {
      if (status !== 0) failed();
    });
    child.unref();
  } finally {
    closeSync(log);
  }
}

/**
 * Connects to the resident process of a home and starts it if none runs. Undefined if the home does not exist
 * yet or the process does not start: a process for the command then reports what is wrong.
 */
export async function connectResident(home: string, node: string): Promise<Socket | undefined> {
  const path = socketOf(home);
  const socket = path === undefined ? undefined : await connectOnce(path);
  if (socket !== undefined || !existsSync(join(home, "registry.sqlite"))) return socket;
  let hasFailed = false;
  try {
    start(home, node, () => {
      hasFailed = true;
    });
  } catch {
    return undefined;
  }
  for (const deadline = performance.now() + startMs; performance.now() < deadline && !hasFailed; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const listening = socketOf(home);
    const started = listening === undefined ? undefined : await connectOnce(listening);
    if (started !== undefined) return started;
  }
  return undefined;
}
