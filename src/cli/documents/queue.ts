import { type Command, Option } from "commander";
import { type Job, type JobState, jobStates } from "../../core/documents/queue.ts";
import { jobShape, jobsShape } from "../shapes/documents.ts";
import { positiveInteger } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { lowPriority, threadsOption } from "../shell/priority.ts";
import { openProgress } from "../shell/progress.ts";
import { action } from "../shell/session.ts";
import { counted, oneLine } from "../shell/text.ts";

/** `ragctl queue` and `ragctl worker`: ingests that wait, and what does them. */
export function registerQueue(program: Command): void {
  const queue = program
    .command("queue")
    .description("ingests in the background (`ragctl ingest --background`)");
  queue
    .command("list", { isDefault: true })
    .description("list jobs: running and waiting ones first")
    .addOption(new Option("--state <state>", "only these").choices(jobStates))
    .option("--limit <n>", "most that are listed", positiveInteger, 100)
    .action(
      action(async (session, flags: { readonly state?: JobState; readonly limit: number }) => {
        const states = flags.state === undefined ? [] : [flags.state];
        const jobs = await (await session.app()).inStep.jobs(states, flags.limit, session.run);
        session.output.result({ text: jobsText(jobs), data: jobsShape(jobs), lines: jobs.map(jobShape) });
      }),
    );
  const one = (name: "show" | "cancel" | "retry", description: string): void => {
    queue
      .command(name)
      .description(description)
      .argument("<job>", "id, or its unique beginning")
      .action(
        action(async (session, reference: string) => {
          const { inStep } = await session.app();
          const act = { show: inStep.job, cancel: inStep.cancelJob, retry: inStep.retryJob }[name];
          const job = await act(reference, session.run);
          session.output.result({ text: jobText(job), data: jobsShape([job]) });
        }),
      );
  };
  one("show", "show one job");
  one("cancel", "cancel a job that waits or runs; what a running one has stored stays");
  one("retry", "begin a dead or cancelled job anew");

  program
    .command("worker")
    .description("do the jobs of the queue until stopped; several workers may run at once")
    .option("--once", "end when nothing is due")
    .addOption(threadsOption())
    .addHelpText("after", "\nExample:\n  ragctl ingest ./docs --background && ragctl worker --once")
    .action(
      action(async (session, flags: { readonly once?: boolean }) => {
        lowPriority(session);
        session.onStop("stopping: a job that was begun goes on with the next worker");
        const { inStep } = await session.app();
        const ended: Job[] = [];
        const lines = session.output.format === "jsonl";
        using progress = openProgress("job", "file", session.output);
        progress.stage("waiting for jobs");
        for await (const event of inStep.work({ once: flags.once === true }, session.run)) {
          if (event.type === "job-progress")
            progress.set(event.progress.files, event.progress.totalFiles, event.name);
          if (event.type === "job-end") {
            ended.push(event.job);
            if (session.output.format === "text") session.output.stream(`${summary(event.job)}\n`);
            progress.stage("waiting for jobs");
          }
          if (lines) session.output.line({ event: event.type, ...jobShape(event.job) });
        }
        progress.close();
        const text = `${counted(ended.length, "job")} done`;
        session.output.result({ text, data: jobsShape(ended), lines: [] });
        if (ended.some((job) => job.state === "dead")) session.exit(1);
      }),
    );
}

const summary = (job: Job): string =>
  `${job.state.padEnd(9)} ${job.documentPath} → ${job.targetCollection}: ${job.progress.files} of ${counted(job.progress.totalFiles, "file")}${job.error === null ? "" : `; ${job.error.code} ${oneLine(job.error.message, 120)}`}`;

function jobsText(jobs: readonly Job[]): string {
  if (jobs.length === 0) return "no jobs; `ragctl ingest PATH --background` adds one";
  const rows = jobs.map((job) => [
    job.id.slice(0, 8),
    job.state,
    job.priority,
    job.attempts,
    `${job.progress.files}/${job.progress.totalFiles}`,
    job.targetCollection,
    oneLine(job.documentPath, 60),
    job.error === null ? "" : `${job.error.code} ${oneLine(job.error.message, 60)}`,
  ]);
  return table(["id", "state", "priority", "attempts", "files", "collection", "path", "error"], rows);
}

function jobText(job: Job): string {
  return Object.entries(jobShape(job))
    .map(
      ([name, value]) =>
        `${name.padEnd(18)} ${typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "")}`,
    )
    .join("\n");
}
