import { spawn } from "node:child_process";
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFlags, processEnvironment } from "../core/remote.ts";
import { folderIdentity } from "../lock/place.ts";

/*
 * Where the resident process of a home is, and how it is started. The launcher loads this before each command:
 * nothing here needs more than Node.
 */

/** Increase it when a client and a host of different versions could misunderstand each other. */
export const protocolVersion = 3;

const self = fileURLToPath(import.meta.url);
const entryPath = join(dirname(self), `../start-resident${extname(self)}`);

/** Time for a new process to start listening, ms: as long as a command waits for the store. */
export const startMs = 30_000;

/** Identifies an installation: its version, location and build time. */
export function programIdentity(): string {
  const root = new URL("../../", import.meta.url);
  // Every package.json has a version, and the value is only compared.
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: unknown };
  const builtAt = new Date(statSync(self).mtimeMs).toISOString();
  return `ragctl ${String(version)} in ${fileURLToPath(root)} of ${builtAt}`;
}

/** Files of a home's host. */
export function hostFiles(home: string) {
  const folder = join(home, "host");
  return {
    folder,
    address: join(folder, "host.json"),
    log: join(folder, "host.log"),
    stores: join(home, "stores"),
  } as const;
}

/** Where a host listens, as it writes down. */
export interface Address {
  readonly protocol: number;
  /** Path of its socket. */
  readonly control: string;
  /** The folder it was written for: a copied home still names the process of the original. */
  readonly place?: string;
}

/** The published address of a home's host; undefined if there is none or it belongs to a different home. */
export function readAddress(home: string): Address | undefined {
  const { address, folder } = hostFiles(home);
  try {
    const found: Partial<Record<keyof Address, unknown>> = JSON.parse(readFileSync(address, "utf8"));
    const { protocol, control, place = folderIdentity(folder) } = found;
    const isRead = typeof protocol === "number" && typeof control === "string";
    return isRead && place === folderIdentity(folder) ? { protocol, control } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only the user can have created the file. */
function isOurs(path: string, kind: "folder" | "socket"): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.geteuid?.()) return false;
  return kind === "socket" ? stats.isSocket() : stats.isDirectory() && (stats.mode & 0o077) === 0;
}

/** A connection to a socket; undefined if nobody listens. */
export function connect(path: string): Promise<Socket | undefined> {
  const socket = createConnection(path);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(socket));
    // Later, the connection ends.
    socket.on("error", () => resolve(undefined));
  });
}

export interface StartOptions {
  readonly home: string;
  /** How long the host stays without use, ms. Default 60 000. */
  readonly idleMs?: number;
  /** Path of the program. Default: that of this process. */
  readonly node?: string;
  /** Path of its entry. Default: that of this build. */
  readonly entry?: string;
}

/**
 * Starts the resident process of a home, detached. It gets only the process-wide part of the caller's
 * environment. `failed` is called if it does not start, or ends with an error while this process lives.
 */
export function startResident(options: StartOptions, failed: () => void): void {
  const { home, node = process.execPath, entry = entryPath, ...config } = options;
  const files = hostFiles(home);
  mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  const log = openSync(files.log, "a", 0o600);
  try {
    const child = spawn(node, [...nodeFlags, entry, JSON.stringify({ home, ...config })], {
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

/** Connects to the resident process of a home, unless others could access its socket. */
async function connectPrivately(home: string): Promise<Socket | undefined> {
  const control = readAddress(home)?.control;
  if (control === undefined || !isOurs(hostFiles(home).folder, "folder")) return undefined;
  return isOurs(dirname(control), "folder") && isOurs(control, "socket") ? connect(control) : undefined;
}

/**
 * Connects to the resident process of a home and starts it if none runs. Undefined if the home does not exist
 * yet or the process does not start: a process for the command then reports what is wrong.
 */
export async function connectResident(home: string, node: string): Promise<Socket | undefined> {
  const running = await connectPrivately(home);
  if (running !== undefined || !existsSync(join(home, "registry.sqlite"))) return running;
  let hasFailed = false;
  try {
    startResident({ home, node }, () => {
      hasFailed = true;
    });
  } catch {
    return undefined;
  }
  for (const deadline = performance.now() + startMs; performance.now() < deadline && !hasFailed; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const started = await connectPrivately(home);
    if (started !== undefined) return started;
  }
  return undefined;
}
