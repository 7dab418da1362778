/**
 * Milvus servers from PyPI, for tests and benchmarks: a real standalone (2.3.5, Go and C++) and milvus-lite 3.2.2
 * (Python), both on loopback and in a folder of their own.
 * `node scripts/servers/milvus.ts get FOLDER` downloads and unpacks both (needs pip, unzip, xz; Linux x86-64);
 * `node scripts/servers/milvus.ts run standalone|lite FOLDER DATA` runs one until it is interrupted.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseDocument } from "yaml";
import { execute, freePort, isListening, ready, spawnServer, stopper } from "./server.ts";

/** The wheels, with the SHA-256 that pip must find. */
const standaloneWheel =
  "milvus==2.3.5 --hash=sha256:69515a0630ce29fd10e101fa442afea8ca1387b93a456cd9bd41fdf3deb93d04";
const liteWheels = ["milvus-lite==3.2.2", "pymilvus==3.0.2"];

/** Where each server lies within the folder of the servers. */
const folders = { standalone: "milvus-2.3.5", lite: "milvus-lite-3.2.2" } as const;
export type MilvusKind = keyof typeof folders;

/** The file that says that a server of this kind is unpacked in the folder. */
const programOf = (servers: string, kind: MilvusKind): string =>
  join(servers, folders[kind], kind === "standalone" ? "bin/milvus" : "bin/milvus-lite");

/** Whether a server is unpacked in the folder of the servers. */
export const hasMilvus = (servers: string, kind: MilvusKind): boolean => existsSync(programOf(servers, kind));

