import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { chmod, lstat, mkdir, rm, rmdir, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { waitForListener } from "./milvus-connection.ts";

export interface LiteServerOptions {
  /** Store id, for messages. */
  readonly id: string;
  /** Folder with the native `milvus` program and its libraries. */
  readonly runtime: string;
  readonly dataFolder: string;
  /** Database file is `<name>.db`; at most 32 of [a-zA-Z0-9._-]. */
  readonly name: string;
  /** Where the socket goes; replaced by a folder under the temporary folder when the path would be too long. */
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
 * Runs the server ($@) as a child and ends it when our end of its standard input closes, by whatever death.
 * Whatever the server makes is for its owner only. 1. start the server and tell its pid on descriptor 3; 2. a watcher blocks on the pipe, then ends the server; 3. wait.
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

/** Makes a folder only its owner can enter, whoever made it before. @throws STORE_UNAVAILABLE when it belongs to another user */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  const ours = process.platform === "win32" || found.uid === userInfo().uid;
  if (!found.isDirectory() || !ours) {
    throw new RagctlError("STORE_UNAVAILABLE", `the folder ${path} belongs to another user`, {
      hint: "remove it or set another home with --home",
    });
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
}

/** A folder for sockets: `wanted` itself, or a short private one under the temporary folder when a socket's path would not fit. */
export async function socketFolderFor(wanted: string, longestName: string): Promise<string> {
  const fits = Buffer.byteLength(join(wanted, longestName)) <= maxSocketPathBytes;
  const short = createHash("sha256").update(wanted).digest("hex").slice(0, 12);
  const folder = fits ? wanted : join(tmpdir(), `ragctl-${userInfo().uid}-${short}`);
  await privateFolder(folder);
  return folder;
}

/** Removes a socket, and its folder when that is empty and was only a replacement for `wanted`. */
export async function removeSocket(path: string, wanted: string): Promise<void> {
  await rm(path, { force: true });
  // Another server of the same home may still have its socket there: then the folder stays.
  if (dirname(path) !== wanted) await rmdir(dirname(path)).catch(() => undefined);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Where the server shall listen: a socket in a private folder, or loopback where the file system has no modes (0700 did not hold). */
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

/** Starts a native Milvus Lite for one database file and waits until it listens. @throws RUNTIME_MISSING STORE_UNAVAILABLE */
export async function startLiteServer(options: LiteServerOptions): Promise<LiteServer> {
  const program = join(options.runtime, "milvus");
  if (!(await stat(program).catch(() => undefined))?.isFile()) {
    throw new RagctlError("RUNTIME_MISSING", `the vector store's server is not installed (no ${program})`, {
      hint: "run: ragctl setup",
    });
  }
  if (!/^[a-zA-Z0-9._-]{1,32}$/.test(options.name)) {
    throw new RagctlError("CONFIG_INVALID", `"${options.name}" cannot name a store`, {
      hint: "use at most 32 of a-z, A-Z, 0-9, dot, dash, underscore",
    });
  }
  await mkdir(dirname(options.logPath), { recursive: true, mode: 0o700 });
  await privateFolder(options.dataFolder);
  const { argument, uri } = await endpoint(options);
  // A database of before may still be readable for others, where its folder was opened to them.
  await chmod(join(options.dataFolder, `${options.name}.db`), 0o600).catch(() => undefined);
  const log = openSync(options.logPath, "a", 0o600);
  // HOME: the server aborts without one. A process group of its own: Ctrl-C at the terminal must not end the server under work that is being wound up.
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      watchdog,
      "ragctl-store",
      program,
      join(options.dataFolder, `${options.name}.db`),
      argument,
      "ERROR",
    ],
    {
      cwd: options.dataFolder,
      detached: true,
      env: {
        LD_LIBRARY_PATH: options.runtime,
        DYLD_LIBRARY_PATH: options.runtime,
        PATH: "/usr/bin:/bin",
        HOME: options.dataFolder,
      },
      stdio: ["pipe", log, log, "pipe"],
    },
  );
  closeSync(log);
  const { promise: exited, resolve: gone } = Promise.withResolvers<void>();
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  child.once("error", (cause) => {
    fail(
      new RagctlError("STORE_UNAVAILABLE", `store "${options.id}" could not be started`, {
        hint: `see ${options.logPath}`,
        cause,
      }),
    );
    gone();
  });
  child.once("exit", () => {
    fail(
      new RagctlError("STORE_UNAVAILABLE", `store "${options.id}" ended while starting`, {
        hint: `see ${options.logPath}`,
      }),
    );
    child.stdin?.destroy();
    gone();
  });
  child.stdin?.on("error", () => undefined);
  const pidPipe = child.stdio[3];
  const pid = new Promise<number>((resolve) =>
    pidPipe?.once("data", (data: Buffer) => resolve(Number.parseInt(data.toString(), 10))),
  );
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin?.destroy();
    await exited;
    if (uri.startsWith("unix:")) await removeSocket(uri.slice("unix:".length), options.socketFolder);
  };
  const abort = new AbortController();
  try {
    const ready = Promise.all([
      pid,
      waitForListener(options.id, uri, options.startTimeoutMs ?? 30_000, abort.signal),
    ]);
    ready.catch(() => undefined);
    const [serverPid] = await Promise.race([ready, failed]);
    // The server must not keep a finished command alive; the closing pipe ends it.
    child.unref();
    for (const stream of [child.stdin, pidPipe])
      if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
    return { uri, pid: serverPid, exited, stop };
  } catch (error) {
    abort.abort();
    await stop();
    throw error;
  }
}
