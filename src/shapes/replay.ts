import { replaySteps } from "../core/answers/replay.ts";
import { z } from "../core/schema.ts";
import { documentSchema, printer, type Source } from "./shape.ts";

const replay = documentSchema("replay", "Output of ragctl replay --format json", {
  run_id: z.string(),
  question: z.string(),
  principal: z.string().describe("The principal who asked, and for whom it was answered again."),
  against: z
    .enum(["run", "now"])
    .describe("Versions searched: those of the original run, or the current ones."),
  steps: z
    .array(
      z.object({
        step: z.enum(replaySteps),
        same: z.boolean(),
        difference: z.string().describe("Empty if there is none."),
      }),
    )
    .describe("In the order in which a difference propagates."),
  first_difference: z.enum(replaySteps).nullable().describe("Null if every step is the same."),
  before: z.string().describe("The response of the run, with the draft below it."),
  after: z.string().describe("The same of the replay."),
});
/** The steps of an answer, then and in the replay. */
export type ReplayReport = Source<typeof replay>;
/** replay.schema.json. */
export const replayShape = printer(replay);

/** The documents of this file, for config/schemas/. */
export const replayDocuments = [replay];
