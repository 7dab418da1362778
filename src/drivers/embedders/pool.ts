import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Embedding } from "../../core/documents/embedding.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { RagctlError } from "../../core/errors.ts";
import type { EncoderFacts, EncoderSettings } from "./encoder.ts";
import type { Gate } from "./gate.ts";
import { closeGate, openGate } from "./gate.ts";

/** What a thread is started with. */
export interface ThreadData {
  readonly settings: EncoderSettings;
  readonly gate: Gate;
}

export type WorkerRequest =
  | { readonly type: "encode"; readonly rows: readonly Int32Array[]; readonly multi: boolean }
  | { readonly type: "close" };

export type WorkerReply =
  | { readonly type: "ready"; readonly facts: EncoderFacts }
  | { readonly type: "embeddings"; readonly embeddings: readonly Embedding[] }
  | {
      readonly type: "failed";
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
      readonly cause: string | undefined;
    };

/** Encoders in threads of their own: the model's run() blocks its thread, and several one-thread runs beat one many-thread run. */
export interface EncoderPool extends AsyncDisposable {
  readonly facts: EncoderFacts;
  /** Encodes every batch; batches not begun when the signal aborts are dropped. */
  encode(
    batches: readonly (readonly Int32Array[])[],
    multi: boolean,
    signal: AbortSignal,
  ): Promise<readonly (readonly Embedding[])[]>;
}

interface Job {
  readonly rows: readonly Int32Array[];
  readonly multi: boolean;
  readonly settle: PromiseWithResolvers<readonly Embedding[]>;
  /** Nobody waits for it any more. */
  dropped: boolean;
}

/** A started thread; it answers in the order of its jobs. */
interface Thread {
  readonly worker: Worker;
  readonly facts: EncoderFacts;
  /** Jobs it was given and has not answered yet. */
  readonly jobs: Job[];
}

/** What the functions of a pool share. */
interface PoolState {
  readonly data: ThreadData;
  readonly threads: Thread[];
  readonly waiting: Job[];
  /** Most threads. */
  readonly limit: number;
  /** The start of the threads after the first, once there was work for them. */
  starting: Promise<void> | undefined;
  closed: boolean;
}

/**
 * Batches a thread is given ahead while there are enough for all, so it need not wait for a busy main thread between two. A queue that
 * hands out one job per free slot, such as p-queue, cannot feed ahead.
 */
const aheadBatches = 2;

function asError(failure: Extract<WorkerReply, { type: "failed" }>): RagctlError {
  return new RagctlError(failure.code, failure.message, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    ...(failure.cause === undefined ? {} : { cause: new Error(failure.cause) }),
  });
}

type StartedThread = Pick<Thread, "worker" | "facts">;

