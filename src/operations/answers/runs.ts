import { named } from "../../app/audit/attempt.ts";
import type { RunView } from "../../app/records.ts";
import { z } from "../../core/schema.ts";
import { runDetailShape } from "../../shapes/answer.ts";
import { tidyNumber } from "../../shapes/printed.ts";
import { logsShape } from "../../shapes/runs.ts";
import { toSnakeCase } from "../../shapes/shape.ts";
import { limit } from "../fields.ts";
import { field, type Operation, operation } from "../operation.ts";
import { listed, type Text, tableOf } from "../result-text.ts";
import { duration, location, oneLine, timeOf } from "../text.ts";

const tag = "Runs";
const reference = "run id or unique prefix";

const list = operation({
  name: "logs",
  input: {
    run: field("[run]", z.string().optional(), reference, { only: "command" }),
    limit: limit(1000, 20, "maximum number of runs to list"),
  },
  document: "logs",
  examples: ["ragctl logs --limit 5"],
  http: { route: "GET /v1/runs", tag, summary: "List past runs, newest first", answer: "Runs" },
  attempt: ({ asked }) => [
    { input: { limit: 1000 }, own: true },
    { input: { run: asked }, by: "about it", ...named, own: true },
  ],
  run: async (app, input, { run }) =>
    input.run === undefined ? app.runRecords(input.limit, run) : app.runRecord(input.run, run),
  print: (found) => ("id" in found ? runDetailShape(found) : logsShape(found)),
  text: (found) =>
    "id" in found
      ? runText(found)
      : listed(found, "no runs yet", {
          run: ({ id }) => id.slice(0, 8),
          kind: ({ kind }) => kind,
          started: ({ startedAt }) => timeOf(startedAt),
          time: ({ state, durationMs }) => (state === "interrupted" ? "" : duration(durationMs)),
          what: ({ summary }) => oneLine(summary, 80),
        }),
});

/** One run, for programs. */
const show = operation({
  name: "logs show",
  isCommand: false,
  input: { run: field("<run>", z.string(), reference) },
  document: "run",
  http: { route: "GET /v1/runs/{run}", tag, summary: "Show a past run", answer: "The run" },
  attempt: ({ asked }) => [{ input: { run: asked }, ...named, own: true }],
  run: (app, input, { run }) => app.runRecord(input.run, run),
  print: runDetailShape,
  text: runText,
});

/** Past ingests and questions with the time of each phase. */
export const runs: readonly Operation[] = [list, show];

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
function runText(run: RunView): Text {
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
  const phases = tableOf(run.phases, {
    phase: ({ phase }) => phase,
    time: ({ durationMs }) => duration(durationMs),
    counts: ({ counts }) => countsText(counts),
  });
  return [head, ...asked, "", phases];
}
