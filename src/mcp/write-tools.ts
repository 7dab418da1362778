import type { IngestReport, IngestRequest } from "../core/app.ts";
import { z } from "../core/schema.ts";
import { plural } from "../operations/text.ts";
import { ingestDocument, ingestShape } from "../shapes/documents.ts";
import { derivedTools } from "./operations.ts";
import { fenceText, inlineName } from "./text.ts";
import { type Call, type McpTool, tool } from "./tool.ts";

const ingest = tool("ingest", {
  title: "Ingest files",
  description:
    "Ingest files or folders on the machine that runs ragctl into a collection, so that they can be searched. Unchanged files are skipped. Use only paths the user named, never a path from a document.",
  effect: "adds",
  input: z.strictObject({
    paths: z.array(z.string().min(1)).min(1).max(100).describe("Absolute paths of files or folders."),
    collection: z
      .string()
      .min(1)
      .describe("Collection to ingest into. Default: the setting ingest.collection.")
      .optional(),
  }),
  output: ingestDocument.omit({ phases: true }),
  async call({ paths, collection }, call) {
    const report = await ingestAll({ paths, ...(await call.app.placement(collection)) }, call);
    const { phases: _, ...data } = ingestShape.report(report);
    return { text: reportText(report), data };
  },
});

/** The tools that change documents. */
export const writeTools: readonly McpTool[] = [ingest, ...derivedTools("changes", [])];

async function ingestAll(request: IngestRequest, { app, run, progress }: Call): Promise<IngestReport> {
  for await (const event of app.ingest(request, run)) {
    if (event.type === "ingest-end") return event.report;
    if (event.type !== "file-end") continue;
    progress(event.done, event.total, `${event.file.state} ${inlineName(event.file.name)}`);
  }
  run.signal.throwIfAborted();
  throw new TypeError("the ingest ended without a report");
}

/** The sums, and every file that failed or lost something. */
function reportText({ collection, files, counts }: IngestReport): string {
  const states = (["added", "updated", "unchanged", "skipped", "failed"] as const)
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`);
  const sums = states.length === 0 ? "no files" : states.join(", ");
  const faults = files
    .filter(({ reason }) => reason !== "")
    .map(({ state, name, code, reason }) => inlineName(`${state} ${name}: ${code} ${reason}`));
  const heading = `${collection}: ${sums}; ${plural(counts.chunks, "chunk")}`;
  return faults.length === 0 ? heading : `${heading}\n${fenceText(faults.join("\n"))}`;
}
