import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { FailureCause, Job, JobProgress, Queue, WorkerEvent } from "../../core/documents/queue.ts";
import { asRagctlError, type ErrorCode, RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { ParserPool } from "../../drivers/parsers/process/pool.ts";
import { createSourceReaders } from "../engines/parsers.ts";
import type { Home } from "../home.ts";
import { ingestFiles, openIngest } from "./ingest.ts";
import { targetOf } from "./placement.ts";

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
  "INTERNAL",
  "STORE_BUSY",
  "STORE_UNAVAILABLE",
  "STORE_FAILED",
  "HOST_UNAVAILABLE",
  "REGISTRY_BUSY",
  "REGISTRY_UNAVAILABLE",
  "DISK_FULL",
  "SOURCE_CHANGED",
  "NETWORK_UNAVAILABLE",
  "PROVIDER_UNAVAILABLE",
]);

/** Errors of a local store, whose server ends for lack of memory, by hand, or by what it is given. */
const storeAway: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "STORE_BUSY",
  "STORE_UNAVAILABLE",
  "HOST_UNAVAILABLE",
]);

/**
 * Why a job failed. A store that answers again at once may have ended over this very document: that counts as
 * an attempt.
 */
async function causeOf(code: ErrorCode, job: Job, { store }: Pick<Home, "store">): Promise<FailureCause> {
  if (!mendable.has(code)) return "final";
  if (code === "PROVIDER_UNAVAILABLE") return "outage";
  if (!storeAway.has(code)) return "passing";
  return store(job.instance)
    .then((each) => each.version())
    .then(
      () => "passing",
      () => "outage",
    );
}

/** Errors of a registry that comes back by itself: one that restarts, or is busy. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["REGISTRY_UNAVAILABLE", "REGISTRY_BUSY"]);

/**
 * Takes jobs one after the other and ingests their files; ends when the run is stopped, and then gives its
 * job back. For a registry that does not answer it warns and waits, unless the run is being stopped: another
 * worker then restarts the job once its lease has expired.
 */
export async function* runWorkerLoop(
  queue: Queue,
  options: WorkerOptions,
  home: Home,
  run: Run,
): AsyncGenerator<WorkerEvent> {
  const { once, leaseMs = home.settings.queue.leaseMs, pollMs = 500 } = options;
  const worker = `${hostname()}-${process.pid}-${run.id.slice(0, 8)}`;
  const patience = openPatience(once ? 0 : pollMs, run);
  await using parsers = keepParsers(home);
  while (!run.signal.aborted) {
    try {
      const job = await queue.claim(worker, leaseMs, { ms: once ? 0 : pollMs, run });
      patience.answered();
      if (job !== undefined)
        yield* perform(job, { queue, worker, leaseMs, parsers: parsers.get() }, home, run);
      else if (once) return;
      else await parsers.release();
    } catch (error) {
      await patience.wait(error);
    }
  }
  run.signal.throwIfAborted();
}

/** Waits `pauseMs` for a registry that is away, or raises the error where there is nothing to wait for. */
function openPatience(pauseMs: number, { signal, log }: Pick<Run, "signal" | "log">) {
  let isAway = false;
  return {
    answered(): void {
      isAway = false;
    },
    async wait(thrown: unknown): Promise<void> {
      const { code, message } = asRagctlError(thrown);
      if (pauseMs === 0 || signal.aborted || !passing.has(code)) throw thrown;
      if (!isAway) log.warn(`${message}; the worker is waiting`);
      isAway = true;
      await sleep(pauseMs, undefined, { signal });
    },
  };
}

/**
 * The parsers of one job after the other: to start a process for each small document takes longer than to
 * read it. They are released when no job is due.
 */
function keepParsers({ settings }: Pick<Home, "settings">) {
  let pool: ParserPool | undefined;
  const release = async (): Promise<void> => {
    const left = pool;
    pool = undefined;
    await left?.[Symbol.asyncDispose]();
  };
  return {
    get(): ParserPool {
      pool ??= createSourceReaders(settings);
      return pool;
    },
    release,
    [Symbol.asyncDispose]: release,
  };
}

