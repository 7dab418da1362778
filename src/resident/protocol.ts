import type { Socket } from "node:net";
import { type ErrorCode, errorTable, RagctlError } from "../core/errors.ts";
import type { CallerFrame, RemoteRequest } from "../core/remote.ts";
import type { Instance } from "../core/retrieval.ts";
import { abortable } from "../core/run.ts";
import { z } from "../core/schema.ts";
import { connect } from "./address.ts";
import { readMessages, sendMessage } from "./frames.ts";

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

const streamSchema = z.object({ isTerminal: z.boolean(), columns: z.number() });

export const requestSchema = z.discriminatedUnion("request", [
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
  hint: z.string().exactOptional(),
});

export const leaseSchema = z.object({ pid: z.number(), uris: z.record(z.string(), z.string()) });

export const statusSchema = z.object({
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

export type HostStatus = z.infer<typeof statusSchema>;

/**
 * Longest message to the host, bytes: systems limit command line and environment to 2 MiB.
 */
export const maxRequestBytes = 8_388_608;

/**
 * Sends a request on a new connection and waits for the reply; undefined if the host is not running, ends, or
 * sends an invalid reply. @throws the reason of the signal
 */
export async function sendRequest(
  control: string,
  request: HostRequest,
  signal: AbortSignal,
): Promise<{ readonly answer: unknown; readonly socket: Socket } | undefined> {
  signal.throwIfAborted();
  const connecting = connect(control);
  using unanswered = new DisposableStack();
  unanswered.defer(() => void connecting.then((socket) => socket?.destroy()));
  const socket = await abortable(connecting, signal);
  if (socket === undefined) return undefined;
  sendMessage(socket, request);
  const reply = await abortable(readMessages(socket).next(), signal).catch(() => undefined);
  signal.throwIfAborted();
  if (reply?.done !== false) return undefined;
  unanswered.move();
  return { answer: reply.value, socket };
}

/** Reads a host's reply. @throws the error in it, if it is one; HOST_UNAVAILABLE for one of another form */
export function readReply<T>(schema: z.ZodType<T>, answer: unknown): T {
  const failure = failureSchema.safeParse(answer).data;
  if (failure !== undefined) throw new RagctlError(failure.code, failure.message, failure);
  const reply = schema.safeParse(answer);
  if (reply.success) return reply.data;
  throw new RagctlError("HOST_UNAVAILABLE", "the resident process gave an unreadable reply", {
    hint: "run: ragctl stop",
    cause: reply.error,
  });
}
