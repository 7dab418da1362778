import type { Command } from "commander";
import { positiveInteger } from "./options.ts";
import { table } from "./output.ts";
import { action } from "./session.ts";
import { logsShape, runShape } from "./shapes.ts";
import { duration, oneLine } from "./text.ts";

/** `ragctl logs`: past ingests and questions with the time of each phase. */
export function registerLogs(program: Command): void {
  program
    .command("logs")
    .description("show past runs, newest first, or one of them with its phases")
    .argument("[run]", "id of a run (or its unique beginning)")
    .option("-n, --limit <n>", "how many runs", positiveInteger, 20)
    .addHelpText("after", "\nExample:\n  ragctl logs --limit 5")
    .action(
      action(async (session, reference: string | undefined, flags: { readonly limit: number }) => {
        const app = await session.app();
        if (reference !== undefined) {
          const run = app.runRecord(reference, session.run);
          const rows = run.phases.map(({ phase, durationMs, counts }) => [
            phase,
            duration(durationMs),
            Object.entries(counts)
              .map(([name, value]) => `${value} ${name}`)
              .join(", "),
          ]);
          const text = [`${run.kind} ${run.id}, ${run.startedAt}`, run.summary, "", table(["phase", "time", "counts"], rows)].join("\n");
          session.output.result({ text, data: runShape(run) });
          return;
        }
        const runs = app.runRecords(flags.limit, session.run);
        const rows = runs.map((run) => [run.id.slice(0, 8), run.kind, run.startedAt, duration(run.durationMs), oneLine(run.summary, 80)]);
        const text = runs.length === 0 ? "no runs yet" : table(["run", "kind", "started", "time", "what"], rows);
        session.output.result({ text, data: logsShape(runs), lines: runs.map(runShape) });
      }),
    );
}
