import { z } from "../../core/schema.ts";
import { documentNamed } from "../../operations/published.ts";
import { runDetailShape } from "../../shapes/answer.ts";
import { logsShape } from "../../shapes/runs.ts";
import { type Endpoint, endpoint, withTag } from "../endpoint.ts";
import { json } from "../reply.ts";
import { jsonResponse } from "../shapes.ts";

/** Past questions and ingests: the principal's own, for the owner everybody's. */
export const runs: readonly Endpoint[] = withTag("Runs", [
  endpoint(
    "GET /v1/runs",
    "List past runs, newest first",
    {
      query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(20) }),
      answers: { 200: { description: "Runs", schema: documentNamed("logs") } },
    },
    async ({ query: { limit } }, { server, run }) => json(logsShape(await server.app.runRecords(limit, run))),
  ),
  endpoint(
    "GET /v1/runs/{run}",
    "Show a past run",
    jsonResponse("The run", "run"),
    async ({ params }, { server, run }) =>
      json(runDetailShape(await server.app.runRecord(params["run"] ?? "", run))),
  ),
  endpoint(
    "GET /v1/runs/{run}/export",
    "Export a past answer with its cited pages as one HTML page",
    { answers: { 200: { description: "The page", mediaType: "text/html" } } },
    async ({ params }, { server, run, visitor }) => {
      // Each draws pages in a separate process.
      using _slot = server.auth.limits.stream(visitor.principal);
      return new Response(await server.app.exportRun(params["run"] ?? "", run), {
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-disposition": 'attachment; filename="answer.html"',
          "content-security-policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
        },
      });
    },
  ),
]);
