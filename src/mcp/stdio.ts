import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { linesOf } from "../core/text.ts";
import { type Batches, createBatchCollector, type Fault, type Sent } from "./batches.ts";
import { createMcpServer, type McpParts } from "./server.ts";

/** Where a client speaks and is answered. */
export interface StdioStreams {
  readonly input: Readable;
  /** Takes messages of the protocol and nothing else. */
  readonly output: Writable;
  /** Receives errors outside the protocol. */
  readonly note: (message: string) => void;
}

/** Time in which the calls of a client that has closed its end are finished, ms. */
const finishingMs = 120_000;

/**
 * Serves one client until it closes its end or `signal` is aborted. Requests from before it closed its end
 * are answered within `finishMs`, since a script may send its requests and then listen. Those still running
 * after that are aborted and awaited.
 */
export async function serveClient(
  parts: McpParts,
  principal: string,
  { input, output, note }: StdioStreams,
  signal: AbortSignal,
  finishMs: number = finishingMs,
): Promise<void> {
  const ongoing = new Set<Promise<void>>();
  const closed = Promise.withResolvers<void>();
  const transport = lineTransport(input, output, finishMs);
  const handle = serveStdio(
    () =>
      createMcpServer(parts, {
        principal,
        begin({ mcpReq }) {
          const { promise, resolve } = Promise.withResolvers<void>();
          ongoing.add(promise);
          return {
            signal: AbortSignal.any([mcpReq.signal, signal]),
            [Symbol.dispose]() {
              ongoing.delete(promise);
              resolve();
            },
          };
        },
      }),
    { transport, onerror: ({ message }) => note(message) },
  );
  // The entry has set its own by now; it is called first, so that its requests are aborted.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    closed.resolve();
  };
  const stop = (): void => void handle.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await closed.promise;
  signal.removeEventListener("abort", stop);
  await Promise.all(ongoing);
}

/**
 * One JSON message a line, or an array of them, each way. Unlike the library's own transport, which passes
 * over what it cannot read, this one answers it as JSON-RPC says, so that no client waits for a reply that
 * never comes.
 */
function lineTransport(input: Readable, output: Writable, finishMs: number): Transport {
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
    input.destroy();
  };
  /** Waits for the answers to open requests while the client reads them. */
  const finish = async (): Promise<void> => {
    const late = AbortSignal.any([gone.signal, AbortSignal.timeout(finishMs)]);
    const left = new Promise<void>((resolve) => {
      if (late.aborted) resolve();
      late.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([batches.idle(), left]);
    transport.onclose?.();
  };
  const listen = async (): Promise<void> => {
    for await (const line of linesOf(input)) if (line.trim() !== "") receive(line);
    await finish();
  };
  const transport: Transport = {
    async start() {
      output.once("error", leave);
      void listen();
    },
    async send(message) {
      if (!batches.answer(message)) await write(message);
    },
    async close() {
      leave();
    },
  };
  const write = (sent: Sent | readonly Sent[]): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(sent)}\n`, (error) => (error == null ? resolve() : reject(error)));
    });
  const reply = (sent: Sent | readonly Sent[]): void => void write(sent).catch(leave);
  const batches = createBatchCollector(reply);
  const receive = (line: string): void => {
    const { isBatch, messages, faults } = readLine(line, batches);
    for (const { error } of faults) transport.onerror?.(new Error(`${error.message}: ${line.slice(0, 80)}`));
    if (isBatch) batches.add(messages, faults);
    else for (const fault of faults) reply(fault);
    for (const message of messages) {
      const cancelled = cancelledBy(message);
      transport.onmessage?.(message);
      if (cancelled !== undefined) batches.cancel(cancelled);
    }
  };
  return transport;
}

/** The messages of a line, whose requests have begun, and the errors for invalid or refused ones. */
function readLine(line: string, batches: Batches) {
  const value = jsonOf(line);
  const isBatch = Array.isArray(value) && value.length > 0;
  const read = (isBatch ? value : [value]).map((each) => begun(messageOf(each), batches));
  return {
    isBatch,
    messages: read.flatMap(({ message }) => message ?? []),
    faults: read.flatMap(({ fault }) => fault ?? []),
  };
}

/** A request with the id of an open one is refused: the client could not distinguish the two answers. */
function begun(read: Read, batches: Batches): Read {
  const { message } = read;
  if (message === undefined || !isJSONRPCRequest(message) || batches.begin(message.id)) return read;
  return { fault: invalid(message.id, "the previous request with this id has not been answered yet") };
}

/** The value of a line; undefined, which JSON cannot express, for invalid JSON. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * A message of the protocol, or the error that answers an invalid one: under its id, where that can be read.
 */
interface Read {
  readonly message?: JSONRPCMessage;
  readonly fault?: Fault;
}

function messageOf(value: unknown): Read {
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    if (value === undefined) {
      const error = { code: ProtocolErrorCode.ParseError, message: "Parse error: the line is not JSON" };
      return { fault: { jsonrpc: "2.0", id: null, error } };
    }
    const given = typeof value === "object" && value !== null && "id" in value ? value.id : null;
    const id = typeof given === "string" || typeof given === "number" ? given : null;
    return { fault: invalid(id, "it is not a JSON-RPC message") };
  }
}

const invalid = (id: RequestId | null, why: string): Fault => ({
  jsonrpc: "2.0",
  id,
  error: { code: ProtocolErrorCode.InvalidRequest, message: `Invalid request: ${why}` },
});

/** The request that a message cancels. */
function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
