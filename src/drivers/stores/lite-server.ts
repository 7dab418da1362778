import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { chmod, lstat, mkdir, rm, rmdir, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { waitForListener } from "./milvus-connection.ts";

export interface LiteServerOptions {
  /** Store id, for messages. */
  readonly id: string;
  /** Folder with the native `milvus` program and its libraries. */
  readonly runtime: string;
  /** Folder of the server, and of its database unless that is elsewhere; made private. */
  readonly dataFolder: string;
  /** Names the socket, and the database `<name>.db`; at most 32 of [a-zA-Z0-9._-]. */
  readonly name: string;
  /** Path of a database elsewhere, whose folder is not changed. */
  readonly database?: string;
  /**
   * Where the socket goes; replaced by a folder under the temporary folder when the path would be too long.
   */
  readonly socketFolder: string;
  /** The server's own output is appended here. */
  readonly logPath: string;
  /** How long the server may take to listen, ms. Default 30 000. */
  readonly startTimeoutMs?: number;
}

export interface LiteServer {
  readonly uri: string;
  /** Process id of the native server. */
  readonly pid: number;
  /** Settles when the server is gone, for whatever reason. */
  readonly exited: Promise<void>;
  /** Asks the server to end and waits; after 3 s it is killed. */
  stop(): Promise<void>;
}

/** sun_path holds 108 bytes with the closing zero on Linux, 104 on macOS. */
const maxSocketPathBytes = 103;

/**
 * Runs the server ($@) as a child and ends it when our end of its standard input closes, however we die.
 * Files of the server are readable by their owner only.
 * 1. Start the server and write its pid to descriptor 3.
 * 2. A watcher blocks on the pipe, then ends the server.
 * 3. Wait.
 */
const watchdog = `
umask 077
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
server=$!
echo $server >&3
exec 3>&-
{
  read -r line <&4
  kill $server
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do kill -0 $server || exit; sleep 0.2; done
  kill -9 $server
} 2>/dev/null &
watcher=$!
exec 4<&-
wait $server
kill $watcher 2>/dev/null
`;

/**
 * Whose files this process writes; undefined on Windows. A user of a container may have no name to look up.
 */
const uid = process.geteuid?.();

/**
 * Makes a folder that only its owner can enter, even if it was there before. @throws STORE_UNAVAILABLE when
 * it belongs to another user
 */
export async function ensurePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const folder = await lstat(path);
  const ours = uid === undefined || folder.uid === uid;
  if (!folder.isDirectory() || !ours) {
    throw new RagctlError("STORE_UNAVAILABLE", `the folder ${path} belongs to another user`, {
      hint: "remove it, or choose another home with --home",
    });
  }
  if ((folder.mode & 0o077) !== 0) await chmod(path, 0o700);
}

/**
 * A folder for sockets: `preferred`, or a short private one under the temporary folder when a socket's path
 * would not fit.
 */
export async function socketFolderFor(preferred: string, longestName: string): Promise<string> {
  const fits = Buffer.byteLength(join(preferred, longestName)) <= maxSocketPathBytes;
  const short = createHash("sha256").update(preferred).digest("hex").slice(0, 12);
  const folder = fits ? preferred : join(tmpdir(), `ragctl-${uid ?? "user"}-${short}`);
  await ensurePrivateFolder(folder);
  return folder;
}

