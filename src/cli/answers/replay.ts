import type { Command } from "commander";
import { z } from "../../core/schema.ts";
import { field } from "../../operations/operation.ts";
import { type ReplayReport, replayShape } from "../../shapes/replay.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { table } from "../shell/output.ts";

/** `ragctl replay`: answers an earlier question again and compares each step with the original. */
export function registerReplay(program: Command): void {
  const input = {
    run: field("<run>", z.string(), "run id or unique prefix, as listed by `ragctl logs`"),
    against: field(
      "--against <versions>",
      z.enum(["run", "now"]).default("run"),
      "document versions to search: those of the original run, or the current ones",
    ),
  };
  const examples = ["ragctl replay 0f8e1c2a --against now"];
  defineCommand(declare(program, "replay"), { input, examples }, async (session, { run, against }) => {
    const app = await session.app();
    const isNamed = session.loaded.origins.get("answer.model") === "flag";
    const options = { against, ...(isNamed ? { model: "settings" as const } : {}) };
    const report = await app.replay(run, options, session.run);
    session.output.result({ text: reportText(report), data: replayShape(report) });
  });
}

function reportText({ question, principal, steps, firstDifference, before, after }: ReplayReport): string {
  const rows = steps.map(({ step, same, difference }) => [step, same ? "same" : difference]);
  const verdict =
    firstDifference === null ? "identical at every step" : `first differs at: ${firstDifference}`;
  const differs = steps.some(({ step, same }) => step === "response" && !same);
  const response = differs ? ["", "then:", before, "", "now:", after] : [];
  return [
    `${question} (as ${principal})`,
    "",
    table(["step", "comparison"], rows),
    "",
    verdict,
    ...response,
  ].join("\n");
}
