import { exportRun } from "../../app/verify/export.ts";
import { type Endpoint, endpoint, withTag } from "../define-route.ts";

/** A past answer for people without ragctl. */
export const runs: readonly Endpoint[] = withTag("Runs", [
  endpoint(
    "GET /v1/runs/{run}/export",
    "Export a past answer with its cited pages as one HTML page",
    { answers: { 200: { description: "The page", mediaType: "text/html" } } },
    async ({ params }, { server, run, visitor }) => {
      // Each draws pages in a separate process.
      using _slot = server.auth.limits.stream(visitor.principal);
      return new Response(await exportRun(params["run"] ?? "", server.app, run), {
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-disposition": 'attachment; filename="answer.html"',
          "content-security-policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
        },
      });
    },
  ),
]);
