import type { Command } from "commander";
import type { RunView } from "../../app/records.ts";
import { z } from "../../core/schema.ts";
import { text } from "../../operations/fields.ts";
import { field } from "../../operations/operation.ts";
import { duration, location, oneLine, timeOf } from "../../operations/text.ts";
import { runDetailShape } from "../../shapes/answer.ts";
import { tidyNumber } from "../../shapes/printed.ts";
import { logsShape } from "../../shapes/runs.ts";
import { toSnakeCase } from "../../shapes/shape.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { table } from "../shell/output.ts";

/** `ragctl logs`: past ingests and questions with the time of each phase. */
export function registerLogs(program: Command): void {
  const input = {
    run: text("[run]", "run id or unique prefix"),
    limit: field("-n, --limit <n>", z.int().min(1).default(20), "maximum number of runs to list"),
  };
  const examples = ["ragctl logs --limit 5"];
  defineCommand(declare(program, "logs"), { input, examples }, async (session, { run, limit }) => {
    const app = await session.app();
    if (run !== undefined) {
      const found = await app.runRecord(run, session.run);
      session.output.result({ text: runText(found), data: runDetailShape(found) });
      return;
    }
    const runs = await app.runRecords(limit, session.run);
    const rows = runs.map((run) => [
      run.id.slice(0, 8),
      run.kind,
      timeOf(run.startedAt),
      run.state === "interrupted" ? "" : duration(run.durationMs),
      oneLine(run.summary, 80),
    ]);
    const text = runs.length === 0 ? "no runs yet" : table(["run", "kind", "started", "time", "what"], rows);
    session.output.result({ text, data: logsShape(runs) });
  });
}

/** `3 documents, 0.992 score`. */
function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, value]) => {
      const shown = Number.isInteger(value) ? value : Number(value.toFixed(3));
      return `${tidyNumber(name, shown)} ${toSnakeCase(name).replaceAll("_", " ")}`;
    })
    .join(", ");
}

/** How long a run took and what ended it. */
function endText({ state, error, durationMs }: RunView): string {
  if (state === "interrupted") return "interrupted: its process ended before the run did";
  const why = error === null ? "" : `: ${error.code}: ${error.message}`;
  return `${duration(durationMs)}${state === "completed" ? "" : `, ${state}${why}`}`;
}

/** One run for people: what it was, what ended it, the answer with its citations, the phases. */
function runText(run: RunView): string {
  const { answer } = run;
  const head = `${run.kind} ${run.id}, ${run.startedAt}, ${endText(run)}`;
  const asked =
    answer === null
      ? [run.summary]
      : [
          `question: ${answer.question}`,
          ...(answer.response === "" ? [] : ["", answer.response]),
          ...answer.citations.flatMap(({ marker, sourceFile, pages, section, cells, quotes }) => [
            `[${marker}] ${location(sourceFile, pages, section, cells)}`,
            ...quotes.map((quote) => `    “${quote}”`),
          ]),
          ...(answer.verdict === null ? [] : ["", `${answer.verdict.status}: ${answer.verdict.reason}`]),
        ];
  const rows = run.phases.map(({ phase, durationMs, counts }) => [
    phase,
    duration(durationMs),
    countsText(counts),
  ]);
  return [head, ...asked, "", table(["phase", "time", "counts"], rows)].join("\n");
}
