import type { Command } from "commander";
import type { ReadingFigure } from "../../core/answers/reading.ts";
import { text } from "../../operations/fields.ts";
import type { ProbeReport } from "../../shapes/machine.ts";
import { probeShape } from "../../shapes/machine.ts";
import { defineCommand } from "../operations.ts";
import { table } from "../shell/output.ts";
import { createProgress, roughDuration } from "../shell/progress.ts";

const names: Readonly<Record<ReadingFigure, string>> = {
  score: "handled correctly",
  right: "answered correctly",
  rightly_refused: "correctly refused",
  invented: "invented",
  cited_in_form: "cited in the right form",
};

/** `ragctl models probe`: how well a model reads passages. */
export function registerProbe(models: Command): void {
  defineCommand(
    models.command("probe"),
    {
      summary:
        "test how well a model reads passages, with sixty questions; the result decides how ragctl uses it",
      input: {
        model: text(
          "[model]",
          "model id from `ragctl models list`, path of a GGUF file, or provider from `ragctl providers list` (default: the one that answers)",
        ),
      },
      examples: ["ragctl models probe", "ragctl models probe openai-compatible"],
    },
    async (session, { model }) => {
      await session.ownerOnly("probe models");
      const { evaluation } = await session.app();
      using progress = createProgress("probe", "question", session.output);
      progress.stage("loading the model");
      session.onStop("stopping: no results are kept");
      for await (const event of evaluation.probe(model, session.run)) {
        if (event.type === "probe-question") progress.set(event.done, event.total);
        else {
          progress.close();
          session.output.result({ text: probeText(event.report), data: probeShape(event.report) });
        }
      }
    },
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function probeText({ model, level, why, figures, durationMs }: ProbeReport): string {
  const rows = figures.map(({ figure, count, of, share, low, high }) => [
    names[figure],
    `${count} of ${of}`,
    ...(of === 0 ? ["–", "–"] : [percent(share), `${percent(low)} to ${percent(high)}`]),
  ]);
  return [
    `${model} reads as ${level}: ${why} (in ${roughDuration(durationMs)})`,
    table(["figure", "questions", "share", "95 % interval"], rows),
  ].join("\n");
}
