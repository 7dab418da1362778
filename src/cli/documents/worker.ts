import type { Command } from "commander";
import type { Job, WorkerEvent } from "../../core/documents/queue.ts";
import { toggle } from "../../operations/fields.ts";
import { oneLine, plural, singleLine } from "../../operations/text.ts";
import { jobShape, jobsShape } from "../../shapes/documents.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { settingFields } from "../shell/options.ts";
import type { Output } from "../shell/output.ts";
import { lowerPriority } from "../shell/priority.ts";
import { createProgress, type Progress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

/** `ragctl worker`: the process that runs queued ingests. */
export function registerWorker(program: Command): void {
  const input = { once: toggle("--once", "exit when no job is due"), threads: settingFields.threads };
  const examples = ["ragctl ingest ./docs --background && ragctl worker --once"];
  defineCommand(declare(program, "worker"), { input, examples }, work);
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