/** Removes a socket, and its folder when that is empty and was only a replacement for `preferred`. */
export async function removeSocket(path: string, preferred: string): Promise<void> {
  await rm(path, { force: true });
  // Another server of the same home may still have its socket there: then the folder stays.
  if (dirname(path) !== preferred) await rmdir(dirname(path)).catch(() => undefined);
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/**
 * Where the server shall listen: a socket in a private folder, or loopback where the file system has no modes
 * (0700 did not hold).
 */
async function endpoint(
  options: LiteServerOptions,
): Promise<{ readonly argument: string; readonly uri: string }> {
  const name = `${options.name}.sock`;
  const folder = await socketFolderFor(options.socketFolder, name);
  const path = join(folder, name);
  if (((await stat(folder)).mode & 0o077) !== 0 || Buffer.byteLength(path) > maxSocketPathBytes) {
    const port = await freePort();
    return { argument: `127.0.0.1:${port}`, uri: `http://127.0.0.1:${port}` };
  }
  await rm(path, { force: true });
  return { argument: `unix:${path}`, uri: `unix:${path}` };
}

/**
 * Starts a native Milvus Lite for one database file and waits until it listens. @throws RUNTIME_MISSING
 * STORE_UNAVAILABLE
 */
export async function startLiteServer(options: LiteServerOptions): Promise<LiteServer> {
  await checkOptions(options);
  await mkdir(dirname(options.logPath), { recursive: true, mode: 0o700 });
  await ensurePrivateFolder(options.dataFolder);
  const { argument, uri } = await endpoint(options);
  if (options.database === undefined) {
    // An older database may still be readable by others, if its folder was open to them.
    await chmod(databasePath(options), 0o600).catch(() => undefined);
  } else await mkdir(dirname(options.database), { recursive: true, mode: 0o700 });
  const child = spawnServer(options, argument);
  const { exited, failed } = watch(child, options);
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin?.destroy();
    await exited;
    if (uri.startsWith("unix:")) await removeSocket(uri.slice("unix:".length), options.socketFolder);
  };
  const abort = new AbortController();
  try {
    const timeoutMs = options.startTimeoutMs ?? 30_000;
    const ready = Promise.all([readPid(child), waitForListener(options.id, uri, timeoutMs, abort.signal)]);
    ready.catch(() => undefined);
    const [pid] = await Promise.race([ready, failed]);
    letGo(child);
    return { uri, pid, exited, stop };
  } catch (error) {
    abort.abort();
    await stop();
    throw error;
  }
}

async function checkOptions({ runtime, name }: LiteServerOptions): Promise<void> {
  const program = programPath(runtime);
  if (!(await stat(program).catch(() => undefined))?.isFile()) {
    throw new RagctlError("RUNTIME_MISSING", `the vector store's server is not installed (no ${program})`, {
      hint: "run: ragctl setup",
    });
  }
  if (!/^[a-zA-Z0-9._-]{1,32}$/.test(name)) {
    throw new RagctlError("CONFIG_INVALID", `"${name}" is not a valid store name`, {
      hint: "use at most 32 letters, digits, dots, hyphens and underscores",
    });
  }
}

function programPath(runtime: string): string {
  return join(runtime, "milvus");
}

function databasePath({ dataFolder, name, database }: LiteServerOptions): string {
  return database ?? join(dataFolder, `${name}.db`);
}

/** Starts the watchdog with the server under it, listening at `argument`. */
function spawnServer(options: LiteServerOptions, argument: string): ChildProcess {
  const { runtime, dataFolder } = options;
  const log = openSync(options.logPath, "a", 0o600);
  const command = [programPath(runtime), databasePath(options), argument, "ERROR"];
  try {
    return spawn("/bin/sh", ["-c", watchdog, "ragctl-store", ...command], {
      cwd: dataFolder,
      // A separate process group: Ctrl-C at the terminal must not end the server while work is being
      // finished.
      detached: true,
      env: {
        LD_LIBRARY_PATH: runtime,
        DYLD_LIBRARY_PATH: runtime,
        PATH: "/usr/bin:/bin",
        // The server aborts without one.
        HOME: dataFolder,
        // Its log library would otherwise leave two files a start in the temporary folder, for everybody to
        // read.
        GLOG_logtostderr: "1",
        // Errors only, as the level among the arguments, which this library does not see.
        GLOG_minloglevel: "2",
      },
      stdio: ["pipe", log, log, "pipe"],
    });
  } finally {
    closeSync(log);
  }
}

/** `exited` settles when the server is gone; `failed` is rejected then, or when it could not be started. */
function watch(
  child: ChildProcess,
  { id, logPath }: LiteServerOptions,
): { readonly exited: Promise<void>; readonly failed: Promise<never> } {
  const exited = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const fail = (message: string, cause?: unknown): void => {
    failed.reject(
      new RagctlError("STORE_UNAVAILABLE", `store "${id}" ${message}`, { hint: `see ${logPath}`, cause }),
    );
    exited.resolve();
  };
  child.once("error", (cause) => fail("could not be started", cause));
  child.once("exit", () => {
    fail("ended while starting");
    child.stdin?.destroy();
  });
  child.stdin?.on("error", () => undefined);
  return { exited: exited.promise, failed: failed.promise };
}

/** The server's process id, which the watchdog writes on descriptor 3. */
function readPid(child: ChildProcess): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  child.stdio[3]?.once("data", (data: Buffer) => resolve(Number.parseInt(data.toString(), 10)));
  return promise;
}

/** Lets this process end while the server runs: the closing pipe then ends the server. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdio[3]]) {
    if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
  }
}
