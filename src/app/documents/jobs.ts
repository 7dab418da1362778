import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, JobProgress, Queue, WorkerEvent } from "../../core/documents/queue.ts";
import { asRagctlError, type ErrorCode, RagctlError } from "../../core/errors.ts";
import { defaultCollection } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { openSources } from "../../registry/documents/folders.ts";
import { visibleSource } from "./folders.ts";
import { ingestFiles, type StepParts } from "./ingest.ts";

export interface WorkerOptions {
  /** End when nothing is due, instead of waiting for more. */
  readonly once: boolean;
  /** How long a job is held without a word, ms. Default 30 000. */
  readonly leaseMs?: number;
  /** Pause between two looks at an empty queue, ms. Default 500. */
  readonly pollMs?: number;
}

/** Errors that another attempt can mend. */
const mendable: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["INTERNAL", "STORE_BUSY", "STORE_UNAVAILABLE", "STORE_FAILED", "HOST_UNAVAILABLE"] as const),
  ...(["REGISTRY_BUSY", "DISK_FULL", "SOURCE_CHANGED", "NETWORK_UNAVAILABLE"] as const),
]);

/** Takes jobs one after the other and ingests what they name; ends when the run is stopped, and then gives its job back. */
export async function* work(
  queue: Queue,
  options: WorkerOptions,
  parts: StepParts,
  run: Run,
): AsyncGenerator<WorkerEvent> {
  const { once, leaseMs = parts.settings.queue.leaseMs, pollMs = 500 } = options;
  const name = `${hostname()}-${process.pid}-${run.id.slice(0, 8)}`;
  while (!run.signal.aborted) {
    const job = await queue.claim(name, leaseMs);
    if (job !== undefined) yield* perform(job, name, leaseMs, queue, parts, run);
    else if (once) return;
    else await sleep(pollMs, undefined, { signal: run.signal });
  }
  run.signal.throwIfAborted();
}

async function* perform(
  job: Job,
  worker: string,
  leaseMs: number,
  queue: Queue,
  parts: StepParts,
  run: Run,
): AsyncGenerator<WorkerEvent> {
  yield { type: "job-start", job };
  const lost = new AbortController();
  let progress: JobProgress = job.progress;
  const renew = async (): Promise<void> => {
    if (await queue.renew(job.id, worker, leaseMs, progress)) return;
    lost.abort(new RagctlError("JOB_FAILED", `job ${job.id} was cancelled, or its lease ran out`));
  };
  const beat = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
  const own: Run = {
    id: randomUUID(),
    principal: job.principal,
    signal: AbortSignal.any([run.signal, lost.signal]),
    log: run.log,
  };
  let toldMs = 0;
  try {
    if (parts.access.principal(own).createdAt > job.timestamp)
      throw new RagctlError(
        "PERMISSION_DENIED",
        `the principal that queued it is gone; the present ${job.principal} is another`,
        {
          hint: "queue it again: ragctl ingest PATH --background",
        },
      );
    const target = targetOf(job, parts, own);
    parts.access.writable(own, { name: target.collection, instance: target.instance });
    let failure: { code: string; reason: string } | undefined;
    let taken = 0;
    for await (const event of ingestFiles({ paths: [job.documentPath], ...target }, parts, own)) {
      if (event.type === "ingest-end") continue;
      const { file, done, total } = event;
      const failed = progress.failed + (file.state === "failed" ? 1 : 0);
      if (file.state === "failed") failure ??= file;
      else taken++;
      progress = { files: done, totalFiles: total, failed, ...event.progress };
      if (performance.now() - toldMs < 500) continue;
      toldMs = performance.now();
      await renew();
      yield { type: "job-progress", job, progress, name: file.name };
    }
    // The code of a file's report is one of the table.
    if (failure !== undefined && taken === 0)
      throw new RagctlError(failure.code as ErrorCode, failure.reason);
    await queue.complete(job.id, worker, progress);
  } catch (thrown) {
    const { code, message } = asRagctlError(thrown);
    if (run.signal.aborted) await queue.release(job.id, worker);
    else if (!lost.signal.aborted) await queue.fail(job.id, worker, { code, message }, mendable.has(code));
  } finally {
    clearInterval(beat);
  }
  yield { type: "job-end", job: await queue.get(job.id) };
}

/** Where a job's documents go; `auto` asks the folders that are kept in step, as far as the job's principal may know of them. */
function targetOf({ documentPath, targetCollection, instance, department }: Job, parts: StepParts, run: Run) {
  if (targetCollection !== "auto") return { collection: targetCollection, instance, department };
  const source = openSources(parts.registry).above(documentPath, visibleSource(parts, run));
  if (source === undefined) return { collection: defaultCollection, instance, department };
  return {
    collection: source.collection,
    instance: source.instance,
    department: department === "" ? source.department : department,
  };
}