async function startThread(data: ThreadData): Promise<StartedThread> {
  const url = new URL(`./onnx-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  const worker = new Worker(url, { workerData: data, name: `embed ${data.settings.id}` });
  const { promise, resolve, reject } = Promise.withResolvers<EncoderFacts>();
  worker.once("error", reject);
  worker.once("exit", (status) =>
    reject(
      new RagctlError("INTERNAL", `the embedding thread of ${data.settings.id} ended with status ${status}`),
    ),
  );
  worker.once("message", (reply: WorkerReply) => {
    if (reply.type === "ready") resolve(reply.facts);
    else if (reply.type === "failed") reject(asError(reply));
  });
  try {
    const facts = await promise;
    worker.unref();
    return { worker, facts };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Gives a thread its next jobs. */
function feed({ waiting, limit, closed }: PoolState, { worker, jobs }: Thread): void {
  while (jobs.length === 0 || (jobs.length < aheadBatches && waiting.length >= limit)) {
    const job = waiting.shift();
    if (job === undefined) break;
    if (job.dropped) continue;
    jobs.push(job);
    worker.ref();
    worker.postMessage({ type: "encode", rows: job.rows, multi: job.multi } satisfies WorkerRequest);
  }
  // While the pool closes, the thread must keep the process alive until it has ended.
  if (jobs.length === 0 && !closed) worker.unref();
}

/** Takes a started thread into the pool. */
function adopt(pool: PoolState, { worker, facts }: StartedThread): Thread {
  const thread: Thread = { worker, facts, jobs: [] };
  const onEnd = (cause: unknown): void => removeThread(pool, thread, cause);
  worker.on("error", onEnd);
  worker.on("exit", onEnd);
  worker.on("message", (reply: WorkerReply) => {
    const job = thread.jobs.shift();
    if (reply.type === "embeddings") job?.settle.resolve(reply.embeddings);
    else if (reply.type === "failed") job?.settle.reject(asError(reply));
    feed(pool, thread);
  });
  pool.threads.push(thread);
  return thread;
}

/** Fails the jobs of a thread that ended; the waiting ones too when it was the last. */
function removeThread({ data, threads, waiting }: PoolState, thread: Thread, cause: unknown): void {
  const index = threads.indexOf(thread);
  if (index < 0) return;
  threads.splice(index, 1);
  const { id } = data.settings;
  const error = new RagctlError("INTERNAL", `the embedding thread of ${id} ended before its work`, { cause });
  const lost = thread.jobs.splice(0);
  if (threads.length === 0) lost.push(...waiting.splice(0));
  for (const job of lost) job.settle.reject(error);
}

async function startOthers(pool: PoolState): Promise<void> {
  // A thread that cannot start, for want of memory, leaves the work to those that did.
  const others = Array.from({ length: pool.limit - pool.threads.length }, () =>
    startThread(pool.data).catch(() => undefined),
  );
  for (const other of others) {
    const started = await other;
    if (started === undefined) continue;
    if (pool.closed) await started.worker.terminate();
    else feed(pool, adopt(pool, started));
  }
}

async function encode(
  pool: PoolState,
  batches: readonly (readonly Int32Array[])[],
  multi: boolean,
  signal: AbortSignal,
): Promise<readonly (readonly Embedding[])[]> {
  const { threads, waiting, limit, closed } = pool;
  signal.throwIfAborted();
  if (closed || threads.length === 0) {
    const why = closed ? "is closed" : "has lost its threads";
    throw new RagctlError("INTERNAL", `the embedder ${pool.data.settings.id} ${why}`);
  }
  const jobs = batches.map((rows): Job => ({ rows, multi, settle: Promise.withResolvers(), dropped: false }));
  const abort = (): void => {
    for (const job of jobs) job.settle.reject(signal.reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  waiting.push(...jobs);
  for (const thread of [...threads]) feed(pool, thread);
  if (waiting.length > 0 && threads.length < limit) pool.starting ??= startOthers(pool);
  try {
    return await Promise.all(jobs.map((job) => job.settle.promise));
  } finally {
    signal.removeEventListener("abort", abort);
    for (const job of jobs) job.dropped = true;
  }
}

async function close(pool: PoolState): Promise<void> {
  pool.closed = true;
  const error = new RagctlError("INTERNAL", `the embedder ${pool.data.settings.id} was closed`);
  const unfinished = [...pool.waiting.splice(0), ...pool.threads.flatMap(({ jobs }) => jobs.splice(0))];
  for (const job of unfinished) job.settle.reject(error);
  await pool.starting;
  await Promise.all(pool.threads.splice(0).map(({ worker }) => endThread(worker)));
}

async function endThread(worker: Worker): Promise<void> {
  worker.ref();
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.once("exit", () => resolve());
  worker.postMessage({ type: "close" } satisfies WorkerRequest);
  await promise;
}

/**
 * Starts one thread now and the others, up to `size`, when there is work for them; a GPU is given one only.
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
export async function openPool(settings: EncoderSettings, size: number): Promise<EncoderPool> {
  const data: ThreadData = { settings, gate: openGate() };
  const onExit = (): void => closeGate(data.gate);
  process.once("exit", onExit);
  const started = await startThread(data).catch((error: unknown) => {
    process.off("exit", onExit);
    throw error;
  });
  const { facts } = started;
  const limit = facts.provider === "cpu" ? size : 1;
  const pool: PoolState = { data, threads: [], waiting: [], limit, starting: undefined, closed: false };
  adopt(pool, started);
  return {
    facts,
    encode: (batches, multi, signal) => encode(pool, batches, multi, signal),
    async [Symbol.asyncDispose]() {
      await close(pool);
      process.off("exit", onExit);
    },
  };
}
