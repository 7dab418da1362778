import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  type McpRequestContext,
  type RequestId,
  type Server,
} from "@modelcontextprotocol/server";
import { createMcpServer, type McpCaller, type McpParts } from "./server.ts";

/** MCP over streamable HTTP, mounted at a path of a server. */
export interface McpHandler {
  /**
   * Answers a request of an authenticated principal. The server must have checked `Host` and `Origin`.
   */
  fetch(request: Request, principal: string): Promise<Response>;
  /** Aborts all pending work. */
  close(): Promise<void>;
}

/** Longest body, bytes: the server's limit for JSON. */
const bodyLimit = 2 ** 20;

const sessionHeader = "mcp-session-id";

/**
 * A stateless handler that also serves clients of older protocol versions.
 */
export function createHttpHandler(parts: McpParts): McpHandler {
  const closing = new AbortController();
  const older = openCancellations();
  const handler = createMcpHandler(
    (context) => {
      const principal = context.authInfo?.clientId;
      if (principal === undefined) throw new TypeError("a request came without its principal");
      if (context.era === "modern")
        return createMcpServer(parts, {
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
 * Cancellation for versions before 2026-07-28, which send it as a separate request. Every client numbers its
 * requests from 0, so each gets a session id to distinguish its requests. Nothing else is stored for a
 * session.
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
      const begin: McpCaller["begin"] = ({ mcpReq }) => {
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
      const server = createMcpServer(parts, { principal, begin });
      server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
        if (session !== null && requestId !== undefined) running.get(keyOf(requestId))?.abort();
      });
      return server;
    },
  };
}
