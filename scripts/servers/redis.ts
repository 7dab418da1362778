/** A Redis that keeps nothing, on 127.0.0.1; the program is the system's `redis-server`. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort, isListening, type RunningServer, ready, spawnServer, stopper } from "./server.ts";

const program = "/usr/bin/redis-server";

/** Whether there is a Redis to start. */
export const hasRedis = (): boolean => existsSync(program);

export interface RedisOptions {
  /** Default: a free one. */
  readonly port?: number;
  readonly password?: string;
  /** Bytes beyond which writes are refused. Default: none. */
  readonly maxMemory?: number;
  /** PEM files: the server then speaks TLS alone. */
  readonly tls?: { readonly certificatePath: string; readonly keyPath: string };
  readonly detached?: boolean;
}

/** Starts a Redis and waits until it listens. */
export async function startRedis(folder: string, options: RedisOptions = {}): Promise<RunningServer> {
  const { port = await freePort(), password = "", maxMemory = 0, tls } = options;
  await mkdir(folder, { recursive: true });
  const logPath = join(folder, "redis.log");
  const args: readonly (readonly string[])[] = [
    ["--bind", "127.0.0.1"],
    ["--dir", folder],
    ["--save", ""],
    ["--appendonly", "no"],
    ["--maxmemory", String(maxMemory)],
    ["--maxmemory-policy", "noeviction"],
    password === "" ? [] : ["--requirepass", password],
    tls === undefined
      ? ["--port", String(port)]
      : ["--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no"],
    tls === undefined ? [] : ["--tls-cert-file", tls.certificatePath, "--tls-key-file", tls.keyPath],
    tls === undefined ? [] : ["--tls-ca-cert-file", tls.certificatePath],
  ];
  const spawned = spawnServer(program, args.flat(), { cwd: folder, logPath, detached: options.detached });
  const pid = await ready(spawned, () => isListening(port));
  const login = password === "" ? "" : `:${encodeURIComponent(password)}@`;
  const scheme = tls === undefined ? "redis" : "rediss";
  return {
    pid,
    variables: { REDIS_URL: `${scheme}://${login}127.0.0.1:${port}` },
    stop: stopper(spawned),
  };
}
