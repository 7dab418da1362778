import { readFile } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ErrorCode, errorTable, RagctlError } from "../core/errors.ts";
import { z } from "../core/schema.ts";

/** Raised whenever a client of one version could misread a host of another. */
export const protocolVersion = 1;

export const instanceSchema = z.enum(["public", "private"]);

/** What the host process is started with, as its one argument. */
export const hostConfigSchema = z.object({
  home: z.string().min(1),
  /** Folder with the native Milvus Lite. */
  runtime: z.string().min(1),
  /** Stop after this long without a lease, ms. */
  idleMs: z.number().positive(),
});
export type HostConfig = z.infer<typeof hostConfigSchema>;

export const requestSchema = z.discriminatedUnion("request", [
  z.object({ request: z.literal("health") }),
  z.object({ request: z.literal("status") }),
  z.object({ request: z.literal("stop") }),
  z.object({ request: z.literal("lease"), instances: z.array(instanceSchema) }),
]);
export type HostRequest = z.infer<typeof requestSchema>;

const codes = Object.keys(errorTable);
export const failureSchema = z.object({
  ok: z.literal(false),
  code: z.custom<ErrorCode>((value) => typeof value === "string" && codes.includes(value)),
  message: z.string(),
  hint: z.string().optional(),
});

export const leaseSchema = z.object({ ok: z.literal(true), pid: z.number(), uris: z.partialRecord(instanceSchema, z.string()) });

export const statusSchema = z.object({
  ok: z.literal(true),
  pid: z.number(),
  uptimeMs: z.number(),
  clients: z.number(),
  instances: z.array(z.object({ name: instanceSchema, pid: z.number(), uri: z.string(), rssBytes: z.number() })),
});

export const addressSchema = z.object({ protocol: z.number(), control: z.string() });

/** Files of a home's host. */
export function hostFiles(home: string) {
  const folder = join(home, "host");
  return { folder, address: join(folder, "host.json"), log: join(folder, "host.log"), stores: join(home, "stores") } as const;
}

/** Where a home's host listens, as it wrote it down; undefined when none ever did. */
export async function readAddress(home: string): Promise<z.infer<typeof addressSchema> | undefined> {
  try {
    return addressSchema.safeParse(JSON.parse(await readFile(hostFiles(home).address, "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** One JSON value per line from a socket. */
export async function* readMessages(socket: Socket): AsyncGenerator<unknown> {
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) yield JSON.parse(line);
}

/** Sends one request on a fresh connection and waits for its answer; undefined when the host is not there or goes away. */
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
    if (received.includes("\n")) resolve(JSON.parse(received.slice(0, received.indexOf("\n"))));
  });
  const answer = await promise;
  signal?.removeEventListener("abort", onAbort);
  signal?.throwIfAborted();
  return answer === undefined ? undefined : { answer, socket };
}

/** Throws what a host answered when that is a failure. */
export function throwFailure(answer: unknown): void {
  const failure = failureSchema.safeParse(answer);
  if (!failure.success) return;
  const { code, message, hint } = failure.data;
  throw new RagctlError(code, message, hint === undefined ? {} : { hint });
}
