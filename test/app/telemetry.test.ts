import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { after, before, test } from "node:test";
import * as api from "@opentelemetry/api";
import { createSurface } from "../../src/app/surface.ts";
import { createTelemetry, noTelemetry, openTelemetry } from "../../src/app/telemetry.ts";
import { openSite } from "../server/support.ts";
import { openWorld } from "./world.ts";

interface Kept {
  readonly name: string;
  /** Place of the span above among those kept; -1 for none. */
  readonly parent: number;
  readonly attributes: Record<string, unknown>;
  readonly status?: api.SpanStatus;
  readonly ended: boolean;
}

const kept: { -readonly [Name in keyof Kept]: Kept[Name] }[] = [];

/** A tracer that keeps its spans in memory. */
const tracer = {
  startSpan(name: string, { attributes = {} }: api.SpanOptions = {}, context = api.context.active()) {
    const id = String(kept.length + 1).padStart(16, "0");
    const entry: (typeof kept)[number] = {
      name,
      parent: Number(api.trace.getSpanContext(context)?.spanId ?? 0) - 1,
      attributes: { ...attributes },
      ended: false,
    };
    kept.push(entry);
    const span = api.trace.wrapSpanContext({ traceId: "1".repeat(32), spanId: id, traceFlags: 1 });
    return Object.assign(span, {
      setStatus: (status: api.SpanStatus) => Object.assign(entry, { status }),
      updateName: (own: string) => Object.assign(entry, { name: own }),
      setAttributes: (more: api.Attributes) => Object.assign(entry.attributes, more),
      end: () => Object.assign(entry, { ended: true }),
    });
  },
};

before(() => {
  const contexts = new AsyncLocalStorage<api.Context>();
  api.context.setGlobalContextManager({
    active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
    with: (context, work, self, ...given) => contexts.run(context, () => work.apply(self, given)),
    bind: (_, target) => target,
    enable: () => api.context as never,
    disable: () => api.context as never,
  });
  api.trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as api.Tracer });
});
after(() => api.trace.disable());

test("nothing is followed unless an endpoint is named, and a missing SDK is named with the way to get it", async () => {
  assert.equal(await openTelemetry({}), noTelemetry);
  assert.equal(await openTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_SERVICE_NAME: "x" }), noTelemetry);
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
  assert.equal(await openTelemetry({ ...named, OTEL_SDK_DISABLED: "true" }), noTelemetry);
  await assert.rejects(openTelemetry(named), (error: { code: string; message: string; hint: string }) => {
    assert.deepEqual([error.code, /sdk-node is not installed/.test(error.message)], ["CONFIG_INVALID", true]);
    return /npm install @opentelemetry\/sdk-node/.test(error.hint);
  });
});

test("a question is followed from its request to its phases, and no span holds a word of it", async (context) => {
  const world = await openWorld(context);
  const telemetry = createTelemetry(api);
  const traced = createSurface(world.core, world.core.retrieval, telemetry);
  const site = await openSite(context);
  const { app } = site;
  const { send } = await openSite(context, { app: { ...app, ...traced }, telemetry });
  kept.length = 0;
  const body = JSON.stringify({ query: "What does the zebrasecret policy say?" });
  const headers = { "content-type": "application/json" };
  const response = await send("/v1/ask", { method: "POST", body, headers });
  assert.equal(response.status, 200, await response.text());
  const [request] = kept;
  assert.deepEqual(
    [request?.name, request?.parent, request?.attributes["http.response.status_code"]],
    ["POST /v1/ask", -1, 200],
  );
  const at = kept.findIndex(({ name }) => name === "ask");
  assert.equal(kept[at]?.parent, 0);
  const below = kept.filter(({ parent }) => parent === at).map(({ name }) => name);
  for (const name of ["execute", "judge", "finish"]) assert.ok(below.includes(name), below.join(" "));
  assert.ok(kept.every(({ ended }) => ended));
  assert.doesNotMatch(JSON.stringify(kept), /zebra|secret|policy/);
});

test("a failure is told by its code alone", async (context) => {
  const world = await openWorld(context);
  const traced = createSurface(world.core, world.core.retrieval, createTelemetry(api));
  kept.length = 0;
  const request = { query: "q", topK: 1, collections: ["zebra"], mode: "hybrid" as const };
  await assert.rejects(traced.search(request, world.run("owner")), { code: "NOT_FOUND" });
  assert.deepEqual(
    kept.map(({ name, status, ended }) => [name, status?.message, ended]),
    [["search", "NOT_FOUND", true]],
  );
});
