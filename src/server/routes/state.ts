import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { doctorShape } from "../../shapes/machine.ts";
import { type Endpoint, endpoint, withTag } from "../define-route.ts";
import { json } from "../reply.ts";
import { jsonResponse } from "../shapes.ts";

const health = z.object({ status: z.literal("ok"), version: z.string() });
const ready = z.object({
  status: z.enum(["ready", "stopping", "waiting"]),
  waiting_for: z.array(z.string()).optional(),
});

/** Whether the server lives, takes work, and what it counts. */
export const state: readonly Endpoint[] = withTag("State", [
  endpoint(
    "GET /health",
    "Check whether the server is alive",
    { open: true, answers: { 200: { description: "The server is alive", schema: health } } },
    (_, { server }) => json({ status: "ok", version: server.programVersion }),
  ),
  endpoint(
    "GET /ready",
    "Check whether the server accepts requests",
    {
      open: true,
      answers: {
        200: { description: "Accepting requests", schema: ready },
        503: { description: "Stopping, or waiting for a model or a store", schema: ready },
      },
    },
    async (_, { server }) => {
      if (server.stopping.aborted) return json({ status: "stopping" }, 503);
      const missing = await server.app.readiness();
      return missing.length === 0
        ? json({ status: "ready" })
        : json({ status: "waiting", waiting_for: missing }, 503);
    },
  ),
  endpoint(
    "GET /metrics",
    "Metrics for Prometheus; for the owner and services",
    { answers: { 200: { description: "Text exposition format", mediaType: "text/plain" } } },
    async (_, { server, run }) => {
      if ((await server.app.permissions.principal(run)).kind === "person")
        throw new RagctlError("PERMISSION_DENIED", "only the owner and services may read the metrics", {
          hint: "create a service principal: ragctl principals add prometheus --kind service",
        });
      const { text, contentType } = await server.metrics.exposition();
      return new Response(text, { headers: { "content-type": contentType } });
    },
  ),
  endpoint(
    "GET /v1/doctor",
    "Check models, stores and the machine; owner only",
    jsonResponse("Checks", "doctor"),
    async (_, { server: { app }, run }) => {
      await app.ownerOnly(run, "check the machine");
      return json(doctorShape(await app.doctor(run)));
    },
  ),
]);
