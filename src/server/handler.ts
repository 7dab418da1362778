import { randomUUID } from "node:crypto";
import { ServerResponse } from "node:http";
import { type HttpBindings, upgradeWebSocket } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { WebSocket } from "ws";
import { noTelemetry } from "../app/telemetry.ts";
import { RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import type { Call, Described, Endpoint } from "./define-route.ts";
import { errorResponse, publicError } from "./failure.ts";
import { openApi } from "./openapi.ts";
import { contentSecurityPolicy, mountPage } from "./page.ts";
import { json } from "./reply.ts";
import { openRoomSocket, type RoomSocket } from "./rooms/socket.ts";
import { endpoints, listEndpoints } from "./route-list.ts";
import { signInRequiredError } from "./routes/session.ts";
import type { Server } from "./server.ts";
import { cookieNameOf, type Visitor } from "./sign-in/authenticator.ts";

/** What node adds to a request; absent where it is handled within the process. */
interface Environment {
  Bindings: Partial<HttpBindings>;
}

type Handler = Hono<Environment>;

/** Headers of every answer, as helmet sets them. */
const headers: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "DENY",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};

/** How the address of a client is learned. */
export interface HandlerOptions {
  /** Whether the server is behind a proxy, which appends the client's address to X-Forwarded-For. */
  readonly behindProxy: boolean;
  readonly tls: boolean;
  /** Takes the room of a request for its socket; default: the connection that the request came over. */
  readonly takeRoom?: (room: RoomSocket) => void;
  /** Learns which answers are streams of events. */
  readonly streaming?: (answer: ServerResponse) => void;
}

const nobody = { principal: "", by: "none", keyId: "", mayImpersonate: false } as const;

/** Everything that is answered: one function from a request to a response, with or without a socket. */
export function createHandler(server: Server, options: HandlerOptions): Handler {
  const app: Handler = new Hono<Environment>();
  const { telemetry = noTelemetry } = server;
  const addressOf = (context: Context<Environment>): string => {
    const forwarded = options.behindProxy ? context.req.header("x-forwarded-for") : undefined;
    return forwarded?.split(",").at(-1)?.trim() ?? context.env?.incoming?.socket.remoteAddress ?? "";
  };
  app.use("*", async (context, next) => {
    const since = performance.now();
    server.auth.checkPlace(context.req.raw);
    await telemetry.request(context.req.method, next, () => ({
      route: context.req.routePath,
      status: context.res.status,
    }));
    for (const [name, value] of Object.entries(headers))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    if (isEvents(context.res) && context.env?.outgoing instanceof ServerResponse)
      options.streaming?.(context.env.outgoing);
    if (options.tls) context.res.headers.set("strict-transport-security", "max-age=31536000");
    if (!context.res.headers.has("cache-control")) context.res.headers.set("cache-control", "no-cache");
    const { method, routePath } = context.req;
    server.metrics.request(routePath, method, context.res.status, (performance.now() - since) / 1000);
  });
  app.onError((thrown, { req }) =>
    errorResponse(publicError(thrown, { id: "", log: server.log }), openAiPath.test(req.path)),
  );
  mountLink(app, server, addressOf);
  for (const endpoint of endpoints) mount(app, endpoint, server, addressOf);
  mountSockets(app, server, addressOf, options);
  const routes = listEndpoints(server.mcp !== undefined);
  const description = openApi(routes, server.programVersion, cookieNameOf(server.hosts));
  app.get("/openapi.json", () => json(description));
  mountMcp(app, server, addressOf);
  mountPage(app);
  app.notFound((context) => unknownRoute(new URL(context.req.url), context.req.method, routes));
  return app;
}

const isEvents = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

type AddressOf = (context: Context<Environment>) => string;

/** Paths of OpenAI's API, whether or not there is such a route. */
const openAiPath = /^\/v1\/(?:chat|models|completions|embeddings|responses)(?:\/|$)/;

function unknownRoute({ pathname, origin }: URL, method: string, routes: readonly Described[]): Response {
  const isOpenAi = openAiPath.test(pathname);
  const matches = routes.filter((each) => fits(each.path, pathname));
  if (matches.length === 0)
    return errorResponse(
      new RagctlError("NOT_FOUND", "there is no page or route at this address", {
        hint: `open ${origin}/ for the page; list the routes: curl ${origin}/openapi.json`,
      }),
      isOpenAi,
    );
  const taken = matches.flatMap((each) =>
    each.method === "get" ? ["GET", "HEAD"] : each.method.toUpperCase(),
  );
  const allow = [...new Set(taken)].join(", ");
  const response = errorResponse(
    new RagctlError("METHOD_UNSUPPORTED", `the route does not support ${method.slice(0, 20)}`, {
      hint: `it supports ${allow}`,
    }),
    isOpenAi,
  );
  response.headers.set("allow", allow);
  return response;
}

