import { readFile } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { type ErrorCode, errorTable, RagctlError } from "../core/errors.ts";
import type { CallerFrame, RemoteRequest } from "../core/remote.ts";
import type { Instance } from "../core/retrieval.ts";
import { z } from "../core/schema.ts";
import { folderIdentity } from "../lock/process.ts";

/** Increase it when a client and a host of different versions could misunderstand each other. */
export const protocolVersion = 3;

/** A database that a host leases: one of the home, or the absolute path of another file. */
export type LocalDatabase = Instance | `/${string}`;
const databaseSchema = z.custom<LocalDatabase>(
  (value) =>
    value === "public" || value === "private" || (typeof value === "string" && value.startsWith("/")),
);

/** The single argument of the host process. */
export const hostConfigSchema = z.object({
  home: z.string().min(1),
  /**
   * Idle time without a lease, command or loaded model after which the host stops, ms. Commands it runs
   * override it.
   */
  idleMs: z.number().nonnegative().default(60_000),
});
export type HostConfig = z.infer<typeof hostConfigSchema>;

const streamSchema = z.object({ isTerminal: z.boolean(), columns: z.number() });

export const requestSchema = z.discriminatedUnion("request", [
  z.object({ request: z.literal("health") }),
  z.object({ request: z.literal("status") }),
  z.object({ request: z.literal("stop") }),
  z.object({
    request: z.literal("lease"),
    instances: z.array(databaseSchema),
    /** Folder with the native Milvus Lite. */
    runtime: z.string().min(1),
  }),
  z.object({
    request: z.literal("run"),
    program: z.string(),
    argv: z.array(z.string()),
    cwd: z.string(),
    environment: z.record(z.string(), z.string()),
    input: z.object({ isTerminal: z.boolean() }),
    output: streamSchema,
    error: streamSchema.extend({ colors: z.boolean() }),
  }) satisfies z.ZodType<RemoteRequest>,
]);
export type HostRequest = z.infer<typeof requestSchema>;

/** Frames of a caller while its command runs. */
export const callerFrameSchema = z.union([
  z.object({ signal: z.enum(["SIGINT", "SIGTERM"]) }),
  z.object({ input: z.string().nullable() }),
  z.object({ columns: z.number() }),
]) satisfies z.ZodType<CallerFrame>;

const codes = Object.keys(errorTable);
const failureSchema = z.object({
  ok: z.literal(false),
  code: z.custom<ErrorCode>((value) => typeof value === "string" && codes.includes(value)),
  message: z.string(),
  hint: z.string().optional(),
});

export const leaseSchema = z.object({
  ok: z.literal(true),
  pid: z.number(),
  uris: z.record(z.string(), z.string()),
});

export const statusSchema = z.object({
  ok: z.literal(true),
  pid: z.number(),
  uptimeMs: z.number(),
  rssBytes: z.number(),
  clients: z.number(),
  commands: z.array(z.object({ command: z.string(), principal: z.string(), runningMs: z.number() })),
  models: z.array(
    z.object({
      id: z.string(),
      task: z.enum(["embed", "generate"]),
      fileBytes: z.number(),
      users: z.number(),
      waiting: z.number(),
    }),
  ),
  instances: z.array(
    z.object({ name: databaseSchema, pid: z.number(), uri: z.string(), rssBytes: z.number() }),
  ),
});

/**
 * `place` identifies the folder it was written for: a copied home still names the process of the original.
 */
const addressSchema = z.object({
  protocol: z.number(),
  control: z.string(),
  place: z.string().optional(),
});

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

/** The published address of a home's host; undefined if there is none or it belongs to a different home. */
export async function readAddress(home: string): Promise<z.infer<typeof addressSchema> | undefined> {
  const { address, folder } = hostFiles(home);
  try {
    const found = addressSchema.parse(JSON.parse(await readFile(address, "utf8")));
    return found.place === undefined || found.place === folderIdentity(folder) ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Longest reply, bytes; real ones have a few hundred. An endless line would otherwise fill memory.
 */
const maxMessageBytes = 65_536;
/**
 * Longest message to the host, bytes: systems limit command line and environment to 2 MiB.
 */
export const maxRequestBytes = 8_388_608;
const lineFeed = 10;

/** One JSON value per line from a socket. @throws Error if a line is too long or invalid */
export async function* readMessages(socket: Socket, maxBytes = maxMessageBytes): AsyncGenerator<unknown> {
  let rest = Buffer.alloc(0);
  // Without an encoding, sockets emit buffers.
  for await (const part of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, part]);
    for (let end = rest.indexOf(lineFeed); end >= 0 && end <= maxBytes; end = rest.indexOf(lineFeed)) {
      const line = rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
      yield JSON.parse(line);
    }
    if (rest.length > maxBytes) throw new Error(`a message is longer than ${maxBytes} bytes`);
  }
}

/**
 * Sends a request on a new connection and waits for the reply; undefined if the host is not running, ends, or
 * sends an invalid reply.
 */
export async function sendRequest(
  control: string,
  request: HostRequest,
  signal?: AbortSignal,
): Promise<{ readonly answer: unknown; readonly socket: Socket } | undefined> {
  signal?.throwIfAborted();
  const socket = createConnection(control);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  let received = "";
  const onAbort = (): void => void socket.destroy();
  signal?.addEventListener("abort", onAbort, { once: true });
  socket.setEncoding("utf8");
  socket.on("error", () => undefined);
  socket.once("close", () => resolve(undefined));
  socket.once("connect", () => socket.write(`${JSON.stringify(request)}\n`));
  socket.on("data", (data: string) => {
    received += data;
    const end = received.indexOf("\n");
    if (end >= 0 && end <= maxMessageBytes) resolve(parsedMessage(received.slice(0, end)));
    else if (received.length > maxMessageBytes) socket.destroy();
  });
  const answer = await promise;
  signal?.removeEventListener("abort", onAbort);
  signal?.throwIfAborted();
  if (answer === undefined) socket.destroy();
  return answer === undefined ? undefined : { answer, socket };
}

function parsedMessage(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** @throws the error in a host's reply, if it is one */
export function throwFailure(answer: unknown): void {
  const failure = failureSchema.safeParse(answer);
  if (!failure.success) return;
  const { code, message, hint } = failure.data;
  throw new RagctlError(code, message, hint === undefined ? {} : { hint });
}
