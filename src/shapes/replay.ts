import { type ReplayReport, replaySteps } from "../core/answers/replay.ts";
import { z } from "../core/schema.ts";
import { documentSchema, printer } from "./shape.ts";

const replay = documentSchema("replay", "Output of ragctl replay --format json", {
  run_id: z.string(),
  question: z.string(),
  principal: z.string().describe("Whom it was asked by, and was answered for again."),
  against: z.enum(["run", "now"]).describe("Versions that were searched: those of the run, or those of now."),
  steps: z
    .array(
      z.object({
        step: z.enum(replaySteps),
        same: z.boolean(),
        difference: z.string().describe("Empty when there is none."),
      }),
    )
    .describe("In the order in which a difference spreads."),
  first_difference: z.enum(replaySteps).nullable().describe("Null when every step is the same."),
  before: z.string().describe("The response of the run."),
  after: z.string().describe("The response of the replay."),
});
const printReplay = printer(replay);
/** replay.schema.json. */
export const replayShape = (report: ReplayReport) => printReplay(report);

/** The documents of this file, for config/schemas/. */
export const replayDocuments = [replay];
