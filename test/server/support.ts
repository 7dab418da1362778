import type { TestContext } from "node:test";
import { createCompanyApi } from "../../src/app/company.ts";
import { doctor } from "../../src/app/owner/doctor/doctor.ts";
import { createReadinessCheck } from "../../src/app/readiness.ts";
import type { ServedApp, ServeParts } from "../../src/app/serving.ts";
import { z } from "../../src/core/schema.ts";
import { createOriginalFiles } from "../../src/server/files/original.ts";
import { createUploadFolder } from "../../src/server/files/uploads.ts";
import { createHandler } from "../../src/server/handler.ts";
import { createAllowedHosts } from "../../src/server/hosts.ts";
import { createServerMetrics } from "../../src/server/metrics.ts";
import { createChatBroadcaster } from "../../src/server/rooms/news.ts";
import { startServer } from "../../src/server/serve.ts";
import type { Server } from "../../src/server/server.ts";
import { createAuthenticator } from "../../src/server/sign-in/authenticator.ts";
import { createPendingAnswers } from "../../src/server/stream/under-way.ts";
import { type Core, openWorld, type World } from "../app/world.ts";
import { checkDescribed } from "./description.ts";

export const origin = "http://127.0.0.1:7070";
export const linkKey = "a-link-key-of-this-test";

/** The app over a core, as `openApp` puts it together. */
export function servedApp(core: Core): ServeParts["app"] {
  return {
    ...createCompanyApi(core, core.app),
    doctor: () =>
      doctor(
        { ...core, models: { list: async () => [], altered: async () => [] }, gpu: async () => null },
        core,
      ),
    readiness: createReadinessCheck(core, async () => ({ path: async () => "" })),
    // Only the command line and an assistant that may write ingest so; the server takes uploads.
    async *ingest() {},
  };
}

export interface Site {
  readonly world: World;
  readonly app: ReturnType<typeof servedApp>;
  readonly server: Server;
  readonly handler: ReturnType<typeof createHandler>;
  readonly stopping: AbortController;
  /** Routes whose responses were checked against the description. */
  readonly tried: ReadonlySet<string>;
  /** A key of a principal, who is added where it is not there. */
  keyOf(principal: string, input?: { readonly mayImpersonate?: boolean }): Promise<string>;
  /** Sends a request as the owner, or with the key that is given; "" for none. */
  send(path: string, init?: RequestInit & { readonly key?: string }): Promise<Response>;
}

/** A server without a socket over a real registry and stores in memory. */
export async function openSite(
  context: Pick<TestContext, "after">,
  change: Partial<Server> = {},
): Promise<Site> {
  const world = await openWorld(context);
  const app = servedApp(world.core);
  const owner = world.run("owner");
  const hosts = createAllowedHosts({ host: "127.0.0.1", port: 7070, tls: false }, []);
  const stopping = new AbortController();
  const server: Server = {
    app,
    settings: world.core.settings,
    programVersion: "0.0.0",
    log: { event: () => undefined, warn: () => undefined },
    hosts,
    auth: createAuthenticator({
      keys: app.keys,
      hosts,
      secure: false,
      link: { key: linkKey, principal: "owner", isOwner: true },
      checkPrincipal: async (name) => (await app.permissions.principal({ ...owner, principal: name })).name,
    }),
    uploads: createUploadFolder({ home: world.core.settings.home, maxBytes: 100_000 }),
    originals: createOriginalFiles(),
    metrics: createServerMetrics(),
    news: createChatBroadcaster(),
    underWay: createPendingAnswers(),
    stopping: stopping.signal,
    stopped: stopping.signal,
    ...change,
  };
  const handler = createHandler(server, { behindProxy: false, tls: false });
  const tried = new Set<string>();
  return {
    world,
    tried,
    app,
    server,
    handler,
    stopping,
    async keyOf(principal, input = {}) {
      if ((await world.core.principals.find(principal)) === undefined)
        await app.permissions.addPrincipal({ name: principal, kind: "person" }, owner);
      return (await app.keys.add(principal, input, owner)).key;
    },
    async send(path, { key = linkKey, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (key !== "") headers.set("authorization", `Bearer ${key}`);
      const response = await handler.request(`${origin}${path}`, { ...init, headers });
      const { pathname } = new URL(path, origin);
      const copy = init.signal === undefined ? response.clone() : undefined;
      const route = copy && (await checkDescribed(init.method ?? "GET", pathname, copy));
      if (route !== undefined) tried.add(route);
      return response;
    },
  };
}

/** The body of a JSON request. */
export const jsonBody = (value: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  body: JSON.stringify(value),
  headers: { "content-type": "application/json", ...headers },
});

export const bodyOf = async (response: Response): Promise<Record<string, unknown>> =>
  z.record(z.string(), z.unknown()).parse(await response.json());

/** Status and error code of a response. */
export async function refusal(response: Response): Promise<readonly [number, string]> {
  const { error } = z.object({ error: z.object({ code: z.string() }) }).parse(await response.json());
  return [response.status, error.code];
}

/** Events of a stream, pings left out. */
export async function eventsOf(
  response: Response,
): Promise<{ readonly id: string; readonly name: string; readonly data: unknown }[]> {
  return (await response.text())
    .split("\n\n")
    .filter((block) => block.startsWith("id: "))
    .map((block) => {
      const member = (name: string): string =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? "";
      return { id: member("id"), name: member("event"), data: JSON.parse(member("data")) };
    });
}

/**
 * A server on a socket of this machine; requests carry the key of its link. It stops before what it stands on
 * is closed.
 */
export async function openSocketSite(
  context: Pick<TestContext, "after">,
  change: Partial<ServedApp> = {},
  { auth = true, principal = "owner" } = {},
  limits: Parameters<typeof startServer>[2] = {},
) {
  const closing: (() => unknown)[] = [];
  const world = await openWorld({ after: (close) => void closing.push(close as () => unknown) });
  const app = servedApp(world.core);
  if (principal !== "owner")
    await app.permissions.addPrincipal({ name: principal, kind: "person" }, world.run("owner"));
  const { settings } = world.core;
  const running = await startServer(
    { host: "127.0.0.1", port: 0, auth, behindProxy: false, origins: [] },
    {
      app: { ...app, ...change },
      settings: { ...settings, parse: { ...settings.parse, maxBytes: 100_000 } },
      programVersion: "0.0.0",
      run: { ...world.run(principal), log: { event: () => undefined, warn: () => undefined } },
    },
    limits,
  );
  context.after(async () => {
    await running.stop();
    for (const close of closing) await close();
  });
  const key = new URL(running.link).searchParams.get("key") ?? "";
  const authorization = `Bearer ${key}`;
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("authorization", authorization);
    return fetch(`${running.url}${path}`, { ...init, headers });
  };
  return { running, world, url: running.url, key, authorization, send };
}
