import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import {
  deserializeMessage,
  ProtocolErrorCode,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type McpParts, openMcpServer } from "./server.ts";

/** Where a client speaks and is answered. */
export interface Line {
  readonly input: Readable;
  /** Takes messages of the protocol and nothing else. */
  readonly output: Writable;
  /** Told what went wrong beside the protocol. */
  readonly note: (message: string) => void;
}

/**
 * Serves one client until it closes its end or `signal` is aborted; work that goes on then is aborted and
 * waited for.
 */
export async function serveClient(
  parts: McpParts,
  principal: string,
  { input, output, note }: Line,
  signal: AbortSignal,
): Promise<void> {
  const ongoing = new Set<Promise<void>>();
  const closed = Promise.withResolvers<void>();
  const transport = lineTransport(input, output);
  const handle = serveStdio(
    () =>
      openMcpServer(parts, {
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
 * One JSON message a line, each way. Unlike the library's own transport, which passes over a line that is no
 * JSON, this one answers it as JSON-RPC says, so that no client waits for a reply that never comes.
 */
function lineTransport(input: Readable, output: Writable): Transport {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const transport: Transport = {
    async start() {
      lines.on("line", (line) => {
        if (line.trim() !== "") receive(line);
      });
      lines.once("close", () => transport.onclose?.());
      output.once("error", () => lines.close());
    },
    send: (message) => write(serializeMessage(message)),
    async close() {
      lines.close();
      input.destroy();
    },
  };
  const write = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(text, (error) => (error == null ? resolve() : reject(error)));
    });
  const receive = (line: string): void => {
    try {
      transport.onmessage?.(deserializeMessage(line));
    } catch (cause) {
      const [code, message] =
        cause instanceof SyntaxError
          ? [ProtocolErrorCode.ParseError, "Parse error: the line is no JSON"]
          : [ProtocolErrorCode.InvalidRequest, "Invalid request: the line is no JSON-RPC message"];
      transport.onerror?.(new Error(`${message}: ${line.slice(0, 80)}`));
      write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } })}\n`).catch(() =>
        lines.close(),
      );
    }
  };
  return transport;
}
