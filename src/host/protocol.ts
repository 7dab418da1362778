import { readFile } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { type ErrorCode, errorTable, RagctlError } from "../core/errors.ts";
import type { CallerFrame, RemoteRequest } from "../core/remote.ts";
import type { Instance } from "../core/retrieval.ts";
import { z } from "../core/schema.ts";
import { placeOf } from "./place.ts";

/** Raised whenever a client of one version could misread a host of another. */
export const protocolVersion = 3;

/** A database that a host lends: one of the home, or a file elsewhere by its absolute path. */
export type LocalDatabase = Instance | `/${string}`;
const databaseSchema = z.custom<LocalDatabase>(
  (value) =>
    value === "public" || value === "private" || (typeof value === "string" && value.startsWith("/")),
);

/** What the host process is started with, as its one argument. */
export const hostConfigSchema = z.object({
  home: z.string().min(1),
  /**
   * Stop after this long without a lease, a command or a loaded model, ms. A command that it runs brings its
   * own.
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

/** What a caller sends while its command runs. */
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

/** `place`: of the folder it was written for; a copy of the home names the process of the original. */
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

/** Where a home's host listens, as it wrote it down; undefined when none ever did, or that of another home. */
export async function readAddress(home: string): Promise<z.infer<typeof addressSchema> | undefined> {
  const { address, folder } = hostFiles(home);
  try {
    const found = addressSchema.parse(JSON.parse(await readFile(address, "utf8")));
    return found.place === undefined || found.place === placeOf(folder) ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Longest answer, bytes: the longest of ours has a few hundred. A line without end would otherwise fill the
 * memory of the reader.
 */
const maxMessageBytes = 65_536;
/**
 * Longest message to the host, bytes: a command line and an environment are at most 2 MiB where the system
 * lets a program start with them.
 */
export const maxRequestBytes = 8_388_608;
const lineFeed = 10;

/** One JSON value per line from a socket. @throws Error for a line that is too long or no JSON */
export async function* readMessages(socket: Socket, maxBytes = maxMessageBytes): AsyncGenerator<unknown> {
  let rest = Buffer.alloc(0);
  // A socket without an encoding gives buffers.
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
 * Sends one request on a fresh connection and waits for its answer; undefined when the host is not there,
 * goes away or sends what is no message.
 */
export async function ask(
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

/** Throws what a host answered when that is a failure. */
export function throwFailure(answer: unknown): void {
  const failure = failureSchema.safeParse(answer);
  if (!failure.success) return;
  const { code, message, hint } = failure.data;
  throw new RagctlError(code, message, hint === undefined ? {} : { hint });
}
