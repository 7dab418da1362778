import type { Server as HttpServer, IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { RequestError } from "@hono/node-server";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { errorResponse } from "../failure.ts";

/*
 * Refusals before a request exists, or of a WebSocket upgrade, have no response object of node: they are
 * written to the connection, with the same error document as any other request.
 */

/** Answers on a connection itself, and closes it. */
async function answerOn(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const { status, headers } = response;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Array.from(headers, ([name, value]) => `${name}: ${value}`),
    "connection: close",
    `content-length: ${body.length}`,
  ];
  if (socket.writable) socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
  // Destroying it at once would discard what the client has not read.
  setTimeout(() => socket.destroy(), closingMs).unref();
}

/** How long a client may take to read why it was refused, ms. */
const closingMs = 1_000;

const invalid = (message: string, hint: string): RagctlError =>
  new RagctlError("REQUEST_INVALID", message, { hint });

const invalidHost = (): Response =>
  errorResponse(invalid("the Host header is not valid", "use the URL that the server printed"));

/** The answer where hono's adapter could make no request, or no response, of what came. */
export const refusalOf = (thrown: unknown): Response =>
  thrown instanceof RequestError ? invalidHost() : errorResponse(asRagctlError(thrown));

/** HTTP status of the parser's errors, by node's code; 400 otherwise. */
const parserRefusals: Readonly<Record<string, readonly [status: number, error: RagctlError]>> = {
  HPE_HEADER_OVERFLOW: [431, invalid("the headers are too long", "send at most 16 KiB of headers")],
  ERR_HTTP_REQUEST_TIMEOUT: [408, invalid("the request did not arrive in time", "send it without pauses")],
};

/** Answers connections on which something else than HTTP comes, unless an answer is under way on them. */
export function refuseMalformed(http: HttpServer, isAnswering: (socket: Duplex) => boolean): void {
  http.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || isAnswering(socket)) return void socket.destroy();
    const otherwise = [400, invalid("not a valid HTTP request", "send HTTP/1.1")] as const;
    const [status, refusal] = parserRefusals[error.code ?? ""] ?? otherwise;
    const { body, headers } = errorResponse(refusal);
    void answerOn(socket, new Response(body, { status, headers }));
  });
}

/** The request handler; node's part of the second argument identifies a request for a WebSocket. */
type Fetch = (
  request: Request,
  environment: { readonly incoming: IncomingMessage; readonly outgoing?: unknown },
) => Response | Promise<Response>;

/**
 * `fetch` with answers to refused WebSocket upgrades. Hono's adapter answers them without a body, and not at
 * all where another listener handles `upgrade`: `listen` adds that to a server.
 */
export function withUpgradeRefusals(fetch: Fetch) {
  const asked = new WeakSet<IncomingMessage>();
  return {
    async fetch(...[request, environment]: Parameters<Fetch>): Promise<Response> {
      const { incoming, outgoing } = environment;
      asked.add(incoming);
      const response = await fetch(request, environment);
      if (outgoing === undefined && !response.ok) await answerOn(incoming.socket, response.clone());
      return response;
    },
    listen(http: HttpServer): void {
      http.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
        // The adapter listens first. What it could make no request of names no host.
        if (!asked.has(request)) void answerOn(socket, invalidHost());
      });
    },
  };
}
