import { Worker } from "node:worker_threads";
import type { ErrorCode } from "../../core/errors.ts";
import { RagctlError } from "../../core/errors.ts";
import type { RunGate } from "./gate.ts";
import { closeGate, createGate } from "./gate.ts";
import { disableTelemetry } from "./telemetry.ts";

/** Start data of a thread; `settings` is plain data. */
export interface ThreadData<S> {
  readonly settings: S;
  readonly gate: RunGate;
}

export type ThreadRequest<I> = { readonly type: "run"; readonly input: I } | { readonly type: "close" };

export type ThreadReply<F, O> =
  | { readonly type: "ready"; readonly facts: F }
  | { readonly type: "output"; readonly output: O }
  | {
      readonly type: "failed";
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
      readonly cause: string | undefined;
    };

/** Facts that an opened model reports. */
export interface ModelFacts {
  /** Where it runs, e.g. `cpu` or `cuda`. */
  readonly provider: string;
}

/**
 * Models in separate threads: a run blocks its thread, and several one-thread runs beat one many-thread run.
 */
export interface ThreadPool<F, I, O> extends AsyncDisposable {
  readonly facts: F;
  /**
   * Runs every input; those not started when the signal aborts are dropped. Urgent inputs go before waiting
   * ones. Outputs are in the order of the inputs.
   */
  run(inputs: readonly I[], signal: AbortSignal, isUrgent?: boolean): Promise<readonly O[]>;
}

/** Settings of a pool's threads. */
export interface PoolSettings<S> {
  /** Name of the pool's model in errors: `embedder bge-m3`. */
  readonly name: string;
  /** File of the thread, which calls `serveThread`. */
  readonly worker: URL;
  readonly settings: S;
  /** Most threads; a GPU is given one only. */
  readonly size: number;
}

interface Job<I, O> {
  readonly input: I;
  readonly settle: PromiseWithResolvers<O>;
  /** The caller no longer waits for it. */
  dropped: boolean;
}

/** A started thread; it answers in the order of its jobs. */
interface Thread<I, O> {
  readonly worker: Worker;
  /** Jobs it was given and has not answered yet. */
  readonly jobs: Job<I, O>[];
}

/** Shared state of a pool's functions. */
interface PoolState<S, I, O> {
  readonly pool: PoolSettings<S>;
  readonly data: ThreadData<S>;
  readonly threads: Thread<I, O>[];
  readonly waiting: Job<I, O>[];
  /** Most threads. */
  readonly limit: number;
  /** The start of the threads after the first, once there was work for them. */
  starting: Promise<void> | undefined;
  closed: boolean;
}

/**
 * Inputs a thread is given ahead while there are enough for all, so it need not wait for a busy main thread
 * between two. A queue that hands out one job per free slot, such as p-queue, cannot feed ahead.
 */
const aheadInputs = 2;

function asError(failure: Extract<ThreadReply<unknown, unknown>, { type: "failed" }>): RagctlError {
  return new RagctlError(failure.code, failure.message, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    ...(failure.cause === undefined ? {} : { cause: new Error(failure.cause) }),
  });
}

