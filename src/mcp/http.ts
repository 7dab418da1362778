import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  type McpRequestContext,
  type RequestId,
  type Server,
} from "@modelcontextprotocol/server";
import { type Caller, type McpParts, openMcpServer } from "./server.ts";

/** The protocol over streamable HTTP, to be mounted at one path of a server. */
export interface McpHandler {
  /**
   * Answers one request for a principal that the server has authenticated. The server checks `Host` and
   * `Origin` before: this handler does not.
   */
  fetch(request: Request, principal: string): Promise<Response>;
  /** Aborts what is being worked on. */
  close(): Promise<void>;
}

/** Longest body, bytes: that of every JSON body of the server. */
const bodyLimit = 2 ** 20;

const sessionHeader = "mcp-session-id";

/**
 * Opens a handler that keeps nothing between requests; clients of the protocol's older versions are served
 * too.
 */
export function openMcpHandler(parts: McpParts): McpHandler {
  const closing = new AbortController();
  const older = openCancellations();
  const handler = createMcpHandler(
    (context) => {
      const principal = context.authInfo?.clientId;
      if (principal === undefined) throw new TypeError("a request came without its principal");
      if (context.era === "modern")
        return openMcpServer(parts, {
          principal,
          begin: ({ mcpReq }) => ({
            signal: AbortSignal.any([mcpReq.signal, closing.signal]),
            [Symbol.dispose]: () => undefined,
          }),
        });
      return older.serve(parts, principal, context, closing.signal);
    },
    { maxRequestBodySize: bodyLimit, onerror: ({ message }) => parts.log.event("mcp_error", { message }) },
  );
  return {
    async fetch(request, principal) {
      const opens = !request.headers.has(sessionHeader) && !request.headers.has("mcp-protocol-version");
      const authInfo = { token: "", clientId: principal, scopes: [] };
      const response = await handler.fetch(request, { authInfo });
      if (opens && response.ok) response.headers.set(sessionHeader, randomUUID());
      return response;
    },
    async close() {
      closing.abort();
      await handler.close();
    },
  };
}

/**
 * Cancellation for versions before 2026-07-28. There it comes as a request of its own, and their ids count
 * from 0 in every client: so the opening of a client is given a session id, which it repeats and which tells
 * its requests from those of others. Nothing else is kept under it.
 */
function openCancellations() {
  const running = new Map<string, AbortController>();
  return {
    serve(
      parts: McpParts,
      principal: string,
      { requestInfo }: McpRequestContext,
      closing: AbortSignal,
    ): Server {
      const session = requestInfo?.headers.get(sessionHeader) ?? null;
      const keyOf = (id: RequestId): string => JSON.stringify([principal, session, id]);
      const begin: Caller["begin"] = ({ mcpReq }) => {
        const cancelled = new AbortController();
        const key = keyOf(mcpReq.id);
        if (session !== null) running.set(key, cancelled);
        const signals = [mcpReq.signal, closing, cancelled.signal];
        if (requestInfo !== undefined) signals.push(requestInfo.signal);
        return {
          signal: AbortSignal.any(signals),
          [Symbol.dispose]() {
            if (running.get(key) === cancelled) running.delete(key);
          },
        };
      };
      const server = openMcpServer(parts, { principal, begin });
      server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
        if (session !== null && requestId !== undefined) running.get(keyOf(requestId))?.abort();
      });
      return server;
    },
  };
}