/** Who holds a job, for how long without a word, and with which parsers. */
interface Lease {
  readonly queue: Queue;
  readonly worker: string;
  readonly leaseMs: number;
  readonly parsers: ParserPool;
}

async function* perform(
  job: Job,
  { queue, worker, leaseMs, parsers }: Lease,
  home: Home,
  run: Run,
): AsyncGenerator<WorkerEvent> {
  yield { type: "job-start", job };
  const lost = new AbortController();
  let progress: JobProgress = job.progress;
  const renew = async (): Promise<void> => {
    if (await queue.renew(job.id, worker, leaseMs, progress)) return;
    lost.abort(new RagctlError("JOB_FAILED", `job ${job.id} was cancelled, or its lease ran out`));
  };
  const heartbeat = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
  const jobRun: Run = {
    id: randomUUID(),
    principal: job.principal,
    signal: AbortSignal.any([run.signal, lost.signal]),
    log: run.log,
  };
  let reportedAtMs = performance.now();
  try {
    for await (const [current, name] of ingestJob(job, parsers, home, jobRun)) {
      progress = current;
      // The total number of files is reported at once, except for a single file.
      const isFound = current.files === 0 && current.totalFiles > 1;
      if (!isFound && performance.now() - reportedAtMs < 500) continue;
      reportedAtMs = performance.now();
      await renew();
      yield { type: "job-progress", job, progress, name };
    }
    await queue.complete(job.id, worker, progress);
  } catch (thrown) {
    const { code, message } = asRagctlError(thrown);
    if (run.signal.aborted) await queue.release(job.id, worker);
    else if (!lost.signal.aborted)
      await queue.fail(job.id, worker, { code, message }, await causeOf(code, job, home));
  } finally {
    clearInterval(heartbeat);
  }
  yield { type: "job-end", job: await queue.get(job.id) };
}

/**
 * Ingests the files of a job, and yields the progress and name after each; fails where no file could be
 * ingested, also for lack of a readable format.
 */
async function* ingestJob(
  job: Job,
  parsers: ParserPool,
  home: Home,
  run: Run,
): AsyncGenerator<readonly [JobProgress, name: string]> {
  await checkPrincipal(job, home, run);
  const target = await targetOf(job, home, run);
  await home.access.writable(run, { name: target.collection, instance: target.instance });
  let failure: { code: string; reason: string } | undefined;
  let failed = job.progress.failed;
  let ingested = 0;
  const request = { paths: [job.documentPath], ...target };
  await home.access.source(run, job.documentPath);
  await using opened = await openIngest(request, home, run, parsers);
  for await (const event of ingestFiles(request, home, run, opened)) {
    if (event.type === "files-found") yield [{ ...job.progress, files: 0, totalFiles: event.total }, ""];
    if (event.type !== "file-end") continue;
    const { file, done, total } = event;
    if (file.state === "failed") failed++;
    if (file.state === "failed" || file.state === "skipped") failure ??= file;
    else ingested++;
    yield [{ files: done, totalFiles: total, failed, ...event.progress }, file.name];
  }
  // The code of a file's report is one of the table.
  if (failure !== undefined && ingested === 0)
    throw new RagctlError(failure.code as ErrorCode, failure.reason);
}

/** A later principal of the same name does not take over an earlier one's jobs. @throws PERMISSION_DENIED */
async function checkPrincipal(job: Job, { access }: Pick<Home, "access">, run: Run): Promise<void> {
  if ((await access.principal(run)).createdAt <= job.timestamp) return;
  throw new RagctlError(
    "PERMISSION_DENIED",
    `the principal that queued it was removed; the current ${job.principal} is a different one`,
    {
      hint: "queue it again: ragctl ingest PATH --background",
    },
  );
}