async function startThread<S, F, O>(
  { name, worker: url }: PoolSettings<S>,
  data: ThreadData<S>,
): Promise<{ readonly worker: Worker; readonly facts: F }> {
  disableTelemetry();
  const worker = new Worker(url, { workerData: data, name });
  const { promise, resolve, reject } = Promise.withResolvers<F>();
  worker.once("error", reject);
  worker.once("exit", (status) =>
    reject(new RagctlError("INTERNAL", `the thread of the ${name} ended with status ${status}`)),
  );
  worker.once("message", (reply: ThreadReply<F, O>) => {
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
function feed<S, I, O>({ waiting, limit, closed }: PoolState<S, I, O>, { worker, jobs }: Thread<I, O>): void {
  while (jobs.length === 0 || (jobs.length < aheadInputs && waiting.length >= limit)) {
    const job = waiting.shift();
    if (job === undefined) break;
    if (job.dropped) continue;
    jobs.push(job);
    worker.ref();
    worker.postMessage({ type: "run", input: job.input } satisfies ThreadRequest<I>);
  }
  // While the pool closes, the thread must keep the process alive until it has ended.
  if (jobs.length === 0 && !closed) worker.unref();
}

/** Takes a started thread into the pool. */
function adopt<S, I, O>(state: PoolState<S, I, O>, worker: Worker): Thread<I, O> {
  const thread: Thread<I, O> = { worker, jobs: [] };
  const onEnd = (cause: unknown): void => removeThread(state, thread, cause);
  worker.on("error", onEnd);
  worker.on("exit", onEnd);
  worker.on("message", (reply: ThreadReply<unknown, O>) => {
    const job = thread.jobs.shift();
    if (reply.type === "output") job?.settle.resolve(reply.output);
    else if (reply.type === "failed") job?.settle.reject(asError(reply));
    feed(state, thread);
  });
  state.threads.push(thread);
  return thread;
}

/**
 * Fails the jobs of a thread that ended; the waiting ones too when it was the last. The next work may start
 * another one.
 */
function removeThread<S, I, O>(state: PoolState<S, I, O>, thread: Thread<I, O>, cause: unknown): void {
  const { pool, threads, waiting } = state;
  const index = threads.indexOf(thread);
  if (index < 0) return;
  threads.splice(index, 1);
  const error = new RagctlError("INTERNAL", `the thread of the ${pool.name} ended before its work`, {
    cause,
  });
  const lost = thread.jobs.splice(0);
  if (threads.length === 0) lost.push(...waiting.splice(0));
  for (const job of lost) job.settle.reject(error);
  void state.starting?.then(() => {
    state.starting = undefined;
  });
}

/** Starts threads to replace dead ones. @throws INTERNAL where none starts */
async function restart<S, I, O>(state: PoolState<S, I, O>): Promise<void> {
  await state.starting;
  state.starting ??= startOthers(state);
  await state.starting;
  if (state.threads.length === 0)
    throw new RagctlError("INTERNAL", `the ${state.pool.name} has lost its threads, and none can be started`);
}

async function startOthers<S, I, O>(state: PoolState<S, I, O>): Promise<void> {
  // A thread that cannot start for lack of memory leaves the work to the others.
  const others = Array.from({ length: state.limit - state.threads.length }, () =>
    startThread(state.pool, state.data).catch(() => undefined),
  );
  for (const other of others) {
    const started = await other;
    if (started === undefined) continue;
    if (state.closed) await started.worker.terminate();
    else feed(state, adopt(state, started.worker));
  }
}

async function run<S, I, O>(
  state: PoolState<S, I, O>,
  inputs: readonly I[],
  signal: AbortSignal,
  isUrgent: boolean,
): Promise<readonly O[]> {
  const { pool, threads, waiting, limit, closed } = state;
  if (closed) throw new RagctlError("INTERNAL", `the ${pool.name} is closed`);
  if (threads.length === 0) await restart(state);
  signal.throwIfAborted();
  const jobs = inputs.map((input): Job<I, O> => ({ input, settle: Promise.withResolvers(), dropped: false }));
  const abort = (): void => {
    for (const job of jobs) job.settle.reject(signal.reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  if (isUrgent) waiting.unshift(...jobs);
  else waiting.push(...jobs);
  for (const thread of [...threads]) feed(state, thread);
  if (waiting.length > 0 && threads.length < limit) state.starting ??= startOthers(state);
  try {
    return await Promise.all(jobs.map((job) => job.settle.promise));
  } finally {
    signal.removeEventListener("abort", abort);
    for (const job of jobs) job.dropped = true;
  }
}

async function close<S, I, O>(state: PoolState<S, I, O>): Promise<void> {
  state.closed = true;
  const error = new RagctlError("INTERNAL", `the ${state.pool.name} was closed`);
  const unfinished = [...state.waiting.splice(0), ...state.threads.flatMap(({ jobs }) => jobs.splice(0))];
  for (const job of unfinished) job.settle.reject(error);
  await state.starting;
  await Promise.all(state.threads.splice(0).map(({ worker }) => endThread(worker)));
}

async function endThread(worker: Worker): Promise<void> {
  worker.ref();
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.once("exit", () => resolve());
  worker.postMessage({ type: "close" } satisfies ThreadRequest<never>);
  await promise;
}

/**
 * Starts one thread now and the others, up to `size`, when there is work for them.
 * @throws whatever opening the model in the thread throws, e.g. MODEL_MISSING, MODEL_UNREADABLE
 */
export async function openPool<S, F extends ModelFacts, I, O>(
  pool: PoolSettings<S>,
): Promise<ThreadPool<F, I, O>> {
  const data: ThreadData<S> = { settings: pool.settings, gate: createGate() };
  const onExit = (): void => closeGate(data.gate);
  process.once("exit", onExit);
  const { worker, facts } = await startThread<S, F, O>(pool, data).catch((error: unknown) => {
    process.off("exit", onExit);
    throw error;
  });
  const limit = facts.provider === "cpu" ? pool.size : 1;
  const state: PoolState<S, I, O> = {
    ...{ pool, data, limit },
    ...{ threads: [], waiting: [], starting: undefined, closed: false },
  };
  adopt(state, worker);
  return {
    facts,
    run: (inputs, signal, isUrgent = false) => run(state, inputs, signal, isUrgent),
    async [Symbol.asyncDispose]() {
      await close(state);
      process.off("exit", onExit);
    },
  };
}
