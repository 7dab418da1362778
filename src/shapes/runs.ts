import { z } from "../core/schema.ts";
import { milliseconds, phaseTimings, time } from "./members.ts";
import { documentSchema, printer, type Source } from "./shape.ts";

/** What every past run has. */
export const runMembers = {
  id: z.string(),
  kind: z.string(),
  principal: z.string().describe("Whose run it was."),
  started_at: time,
  duration_ms: milliseconds.describe("For a run in progress, the time so far; 0 if it was interrupted."),
  summary: z.string().describe("The question, or what was done to a collection."),
  state: z
    .enum(["completed", "failed", "cancelled", "running", "interrupted"])
    .describe("interrupted: its process ended before the run did."),
  phases: phaseTimings,
};
const run = z.looseObject(runMembers);
const logs = documentSchema("logs", "Output of ragctl logs --format json", {
  runs: z.array(run).describe("Newest first."),
});
const printLogs = printer(logs);
/** logs.schema.json: past runs, newest first. */
export const logsShape = (runs: Source<typeof logs>["runs"]) => printLogs({ runs });

/** The documents of this file, for config/schemas/. */
export const runDocuments = [logs];
