import Module, { createRequire } from "node:module";
import { createConnection } from "node:net";
import type { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { RagctlError } from "../../core/errors.ts";
import { trimEndOf } from "../../core/text.ts";
import { readUserFile } from "../../files.ts";
import { limitLoaded, type UseCollection } from "./loaded-collections.ts";
import { omitLogTexts } from "./milvus-log-texts.ts";

/** TLS of a server address; an `https://` address without it is checked against the system's authorities. */
export interface MilvusTls {
  /** PEM file of the authority that signed the server's certificate. */
  readonly authorityPath?: string;
  /** PEM files of the client's own certificate, where the server asks for one. */
  readonly certificatePath?: string;
  readonly keyPath?: string;
  /** Name in the server's certificate when it is not the host of the address. */
  readonly serverName?: string;
}

export interface MilvusAddress {
  /** Store id, for messages. */
  readonly id: string;
  /** `http://host:port`, `https://host:port` or `unix:/path`. */
  readonly uri: string;
  /** API key or `user:password`. */
  readonly token?: string;
  readonly tls?: MilvusTls;
  /** A Milvus Lite of ours, whose collections take 60 MB each in memory: few are held. Default false. */
  readonly isLite?: boolean;
  /** How long to try to reach the address, ms. Default 2 000. */
  readonly connectTimeoutMs?: number;
}

/** Part of a server's answer that says whether the call worked. */
interface Status {
  readonly error_code?: string | number;
  readonly code?: number;
  readonly reason?: string;
}

/** Deadline of one call, ms. */
const callTimeoutMs = 60_000;
const grpcUnavailable = 14;
const grpcPermissionDenied = 7;
const grpcUnauthenticated = 16;

function place(uri: string): { readonly path: string } | { readonly host: string; readonly port: number } {
  if (uri.startsWith("unix:")) return { path: uri.slice("unix:".length).replace(/^\/\/(?=\/)/, "") };
  if (!URL.canParse(uri) || !/^https?:\/\//.test(uri)) {
    throw new RagctlError("CONFIG_INVALID", `"${uri}" is not a Milvus address`, {
      hint: "use http://host:19530, https://host:port or unix:/path",
    });
  }
  const { hostname, port, protocol } = new URL(uri);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 19_530) : Number(port),
  };
}

function probeOnce(target: ReturnType<typeof place>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = createConnection(target);
  // A local server exists as soon as its socket does; on a busy machine it may take its time to accept.
  const timeoutMs = "path" in target ? 15_000 : 2_000;
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
  socket.once("connect", () => {
    socket.destroy();
    resolve();
  });
  socket.once("error", reject);
  return promise;
}

/**
 * Waits until something listens at the address. A client made before that never recovers. @throws
 * STORE_UNAVAILABLE
 */
