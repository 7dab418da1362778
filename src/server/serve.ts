import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import { createAdaptorServer, getRequestListener, type WebSocketServerLike } from "@hono/node-server";
import { WebSocketServer } from "ws";
import type { RunningServer, ServeParts, ServeRequest } from "../app/serving.ts";
import type { AnswerEvent } from "../core/answers/answer.ts";
import { RagctlError } from "../core/errors.ts";
import { describeReadError, readSmallText } from "../files.ts";
import { errorResponse } from "./failure.ts";
import { createOriginalFiles } from "./files/original.ts";
import { createUploadFolder } from "./files/uploads.ts";
import { createHandler } from "./handler.ts";
import { createAllowedHosts, hostForUrl, isLoopback } from "./hosts.ts";
import { createServerMetrics } from "./metrics.ts";
import { checkServerSecurity } from "./options.ts";
import { createChatBroadcaster } from "./rooms/news.ts";
import { isRoomSocket, longestFrame } from "./rooms/socket.ts";
import type { Server } from "./server.ts";
import { createAuthenticator, newLinkKey } from "./sign-in/authenticator.ts";
import { countAnswers } from "./stream/answers.ts";
import { type ConnectionLimits, limitConnections } from "./stream/connections.ts";
import { answerHalfClosed } from "./stream/half-closed.ts";
import { refusalOf, refuseMalformed, withUpgradeRefusals } from "./stream/refusals.ts";
import { createPendingAnswers } from "./stream/under-way.ts";
import { runWorker } from "./worker.ts";

/** How long open streams may continue after a stop, ms. */
const drainMs = 10_000;

/** How long a server waits for clients that are slow, ms. */
const patience = {
  headersTimeout: 20_000,
  requestTimeout: 900_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  /** Until a socket is closed on which nothing moves while the client is to send or to read. */
  idleSocketMs: 120_000,
};
/** Others in tests, which cannot wait so long. */
export type Patience = typeof patience;

/** Limits on clients that send too much; sizes of bodies are limited where they are read. */
const socketLimits = {
  // Upgrades to other protocols or on other paths are answered as plain requests: their connections would
  // stay open for ever.
  shouldUpgradeCallback: ({ headers, method, url = "" }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === "websocket" && method === "GET" && isRoomSocket(url),
  maxHeaderSize: 16_384,
};
const mostHeaders = 100;
const connectionLimits = {
  mostConnections: 1000,
  mostOfOneAddress: 200,
  bodyGraceMs: 5_000,
  slowBodyMs: 40_000,
};

/**
 * Starts a server. @throws USAGE_INVALID, CONFIG_INVALID for TLS files that cannot be read, HOST_UNAVAILABLE
 * for an address that is taken
 */
export async function startServer(
  request: ServeRequest,
  parts: ServeParts,
  waits: Partial<Patience & ConnectionLimits> = {},
): Promise<RunningServer> {
  checkServerSecurity(request);
  const { app, run } = parts;
  const limits = { ...socketLimits, ...patience, ...connectionLimits, ...waits };
  const tls = tlsFiles(request);
  const onLoopback = isOnLoopback(request);
  if (!onLoopback && !(await app.keys.any()))
    throw new RagctlError("USAGE_INVALID", "nobody can sign in: no keys exist", {
      hint: "create one: ragctl principals key add NAME",
    });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: longestFrame });
  const stopping = new AbortController();
  const stopped = new AbortController();
  const late: { handler?: ReturnType<typeof createHandler> } = {};
  // The names of the server hold its port, which is known once it listens.
  const http = openHttp(tls, sockets, limits, (incoming, environment) =>
    late.handler === undefined
      ? errorResponse(new RagctlError("SERVER_BUSY", "the server is starting", { hint: "try again shortly" }))
      : late.handler.fetch(incoming, environment),
  );
  const { streaming } = answerHalfClosed(http);
  // All of a proxy come from its address.
  const mostOfOneAddress = request.behindProxy ? limits.mostConnections : limits.mostOfOneAddress;
  const endConnections = limitConnections(http, { ...limits, mostOfOneAddress });
  const port = await listen(http, request);
  const hosts = createAllowedHosts({ host: request.host, port, tls: tls !== undefined }, request.origins);
  const link = request.auth && onLoopback ? newLinkKey() : undefined;
  const server: Server = {
    ...parts,
    ...(await openShared(parts, {
      request,
      hosts,
      link,
      isSecure: tls !== undefined || request.behindProxy,
    })),
    ...{ stopping: stopping.signal, stopped: stopped.signal },
  };
  late.handler = createHandler(server, {
    behindProxy: request.behindProxy,
    tls: tls !== undefined,
    streaming,
  });
  const working = runWorker(server, { ...run, signal: AbortSignal.any([run.signal, stopping.signal]) });
  const url = `${tls === undefined ? "http" : "https"}://${hostForUrl(request.host)}:${port}`;
  return {
    url,
    link: link === undefined ? url : `${url}/?key=${link}`,
    async stop() {
      stopping.abort();
      await closeGently(http, stopped, endConnections);
      await working;
    },
  };
}

/** Lets requests and streams end, for a while, then ends their connections. */
async function closeGently(
  http: HttpServer,
  stopped: AbortController,
  endConnections: () => void,
): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  await Promise.race([closed, sleep(drainMs, undefined, { ref: false })]);
  stopped.abort(new RagctlError("SERVER_BUSY", "the server is stopping", { hint: "ask again shortly" }));
  // Streams that the signal ends report it before their connection closes.
  await Promise.race([closed, sleep(250, undefined, { ref: false })]);
  endConnections();
  await closed;
}