/** Downloads and unpacks a server below `servers`, unless it is there. @throws where pip, unzip or xz fails */
export async function getMilvus(servers: string, kind: MilvusKind): Promise<void> {
  if (hasMilvus(servers, kind)) return;
  await mkdir(servers, { recursive: true });
  const target = join(servers, folders[kind]);
  await rm(target, { recursive: true, force: true });
  if (kind === "lite") {
    // A virtual environment cannot be moved, so this one is made in place; its program comes last.
    await execute("python3", ["-m", "venv", target]);
    await execute(join(target, "bin/pip"), ["install", "--quiet", ...liteWheels], { maxBuffer: 2 ** 26 });
    return;
  }
  const work = await mkdtemp(join(servers, "unpack-"));
  try {
    const wanted = join(work, "wheel.txt");
    await writeFile(wanted, standaloneWheel);
    await execute("pip", ["download", "--quiet", "--no-deps", "--require-hashes", "-d", work, "-r", wanted]);
    const wheel = (await readdir(work)).find((name) => name.endsWith(".whl")) ?? "";
    await execute("unzip", ["-q", join(work, wheel), "-d", join(work, "wheel")]);
    const data = join(work, "wheel/milvus/data");
    await execute("xz", ["--decompress", ...(await packed(join(data, "bin")))]);
    await chmod(join(data, "bin/milvus"), 0o755);
    await rename(data, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const packed = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".lzma")).map((name) => join(folder, name));

/** A server that runs for this process. */
export interface MilvusServer {
  /** `http://127.0.0.1:PORT`, or https with `tls`. */
  readonly uri: string;
  readonly port: number;
  /** The server itself, to be killed by a test. */
  readonly pid: number;
  /** Settled when the server says that it is healthy. It listens earlier. */
  readonly healthy: Promise<void>;
  /** Resolved when it has ended, for whatever reason; nothing listens any more then. */
  readonly exited: Promise<void>;
  /** Ends it at once: SIGTERM takes 2.3.5 more than a minute. */
  stop(): Promise<void>;
}

export interface MilvusServerOptions {
  /** Port of 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Users and passwords; the first is `root:Milvus`. Standalone only. */
  readonly authorization?: boolean;
  /** PEM files. With `authorityPath` clients must show a certificate that it signed. Standalone only. */
  readonly tls?: {
    readonly certificatePath: string;
    readonly keyPath: string;
    readonly authorityPath?: string;
  };
}

/** Starts a server on `data`; resolves when it listens. @throws when it ends before */
export function startMilvus(
  servers: string,
  kind: MilvusKind,
  data: string,
  options: MilvusServerOptions = {},
): Promise<MilvusServer> {
  return kind === "standalone" ? startStandalone(servers, data, options) : startLite(servers, data, options);
}

/** Lines of a process that start with @, as `milvus-namespace.ts` prints them. */
function announcements(child: ChildProcess): (line: RegExp) => Promise<string> {
  const seen: string[] = [];
  const waiting = new Set<() => void>();
  let hasEnded = false;
  const wake = (): void => {
    for (const resolve of waiting) resolve();
  };
  if (child.stderr === null) throw new TypeError("the process has no stderr");
  createInterface(child.stderr).on("line", (line) => {
    if (line.startsWith("@")) seen.push(line.slice(1));
    wake();
  });
  child.once("exit", () => {
    hasEnded = true;
    wake();
  });
  return async (line) => {
    for (;;) {
      const match = seen.find((each) => line.test(each));
      if (match !== undefined) return match;
      if (hasEnded) throw new Error("the Milvus server ended before it was ready: see its log");
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  };
}

async function startStandalone(
  servers: string,
  data: string,
  { port = 0, authorization = false, tls }: MilvusServerOptions,
): Promise<MilvusServer> {
  await configure(join(servers, folders.standalone), data, authorization, tls);
  // Sockets' paths are limited to 107 bytes, so not in `data`.
  const socketFolder = await mkdtemp(join(tmpdir(), "mv-"));
  const socket = join(socketFolder, "s");
  const inside = fileURLToPath(new URL("milvus-namespace.ts", import.meta.url));
  const log = openSync(join(data, "server.log"), "a");
  const child = spawn(
    "unshare",
    ["--map-root-user", "--net", process.execPath, inside, programOf(servers, "standalone"), socket],
    { cwd: data, stdio: ["pipe", log, "pipe"] },
  );
  const exited = once(child, "exit").then(() => rm(socketFolder, { recursive: true, force: true }));
  const announced = announcements(child);
  const pid = Number((await announced(/^pid /)).slice("pid ".length));
  await announced(/^listening$/);
  const relay = createServer((client) => {
    const upstream = createConnection(socket);
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
  });
  const bound = await listen(relay, port);
  const closed = exited.then(() => closeServer(relay));
  const healthy = announced(/^healthy$/).then(() => undefined);
  healthy.catch(() => undefined);
  return {
    uri: `${tls === undefined ? "http" : "https"}://127.0.0.1:${bound}`,
    port: bound,
    pid,
    healthy,
    exited: closed,
    async stop() {
      child.stdin?.end();
      await closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

async function closeServer(server: Server): Promise<void> {
  server.close();
  await once(server, "close").catch(() => undefined);
}

/** Writes the server's own configuration: its template, all of it on loopback and below `data`. */
async function configure(
  unpacked: string,
  data: string,
  authorization: boolean,
  tls: MilvusServerOptions["tls"],
): Promise<void> {
  await mkdir(join(data, "configs"), { recursive: true });
  await mkdir(join(data, "logs"), { recursive: true });
  const template = await readFile(join(unpacked, "config.yaml.template"), "utf8");
  const filled = template.replace(
    /\{\{[^:}]*(?::([^}]*))?\}\}/g,
    (_, value: string | undefined) => value?.trim() ?? '""',
  );
  const config = parseDocument(filled);
  const values: Readonly<Record<string, string | number | boolean>> = {
    "etcd.data.dir": join(data, "etcd"),
    "etcd.log.path": join(data, "logs/etcd.log"),
    "localStorage.path": join(data, "storage"),
    "rocksmq.path": join(data, "rocksmq"),
    "log.file.rootPath": join(data, "logs"),
    "log.level": "warn",
    "common.security.authorizationEnabled": authorization,
    "common.security.tlsMode": tls === undefined ? 0 : tls.authorityPath === undefined ? 1 : 2,
    "tls.serverPemPath": tls?.certificatePath ?? "",
    "tls.serverKeyPath": tls?.keyPath ?? "",
    "tls.caPemPath": tls?.authorityPath ?? "",
  };
  for (const [path, value] of Object.entries(values)) config.setIn(path.split("."), value);
  // Otherwise its parts talk to each other over the first interface that is not loopback.
  for (const part of ["rootCoord", "proxy", "queryCoord", "queryNode", "indexNode", "dataCoord", "dataNode"])
    config.setIn([part, "ip"], "127.0.0.1");
  await writeFile(join(data, "configs/milvus.yaml"), config.toString());
  await copyFile(join(unpacked, "glog.conf"), join(data, "configs/glog.conf"));
}

async function startLite(
  servers: string,
  data: string,
  { port = 0 }: MilvusServerOptions,
): Promise<MilvusServer> {
  await mkdir(data, { recursive: true });
  const bound = port === 0 ? await freePort() : port;
  const logPath = join(data, "server.log");
  const spawned = spawnServer(
    programOf(servers, "lite"),
    ["server", "--data-dir", join(data, "lite"), "--host", "127.0.0.1", "--port", String(bound)],
    // The folders may be relative to this process's.
    { cwd: process.cwd(), logPath },
  );
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  spawned.child.once("exit", () => resolve());
  const pid = await ready(spawned, () => isListening(bound));
  const stop = stopper(spawned);
  return {
    uri: `http://127.0.0.1:${bound}`,
    port: bound,
    pid,
    healthy: Promise.resolve(),
    exited,
    stop: () => stop("SIGKILL"),
  };
}

const isKind = (value: string | undefined): value is MilvusKind => value === "standalone" || value === "lite";

async function main([command, ...rest]: readonly string[]): Promise<void> {
  const [first = "", servers = "", data = ""] = rest;
  if (command === "get" && first !== "") {
    for (const kind of ["standalone", "lite"] as const) await getMilvus(first, kind);
  } else if (command === "run" && isKind(first) && data !== "") {
    const server = await startMilvus(servers, first, data);
    process.once("SIGINT", () => void server.stop());
    process.once("SIGTERM", () => void server.stop());
    await server.healthy;
    process.stdout.write(`${server.uri}\n`);
    await server.exited;
  } else {
    process.stderr.write(
      `use: ${basename(import.meta.filename)} get FOLDER | run standalone|lite FOLDER DATA\n`,
    );
    process.exitCode = 2;
  }
}

if (import.meta.main) await main(process.argv.slice(2));
