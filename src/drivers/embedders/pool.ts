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

/** A started thread; it answers in the order it was asked. */
interface Thread {
  readonly worker: Worker;
  readonly facts: EncoderFacts;
  readonly asked: Job[];
}

/** Batches a thread is given ahead while there are enough for all, so it need not wait for a busy main thread between two. */
const aheadBatches = 2;

function asError(failure: Extract<WorkerReply, { type: "failed" }>): RagctlError {
  return new RagctlError(failure.code, failure.message, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    ...(failure.cause === undefined ? {} : { cause: new Error(failure.cause) }),
  });
}

async function startThread(data: ThreadData): Promise<{ worker: Worker; facts: EncoderFacts }> {
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

/**
 * Starts one thread now and the others, up to `size`, when there is work for them; a GPU is given one only.
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
export async function openPool(settings: EncoderSettings, size: number): Promise<EncoderPool> {
  const threads: Thread[] = [];
  const waiting: Job[] = [];
  let starting: Promise<void> | undefined;
  let limit = size;
  let closed = false;
  const gate = openGate();
  const hold = (): void => closeGate(gate);
  process.once("exit", hold);

  const feed = (thread: Thread): void => {
    while (thread.asked.length === 0 || (thread.asked.length < aheadBatches && waiting.length >= limit)) {
      const job = waiting.shift();
      if (job === undefined) break;
      if (job.dropped) continue;
      thread.asked.push(job);
      thread.worker.ref();
      thread.worker.postMessage({ type: "encode", rows: job.rows, multi: job.multi } satisfies WorkerRequest);
    }
    // While the pool closes, the thread must keep the process alive until it has ended.
    if (thread.asked.length === 0 && !closed) thread.worker.unref();
  };

  const adopt = ({ worker, facts }: { worker: Worker; facts: EncoderFacts }): Thread => {
    const thread: Thread = { worker, facts, asked: [] };
    const lost = (cause: unknown): void => {
      if (!threads.includes(thread)) return;
      threads.splice(threads.indexOf(thread), 1);
      const error = new RagctlError(
        "INTERNAL",
        `the embedding thread of ${settings.id} ended before its work`,
        { cause },
      );
      for (const job of [...thread.asked.splice(0), ...(threads.length === 0 ? waiting.splice(0) : [])])
        job.settle.reject(error);
    };
    worker.on("error", lost);
    worker.on("exit", lost);
    worker.on("message", (reply: WorkerReply) => {
      const job = thread.asked.shift();
      if (reply.type === "embeddings") job?.settle.resolve(reply.embeddings);
      else if (reply.type === "failed") job?.settle.reject(asError(reply));
      feed(thread);
    });
    threads.push(thread);
    return thread;
  };

  const startOthers = async (): Promise<void> => {
    // A thread that cannot start, for want of memory, leaves the work to those that did.
    const others = Array.from({ length: limit - threads.length }, () =>
      startThread({ settings, gate }).catch(() => undefined),
    );
    for (const other of others) {
      const thread = await other;
      if (thread === undefined) continue;
      if (closed) await thread.worker.terminate();
      else feed(adopt(thread));
    }
  };

  const first = adopt(
    await startThread({ settings, gate }).catch((error: unknown) => {
      process.off("exit", hold);
      throw error;
    }),
  );
  if (first.facts.provider !== "cpu") limit = 1;
  return {
    facts: first.facts,
    async encode(batches, multi, signal) {
      signal.throwIfAborted();
      if (closed || threads.length === 0)
        throw new RagctlError(
          "INTERNAL",
          `the embedder ${settings.id} ${closed ? "is closed" : "has lost its threads"}`,
        );
      const jobs = batches.map(
        (rows): Job => ({ rows, multi, settle: Promise.withResolvers(), dropped: false }),
      );
      const abort = (): void => {
        for (const job of jobs) job.settle.reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      waiting.push(...jobs);
      for (const thread of [...threads]) feed(thread);
      if (waiting.length > 0 && threads.length < limit) starting ??= startOthers();
      try {
        return await Promise.all(jobs.map((job) => job.settle.promise));
      } finally {
        signal.removeEventListener("abort", abort);
        for (const job of jobs) job.dropped = true;
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      const error = new RagctlError("INTERNAL", `the embedder ${settings.id} was closed`);
      for (const job of [...waiting.splice(0), ...threads.flatMap(({ asked }) => asked.splice(0))])
        job.settle.reject(error);
      await starting;
      await Promise.all(
        threads.splice(0).map(async ({ worker }) => {
          worker.ref();
          const { promise, resolve } = Promise.withResolvers<void>();
          worker.once("exit", () => resolve());
          worker.postMessage({ type: "close" } satisfies WorkerRequest);
          await promise;
        }),
      );
      process.off("exit", hold);
    },
  };
}
