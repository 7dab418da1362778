import { named } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { replayShape } from "../../shapes/replay.ts";
import { field, operation } from "../operation.ts";
import { tableOf } from "../result-text.ts";

/** An earlier question answered again, and each step compared with the original. */
export const replay = operation({
  name: "replay",
  input: {
    run: field("<run>", z.string(), "run id or unique prefix, as listed by `ragctl logs`"),
    against: field(
      "--against <versions>",
      z.enum(["run", "now"]).default("run"),
      "document versions to search: those of the original run, or the current ones",
    ),
  },
  document: "replay",
  examples: ["ragctl replay 0f8e1c2a --against now"],
  attempt: ({ asked }) => [{ input: { run: asked, against: "now" }, ...named, own: true }],
  run: (app, input, { run }) => app.replay(input.run, input.against, run),
  print: replayShape,
  text: ({ question, principal, steps, firstDifference, before, after }) => [
    `${question} (as ${principal})`,
    "",
    tableOf(steps, {
      step: ({ step }) => step,
      comparison: ({ same, difference }) => (same ? "same" : difference),
    }),
    "",
    firstDifference === null ? "identical at every step" : `first differs at: ${firstDifference}`,
    ...(steps.some(({ step, same }) => step === "response" && !same)
      ? ["", "then:", before, "", "now:", after]
      : []),
  ],
});