/** Whether a path is one of a route, `{…}` standing for any part that is not empty. */
function fits(route: string, path: string): boolean {
  const [wanted, given] = [route.split("/"), path.split("/")];
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith("{") ? given[index] !== "" : part === given[index]))
  );
}

/** One request, as routes see it. @throws SIGN_IN_REQUIRED and errors of the authenticator */
async function callOf(request: Request, address: string, server: Server, open: boolean): Promise<Call> {
  if (server.stopping.aborted && !open)
    throw new RagctlError("SERVER_BUSY", "the server is stopping", { hint: "try again shortly" });
  const visitor: Visitor | undefined = open
    ? { holder: nobody, principal: "", address }
    : await server.auth.visitor(request, address);
  if (visitor === undefined) throw signInRequiredError();
  server.auth.limits.request(visitor.principal === "" ? address : visitor.principal);
  const left = new AbortController();
  const run: Run = {
    id: randomUUID(),
    principal: visitor.principal,
    signal: AbortSignal.any([request.signal, server.stopped, left.signal]),
    log: server.log,
  };
  return { request, visitor, run, server, leave: (reason) => left.abort(reason) };
}

/** A path of a route as hono takes it, and its earlier name. */
const pathsOf = (path: string): string[] =>
  [...new Set([path, path.replace("/v1/chats", "/v1/rooms")])].map((each) =>
    each.replace(/\{(\w+)\}/g, ":$1"),
  );

function mount(app: Handler, endpoint: Endpoint, server: Server, addressOf: AddressOf): void {
  const { method, path, open = false, openAi = false } = endpoint;
  app.on(method.toUpperCase(), pathsOf(path), async (context) => {
    let run: Parameters<typeof publicError>[1] = { id: "", log: server.log };
    try {
      const answer = async (): Promise<Response> => {
        const call = await callOf(context.req.raw, addressOf(context), server, open);
        run = call.run;
        const response = await endpoint.handle(context.req.param(), call);
        response.headers.set("x-run-id", run.id);
        return response;
      };
      // What anybody may ask, such as whether the server is well, is answered without a registry.
      return await (open ? answer() : server.app.current(answer));
    } catch (thrown) {
      return errorResponse(publicError(thrown, run), openAi);
    }
  });
}

/** The printed link: its key becomes a cookie, and leaves the address line. */
function mountLink(app: Handler, server: Server, addressOf: AddressOf): void {
  app.get("/", async (context, next) => {
    const key = context.req.query("key");
    if (key === undefined) return next();
    try {
      const { cookie } = await server.auth.signIn(key, addressOf(context), context.req.raw);
      return new Response(null, { status: 303, headers: { location: "/", "set-cookie": cookie } });
    } catch (thrown) {
      const refusal = errorResponse(publicError(thrown, { id: "", log: server.log }));
      if (!/\btext\/html\b/.test(context.req.header("accept") ?? "")) return refusal;
      // A browser gets the page, which says so and asks for a key.
      await next();
      context.res = new Response(context.res.body, { status: refusal.status, headers: context.res.headers });
      return undefined;
    }
  });
}

/** Chats as conversations: `/v1/chats/{chat}/socket`. */
function mountSockets(
  app: Handler,
  server: Server,
  addressOf: AddressOf,
  { takeRoom }: HandlerOptions,
): void {
  app.on("GET", pathsOf("/v1/chats/{chat}/socket"), async (context, next) => {
    try {
      if (context.req.header("upgrade")?.toLowerCase() !== "websocket")
        throw new RagctlError("REQUEST_INVALID", "this route is a WebSocket", {
          hint: "connect to it with ws:// or wss://",
        });
      const call = await callOf(context.req.raw, addressOf(context), server, false);
      const room = await openRoomSocket(context.req.param("chat") ?? "", call);
      if (takeRoom !== undefined) {
        takeRoom(room);
        return new Response(null, { status: 204 });
      }
      const upgrade = upgradeWebSocket(() => ({
        // The helper wraps a socket of ws, with which the server is built.
        onOpen: (_, { raw }) => room.opened(raw as WebSocket),
        onMessage: ({ data }) => room.received(data),
        onClose: () => room.closed(),
      }));
      return await upgrade(context, next);
    } catch (thrown) {
      return errorResponse(publicError(thrown, { id: "", log: server.log }));
    }
  });
}

/**
 * Where a handler of the Model Context Protocol is mounted; it gets the request and whose permissions hold.
 */
function mountMcp(app: Handler, server: Server, addressOf: AddressOf): void {
  const { mcp } = server;
  if (mcp === undefined) return;
  app.all("/mcp", async (context) => {
    try {
      return await server.app.current(async () => {
        const { run } = await callOf(context.req.raw, addressOf(context), server, false);
        return mcp(context.req.raw, run, server.app);
      });
    } catch (thrown) {
      return errorResponse(publicError(thrown, { id: "", log: server.log }));
    }
  });
}
