import { type Command, Option } from "commander";
import type { ReplayOptions, ReplayReport } from "../../core/answers/replay.ts";
import { replayShape } from "../../shapes/replay.ts";
import { declared } from "../commands.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";

/** `ragctl replay`: answers an earlier question again and compares each step with the original. */
export function registerReplay(program: Command): void {
  declared(program, "replay")
    .argument("<run>", "run id or unique prefix, as listed by `ragctl logs`")
    .addOption(
      new Option(
        "--against <versions>",
        "document versions to search: those of the original run, or the current ones",
      )
        .choices(["run", "now"])
        .default("run"),
    )
    .addHelpText("after", "\nExample:\n  ragctl replay 0f8e1c2a --against now")
    .action(
      action(async (session, reference: string, flags: Pick<ReplayOptions, "against">) => {
        const app = await session.app();
        const isNamed = session.loaded.origins.get("answer.model") === "flag";
        const options = { ...flags, ...(isNamed ? { model: "settings" as const } : {}) };
        const report = await app.replay(reference, options, session.run);
        session.output.result({ text: reportText(report), data: replayShape(report) });
      }),
    );
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