export async function waitForListener(
  id: string,
  uri: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const target = place(uri);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await probeOnce(target);
    } catch (cause) {
      if (performance.now() >= deadline) throw unavailable(id, uri, cause);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function unavailable(id: string, uri: string, cause: unknown): RagctlError {
  const because = cause instanceof Error ? cause.message : String(cause);
  return new RagctlError("STORE_UNAVAILABLE", `store "${id}" at ${uri} cannot be reached (${because})`, {
    hint: uri.startsWith("unix:")
      ? "run the command again; it restarts the store"
      : "check that Milvus is running at this address, then run the command again",
    cause,
  });
}

/** A connection to one Milvus; every failure comes out as a RagctlError. */
export interface Connection extends AsyncDisposable {
  /**
   * Runs one call and checks its status; `what` completes "could not …". @throws STORE_FAILED
   * STORE_UNAVAILABLE
   */
  call<T>(what: string, use: (client: MilvusClient) => Promise<T>): Promise<T>;
  /** Absent: the server holds what it can. */
  readonly use?: UseCollection;
  /** Whether the process that ran the server has ended. Absent: nobody knows. */
  readonly isLost?: () => boolean;
}

/** Opens a separate channel to a listening Milvus. @throws STORE_UNAVAILABLE CONFIG_INVALID */
export async function connect(address: MilvusAddress): Promise<Connection> {
  const { id, uri } = address;
  await waitForListener(id, uri, address.connectTimeoutMs ?? 2_000);
  const client = await openClient(address);
  omitLogTexts(client);
  const close = async (): Promise<void> => {
    await client.closeConnection();
  };
  try {
    await client.connectPromise;
  } catch (cause) {
    await close();
    throw wrap(address, "connect", cause);
  }
  const call: Connection["call"] = async (what, use) => {
    let response: Awaited<ReturnType<typeof use>>;
    try {
      response = await use(client);
    } catch (cause) {
      throw wrap(address, what, cause);
    }
    check(id, what, response);
    return response;
  };
  const release = (name: string) =>
    call(`release collection "${name}"`, () => client.releaseCollection({ collection_name: name }));
  const use = address.isLite === true ? { use: limitLoaded(release) } : {};
  return { call, ...use, [Symbol.asyncDispose]: close };
}

/**
 * The client's code, without its bulk writer, which brings clients of cloud storage and a reader of Parquet:
 * a quarter of the modules and a third of the time of loading it.
 */
async function loadClient(): Promise<typeof import("@zilliz/milvus2-sdk-node")> {
  const require = createRequire(import.meta.url);
  try {
    const unused = require.resolve("@zilliz/milvus2-sdk-node/dist/milvus/bulkwriter");
    require.cache[unused] ??= Object.assign(new Module(unused), { exports: {}, loaded: true });
  } catch {
    // A release that has it elsewhere is loaded as it is.
  }
  return import("@zilliz/milvus2-sdk-node");
}

/** @throws CONFIG_INVALID for TLS files that cannot be read or do not belong together */
async function openClient({ id, uri, token, tls }: MilvusAddress): Promise<MilvusClient> {
  const sdk = await loadClient();
  const [rootCert, certChain, privateKey] = await Promise.all(
    [tls?.authorityPath, tls?.certificatePath, tls?.keyPath].map(readPem),
  );
  const target = place(uri);
  try {
    return new sdk.MilvusClient({
      address:
        "path" in target
          ? `unix:${target.path}`
          : uri.includes(`:${target.port}`)
            ? uri
            : `${trimEndOf(uri, /\//)}:${target.port}`,
      timeout: callTimeoutMs,
      maxRetries: 2,
      isGlobal: false,
      telemetry: { enabled: false },
      ...(token === undefined ? {} : { token }),
      ...(tls === undefined
        ? {}
        : {
            tls: {
              ...(rootCert && { rootCert }),
              ...(certChain && { certChain }),
              ...(privateKey && { privateKey }),
              ...(tls.serverName === undefined ? {} : { serverName: tls.serverName }),
            },
          }),
      // A shared subchannel keeps the back-off of a dead server for up to 20 s.
      channelOptions: {
        "grpc.use_local_subchannel_pool": 1,
        "grpc.initial_reconnect_backoff_ms": 100,
        "grpc.max_reconnect_backoff_ms": 1_000,
        // The SDK's ping every 10 s without a call is more than servers accept; they answer with GOAWAY and a
        // line on stderr.
        "grpc.keepalive_time_ms": 300_000,
        "grpc.keepalive_permit_without_calls": 0,
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("CONFIG_INVALID", `store "${id}" has invalid connection settings: ${reason}`, {
      hint: "milvus.keyFile must be the key of milvus.certificateFile, both PEM files",
      cause,
    });
  }
}

async function readPem(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readUserFile(path);
  } catch (cause) {
    throw new RagctlError("CONFIG_INVALID", `cannot read the TLS file ${path}`, {
      hint: "correct milvus.authorityFile, milvus.certificateFile or milvus.keyFile",
      cause,
    });
  }
}

function statusOf(response: unknown): Status | undefined {
  if (typeof response !== "object" || response === null) return undefined;
  // A response either is a status or carries one under `status`; every field of Status is optional and only
  // compared.
  return "status" in response ? (response.status as Status) : (response as Status);
}

/** Lite answers `error_code: "Success"` with `code` ≠ 0 on failure, servers either: both are checked. */
function check(id: string, what: string, response: unknown): void {
  const status = statusOf(response);
  if (status === undefined) return;
  const failed =
    (status.code ?? 0) !== 0 ||
    (status.error_code !== undefined && status.error_code !== "Success" && status.error_code !== 0);
  if (!failed) return;
  throw new RagctlError(
    "STORE_FAILED",
    `store "${id}" could not ${what}: ${(status.reason ?? "no reason given").trim()}`,
    {
      hint: failedHint,
      cause: new Error(`Milvus code ${status.code ?? status.error_code}`),
    },
  );
}

const failedHint = "run `ragctl doctor`; the store's log may have details";

function wrap(address: MilvusAddress, what: string, cause: unknown): RagctlError {
  if (cause instanceof RagctlError) return cause;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  if (code === grpcUnavailable || code === "ECONNREFUSED") return unavailable(address.id, address.uri, cause);
  if (code === grpcUnauthenticated) {
    return new RagctlError("STORE_UNAVAILABLE", `store "${address.id}" refused the credentials`, {
      hint: "check the store's token",
      cause,
    });
  }
  if (code === grpcPermissionDenied) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new RagctlError(
      "STORE_UNAVAILABLE",
      `the token for store "${address.id}" has no permission to ${what}: ${reason}`,
      { hint: "grant its user a role with this privilege on the server, or use another token", cause },
    );
  }
  // The SDK trips over the empty body of a failed search or describe and loses the server's reason.
  const because =
    cause instanceof TypeError
      ? "the server sent no result"
      : cause instanceof Error
        ? cause.message
        : JSON.stringify(cause);
  return new RagctlError("STORE_FAILED", `store "${address.id}" could not ${what}: ${because}`, {
    hint: failedHint,
    cause,
  });
}
