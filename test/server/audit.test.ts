import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { ServeCopy } from "../../src/app/audit/attempt.ts";
import { audit } from "../../src/app/audit/audit.ts";
import type { Embedder } from "../../src/core/documents/embedding.ts";
import { createHttpHandler } from "../../src/mcp/http.ts";
import { serveClient } from "../../src/mcp/stdio.ts";
import { serveCopy } from "../../src/server/audit/copy.ts";
import { auditedSurfaces } from "../../src/shapes/permissions.ts";
import { openWorld, type World } from "../app/world.ts";
import { fakeEmbedder } from "../pipeline/fakes.ts";

/** A copy as `main.ts` serves it. */
const serve: ServeCopy = async (copy) =>
  serveCopy(copy, (app) => {
    const parts = { app, programVersion: "0.0.0", topK: 5, log: copy.run.log };
    const handler = createHttpHandler({ ...parts, allowWrite: false });
    return {
      http: (request, run) => handler.fetch(request, run.principal),
      stdio: (...call) => serveClient({ ...parts, allowWrite: true }, ...call),
    };
  });

/** An embedder to which two questions of equal length are not alike, as to a real one. */
function wordyEmbedder(): Embedder {
  const angle = (text: string) => [...text].reduce((sum, letter, at) => sum + letter.charCodeAt(0) * at, 0);
  return {
    ...fakeEmbedder(),
    embed: async (texts) =>
      texts.map((text) => ({ dense: Float32Array.of(Math.cos(angle(text)), Math.sin(angle(text))) })),
  };
}

/** ada of HR may read its collection; the canaries are three: under its rule, and under none. */
async function openOffice(context: TestContext): Promise<World> {
  const world = await openWorld(context, wordyEmbedder());
  const { principals, permissions } = world.core;
  await principals.add({ name: "ada", departments: ["hr"] });
  const resource = "hr_private_docs";
  await permissions.put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resource,
    instance: "private",
  });
  return world;
}

async function auditOf(world: World, how: ServeCopy) {
  const end = (await Array.fromAsync(audit(world.core, how, world.run("owner")))).at(-1);
  assert.ok(end?.type === "audit-end");
  return end;
}

describe("an audit of what is served", () => {
  it("tries every route and every surface, reaches what is permitted, and finds nothing else", async (context) => {
    const end = await auditOf(await openOffice(context), serve);
    assert.deepEqual(end.leaks, []);
    assert.deepEqual(
      end.principals.flatMap(({ controlsFailed }) => controlsFailed),
      [],
    );
    assert.deepEqual(end.untried, []);
    assert.deepEqual(
      end.surfaces.map(({ surface }) => surface),
      [...auditedSurfaces],
    );
    // What goes through an agent need not succeed: an agent may be given less.
    for (const { surface, attempts, controls } of end.surfaces)
      assert.ok(attempts > 0 && (controls > 0 || surface === "openai" || surface === "streams"), surface);
  });

  it("finds every surface whose guard is off, and names the route that no attempt tries", async (context) => {
    const open =
      /\/original$|^\/api\/documents\/search|^\/v1\/chat\/completions$|^\/api\/chat\/stream|^\/mcp$/;
    const guardless: ServeCopy = async (copy) => {
      const real = await serve(copy);
      return {
        ...real,
        async request(principal, path, init) {
          const response = await real.request(open.test(path) ? "owner" : principal, path, init);
          if (path !== "/openapi.json") return response;
          const description = (await response.json()) as { readonly paths: object };
          return Response.json({ paths: { ...description.paths, "/v1/everything": { get: {} } } });
        },
        room: (_, room) => real.room("owner", room),
        assistant: (_, method, params) => real.assistant("owner", method, params),
      };
    };
    const { leaks, surfaces, untried } = await auditOf(await openOffice(context), guardless);
    assert.deepEqual(untried, ["GET /v1/everything"]);
    assert.deepEqual([...new Set(leaks.map(({ principal }) => principal))], ["ada"]);
    assert.deepEqual(
      surfaces.filter((each) => each.leaks.length > 0).map(({ surface }) => surface),
      // The assistant can remove canaries too, which the library then lacks.
      ["library", "page", "streams", "rooms", "openai", "short", "mcp-http", "mcp-stdio"],
    );
    const originals = leaks.filter(({ surface }) => surface === "page");
    assert.deepEqual(
      [...new Set(originals.map(({ attempt }) => attempt))],
      ["by id", "by name"].map((by) => `GET /v1/documents/{document}/original, ${by}`),
    );
  });
});
