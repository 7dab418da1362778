import { type Command, Option } from "commander";
import {
  type Job,
  type JobState,
  jobStates,
  type QueueStatus,
  type WorkerEvent,
} from "../../core/documents/queue.ts";
import { counted, duration, inLine, oneLine } from "../../operations/text.ts";
import { jobShape, jobsShape, queueShape } from "../../shapes/documents.ts";
import { declared } from "../commands.ts";
import { positiveInteger } from "../shell/options.ts";
import { type Output, table } from "../shell/output.ts";
import { lowPriority, threadsOption } from "../shell/priority.ts";
import { openProgress, type Progress } from "../shell/progress.ts";
import { action, type Session } from "../shell/session.ts";

/** `ragctl queue` and `ragctl worker`: queued ingests, and the process that runs them. */
export function registerQueue(program: Command): void {
  const queue = declared(program, "queue");
  queue
    .command("list", { isDefault: true })
    .description("list jobs; running and waiting ones first")
    .addOption(new Option("--state <state>", "only jobs in this state").choices(jobStates))
    .option("-n, --limit <n>", "maximum number of jobs to list", positiveInteger, 100)
    .addHelpText("after", "\nExample:\n  ragctl queue list --state dead")
    .action(
      action(async (session, flags: { readonly state?: JobState; readonly limit: number }) => {
        const states = flags.state === undefined ? [] : [flags.state];
        const jobs = await (await session.app()).background.jobs(states, flags.limit, session.run);
        session.output.result({ text: jobsText(jobs), data: jobsShape(jobs) });
      }),
    );
  queue
    .command("status")
    .description(
      "show the number of waiting jobs, the age of the oldest, the throughput and the broker's lag",
    )
    .addHelpText("after", "\nExample:\n  ragctl queue status")
    .action(
      action(async (session) => {
        const status = await (await session.app()).background.queueStatus(session.run);
        session.output.result({ text: statusText(status), data: queueShape(status) });
      }),
    );
  registerJobCommand(queue, "show", "show one job");
  registerJobCommand(queue, "cancel", "cancel a waiting or running job; documents already stored are kept");
  registerJobCommand(queue, "retry", "run a dead or cancelled job again");

  declared(program, "worker")
    .option("--once", "exit when no job is due")
    .addOption(threadsOption())
    .addHelpText("after", "\nExample:\n  ragctl ingest ./docs --background && ragctl worker --once")
    .action(action(work));
}

function registerJobCommand(queue: Command, name: "show" | "cancel" | "retry", description: string): void {
  queue
    .command(name)
    .description(description)
    .argument("<job>", "id or unique prefix")
    .addHelpText("after", `\nExample:\n  ragctl queue ${name} 0f8e1c2a`)
    .action(
      action(async (session, reference: string) => {
        const { background } = await session.app();
        const act = { show: background.job, cancel: background.cancelJob, retry: background.retryJob }[name];
        const job = await act(reference, session.run);
        session.output.result({ text: jobText(job), data: jobsShape([job]) });
      }),
    );
}

async function work(session: Session, flags: { readonly once?: boolean }): Promise<void> {
  lowPriority(session);
  session.onStop("stopping: the next worker continues the unfinished job");
  const { background } = await session.app();
  const ended: Job[] = [];
  using progress = openProgress("job", "file", session.output);
  progress.stage("waiting for jobs");
  for await (const event of background.work({ once: flags.once === true }, session.run)) {
    if (event.type === "job-end") ended.push(event.job);
    showWork(event, progress, session.output);
  }
  progress.close();
  const dead = ended.filter((job) => job.state === "dead").length;
  const text = `${counted(ended.length - dead, "job")} done${dead === 0 ? "" : `, ${dead} dead`}`;
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
  `${job.state.padEnd(9)} ${inLine(job.documentPath)} → ${job.targetCollection}: ${job.progress.files} of ${counted(job.progress.totalFiles, "file")}${job.error === null ? "" : `; ${job.error.code} ${oneLine(job.error.message, 120)}`}`;

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
    ["Kafka lag", lag === null ? "the broker does not answer" : counted(lag, "message")],
    ["not sent yet", counted(unsent, "job")],
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