/** State shared by all requests. `link`: the key of the link that signs in the owner of the machine. */
async function openShared(
  { app, run, settings }: ServeParts,
  {
    request,
    hosts,
    link,
    isSecure,
  }: {
    readonly request: ServeRequest;
    readonly hosts: Server["hosts"];
    readonly link: string | undefined;
    readonly isSecure: boolean;
  },
) {
  const principal = {
    principal: run.principal,
    isOwner: (await app.permissions.principal(run)).kind === "owner",
  };
  const metrics = createServerMetrics();
  const record: ServeParts["app"]["keys"]["record"] = async (event) => {
    await app.keys.record(event);
    metrics.signIn(event.outcome);
  };
  return {
    app: countAnswers(app, metrics),
    log: run.log,
    hosts,
    uploads: createUploadFolder({ home: settings.home, maxBytes: settings.parse.maxBytes }),
    originals: createOriginalFiles(),
    metrics,
    news: createChatBroadcaster(),
    underWay: createPendingAnswers<AnswerEvent>(),
    auth: createAuthenticator({
      keys: { ...app.keys, record },
      hosts,
      secure: isSecure,
      checkPrincipal: async (name) => (await app.permissions.principal({ ...run, principal: name })).name,
      ...(link === undefined ? {} : { link: { key: link, ...principal } }),
      ...(request.auth ? {} : { nobodySignsIn: principal }),
    }),
  };
}

/** Node's server with its limits, over which nothing but HTTP and WebSockets goes. */
function openHttp(
  tls: ReturnType<typeof tlsFiles>,
  sockets: WebSocketServer,
  limits: typeof socketLimits & Patience,
  fetch: Parameters<typeof withUpgradeRefusals>[0],
): HttpServer {
  const answering = withUpgradeRefusals(fetch);
  // Requests are never HTTP/2, which the adapter supports too.
  const answer = answering.fetch as Parameters<typeof getRequestListener>[0];
  const listener = getRequestListener(answer, { overrideGlobalObjects: false, errorHandler: refusalOf });
  const http = createAdaptorServer({
    fetch: answer,
    // The adapter's own listener takes no handler of errors.
    createServer: (options: object) =>
      tls === undefined ? createHttpServer(options, listener) : createTlsServer(options, listener),
    serverOptions: { ...tls, ...limits },
    // The declaration of ws lets an option be undefined that is set above.
    websocket: { server: sockets as WebSocketServerLike },
    // It is made by node:http or node:https, never by node:http2.
  } as Parameters<typeof createAdaptorServer>[0]) as HttpServer;
  http.maxHeadersCount = mostHeaders;
  const latest = new WeakMap<Duplex, ServerResponse>();
  http.on("request", ({ socket }, response) => latest.set(socket, response));
  closeIdle(http, limits.idleSocketMs, latest);
  refuseMalformed(http, (socket) => {
    const begun = latest.get(socket);
    return begun?.headersSent === true && !begun.writableEnded;
  });
  answering.listen(http);
  return http;
}

/**
 * Closes idle sockets, except where the server is the slow side: the request has arrived completely, and its
 * answer, the `latest` of its socket, is not waiting for the client to read it.
 */
function closeIdle(http: HttpServer, idleMs: number, latest: WeakMap<Duplex, ServerResponse>): void {
  http.timeout = idleMs;
  http.on("timeout", (socket) => {
    const answer = latest.get(socket);
    const isWorking = answer !== undefined && !answer.writableEnded && answer.req.complete;
    if (!isWorking || socket.writableLength > 0) socket.destroy();
  });
}

/** Whether the printed link may sign in: only people on this machine see it. */
const isOnLoopback = ({ host, behindProxy }: ServeRequest): boolean => isLoopback(host) && !behindProxy;

/** Largest file of a certificate or key, bytes. */
const maxPemBytes = 1_000_000;

/** The certificate and its key. @throws CONFIG_INVALID that names the file */
function tlsFiles({ tlsCert, tlsKey }: ServeRequest) {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const checked = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof RagctlError) throw cause;
      const reason = describeReadError(cause);
      throw new RagctlError("CONFIG_INVALID", `cannot use ${what}: ${reason}`, {
        hint: "pass a PEM file",
        cause,
      });
    }
  };
  const [certificate, privateKey] = [`the certificate ${tlsCert}`, `the key ${tlsKey}`];
  const cert = checked(certificate, () => readSmallText(tlsCert, certificate, maxPemBytes));
  const key = checked(privateKey, () => readSmallText(tlsKey, privateKey, maxPemBytes));
  checked(certificate, () => createSecureContext({ cert }));
  checked(privateKey, () => createSecureContext({ key }));
  checked(`${privateKey} does not match ${certificate}: TLS`, () => createSecureContext({ cert, key }));
  return { cert, key };
}

/** What to change where the system refuses an address, by the code of its error. */
const listenHint = (code: string | undefined): string =>
  code === "EADDRINUSE" || code === "EACCES"
    ? "choose another port with --port, or any free one with --port 0"
    : "pass an address of this machine to --host";

/** Why the system refuses an address, by the code of its error. */
const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine has no such address",
};

/** The port that the server listens on. @throws HOST_UNAVAILABLE */
function listen(http: HttpServer, { host, port }: ServeRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new RagctlError(
          "HOST_UNAVAILABLE",
          `the server cannot listen on ${hostForUrl(host)}:${port}: ${refusals[cause.code ?? ""] ?? cause.message}`,
          { hint: listenHint(cause.code), cause },
        ),
      ),
    );
    // A server that listens on a port has an address of that kind.
    http.listen(port, host, () => resolve((http.address() as AddressInfo).port));
  });
}
