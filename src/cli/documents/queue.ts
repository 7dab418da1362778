import type { Command } from "commander";
import { type Job, jobStates, type QueueStatus, type WorkerEvent } from "../../core/documents/queue.ts";
import { z } from "../../core/schema.ts";
import { toggle } from "../../operations/fields.ts";
import { field } from "../../operations/operation.ts";
import { duration, oneLine, plural, singleLine } from "../../operations/text.ts";
import { jobShape, jobsShape, queueShape } from "../../shapes/documents.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { settingFields } from "../shell/options.ts";
import { type Output, table } from "../shell/output.ts";
import { lowerPriority } from "../shell/priority.ts";
import { createProgress, type Progress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

/** `ragctl queue` and `ragctl worker`: queued ingests, and the process that runs them. */
export function registerQueue(program: Command): void {
  const queue = declare(program, "queue");
  defineCommand(
    queue.command("list", { isDefault: true }),
    {
      summary: "list jobs; running and waiting ones first",
      input: {
        state: field("--state <state>", z.enum(jobStates).optional(), "only jobs in this state"),
        limit: field("-n, --limit <n>", z.int().min(1).default(100), "maximum number of jobs to list"),
      },
      examples: ["ragctl queue list --state dead"],
    },
    async ({ app, output, run }, { state, limit }) => {
      const jobs = await (await app()).background.jobs(state === undefined ? [] : [state], limit, run);
      output.result({ text: jobsText(jobs), data: jobsShape(jobs) });
    },
  );
  defineCommand(
    queue.command("status"),
    {
      summary: "show the number of waiting jobs, the age of the oldest, the throughput and the broker's lag",
      examples: ["ragctl queue status"],
    },
    async ({ app, output, run }) => {
      const status = await (await app()).background.queueStatus(run);
      output.result({ text: statusText(status), data: queueShape(status) });
    },
  );
  registerJobCommand(queue, "show", "show one job");
  registerJobCommand(queue, "cancel", "cancel a waiting or running job; documents already stored are kept");
  registerJobCommand(queue, "retry", "run a dead or cancelled job again");
  const input = { once: toggle("--once", "exit when no job is due"), threads: settingFields.threads };
  const examples = ["ragctl ingest ./docs --background && ragctl worker --once"];
  defineCommand(declare(program, "worker"), { input, examples }, work);
}

function registerJobCommand(queue: Command, name: "show" | "cancel" | "retry", summary: string): void {
  const input = { job: field("<job>", z.string(), "id or unique prefix") };
  const described = { summary, input, examples: [`ragctl queue ${name} 0f8e1c2a`] };
  defineCommand(queue.command(name), described, async ({ app, output, run }, { job: reference }) => {
    const { background } = await app();
    const act = { show: background.job, cancel: background.cancelJob, retry: background.retryJob }[name];
    const job = await act(reference, run);
    output.result({ text: jobText(job), data: jobsShape([job]) });
  });
}

async function work(session: Session, { once }: { readonly once: boolean }): Promise<void> {
  lowerPriority(session);
  session.onStop("stopping: the next worker continues the unfinished job");
  const { background } = await session.app();
  const ended: Job[] = [];
  using progress = createProgress("job", "file", session.output);
  progress.stage("waiting for jobs");
  for await (const event of background.work({ once }, session.run)) {
    if (event.type === "job-end") ended.push(event.job);
    showWork(event, progress, session.output);
  }
  progress.close();
  const dead = ended.filter((job) => job.state === "dead").length;
  const text = `${plural(ended.length - dead, "job")} done${dead === 0 ? "" : `, ${dead} dead`}`;
  session.output.result({ text, data: jobsShape(ended), lines: [] });
  if (dead > 0) session.exit(1);
}

function showWork(event: WorkerEvent, progress: Progress, output: Output): void {
  if (event.type === "job-progress")
    progress.set(event.progress.files, event.progress.totalFiles, event.name);
  if (event.type === "job-end") {
    if (output.format === "text") output.stream(`${summary(event.job)}\n`);
    progress.stage("waiting for jobs");
  }
  if (output.format === "jsonl") output.line({ event: event.type, ...jobShape(event.job) });
}

const summary = (job: Job): string =>
  `${job.state.padEnd(9)} ${singleLine(job.documentPath)} → ${job.targetCollection}: ${job.progress.files} of ${plural(job.progress.totalFiles, "file")}${job.error === null ? "" : `; ${job.error.code} ${oneLine(job.error.message, 120)}`}`;

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

function statusText(status: QueueStatus): string {
  const { transport, states, oldestWaitingMs, endedPerMinute, unsent, lag } = status;
  const rows: readonly (readonly [string, string])[] = [
    ["jobs", jobStates.map((state) => `${states[state]} ${state}`).join(", ")],
    ["oldest waiting", oldestWaitingMs === null ? "none" : duration(oldestWaitingMs)],
    ["rate", `${Number(endedPerMinute.toFixed(1))} per minute over the last five minutes`],
  ];
  const broker: readonly (readonly [string, string])[] = [
    ["Kafka lag", lag === null ? "the broker does not answer" : plural(lag, "message")],
    ["not sent yet", plural(unsent, "job")],
  ];
  return [...rows, ...(transport === "kafka" ? broker : [])]
    .map(([name, value]) => `${name.padEnd(16)} ${value}`)
    .join("\n");
}

function jobText(job: Job): string {
  return Object.entries(jobShape(job))
    .map(
      ([name, value]) =>
        `${name.padEnd(18)} ${typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "")}`,
    )
    .join("\n");
}
