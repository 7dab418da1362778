import type { Command } from "commander";
import type { StaleAnswer } from "../../core/answers/stale.ts";
import { RagctlError } from "../../core/errors.ts";
import { staleShape } from "../../shapes/verify.ts";
import { declared } from "../commands.ts";
import { positiveInteger } from "../shell/options.ts";
import { openProgress } from "../shell/progress.ts";
import { action } from "../shell/session.ts";
import { counted, timeOf } from "../shell/text.ts";

/** `ragctl answers stale`: past answers whose quotes are no longer in the documents. */
export function registerAnswers(program: Command): void {
  declared(program, "answers")
    .command("stale")
    .description("list past answers whose cited passages changed or disappeared, with the old and new text")
    .option("-n, --limit <n>", "maximum number of runs to check, newest first", positiveInteger, 1000)
    .option("--gate", "exit with status 10 if an answer is stale")
    .addHelpText("after", "\nExample:\n  ragctl sync ./docs && ragctl answers stale --gate")
    .action(
      action(async (session, { limit, gate }: { readonly limit: number; readonly gate?: boolean }) => {
        const app = await session.app();
        using progress = openProgress("", "", session.output);
        progress.stage("comparing answers with the current documents");
        const report = await app.staleAnswers(limit, session.run);
        progress.close();
        const { answers, checked } = report;
        const summary = `${counted(answers.length, "stale answer")} of ${checked}`;
        const data = staleShape(report);
        session.output.result({
          text: [...answers.map(answerText), summary].join("\n\n"),
          data,
          lines: data.answers,
        });
        if (gate !== true || answers.length === 0) return;
        const hint = "ask again, or run `ragctl replay RUN --against now` to see what changed";
        session.exit(session.output.error(new RagctlError("GATE_FAILED", summary, { hint })).exitStatus);
      }),
    );
}

const answerText = ({ runId, question, askedAt, passages }: StaleAnswer): string =>
  [
    `${runId.slice(0, 8)}  ${question}  (${timeOf(askedAt)})`,
    ...passages.flatMap(({ marker, document, state, before, after }) => [
      `    [${marker}] ${document}: ${state}`,
      `        then: “${before}”`,
      ...(state === "gone" ? [] : [`        now:  ${after === "" ? "no similar passage" : `“${after}”`}`]),
    ]),
  ].join("\n");
