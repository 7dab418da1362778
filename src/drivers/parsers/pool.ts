import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ParsedDocument, SourceFile } from "../../core/document.ts";
import { RagctlError } from "../../core/errors.ts";
import type { ParseNotice, ParseReply, ParseRequest, ParseWorkerData } from "./messages.ts";
import type { OcrSettings } from "./ocr.ts";
import { startClock } from "./parse-clock.ts";

export interface ParserPoolOptions {
  /** Threads that parse at the same time. */
  readonly workers: number;
  /** Most time one document may take, milliseconds. */
  readonly timeoutMs: number;
  /** Heap of one thread, MiB. */
  readonly memoryMb: number;
  /** Largest file that is read, bytes. */
  readonly maxBytes: number;
  /** Undefined: pages that are only images are not read. */
  readonly ocr?: OcrSettings;
  /** Documents after which a thread is replaced, so that what a library leaks stays small. Default 64. */
  readonly documentsPerWorker?: number;
  /** Let other work go first. Per thread on Linux; without effect where a priority is the whole process's. Default true. */
  readonly lowPriority?: boolean;
}

export interface ParserPool extends AsyncDisposable {
  /** @throws RagctlError of scope "document"; whatever `signal` was aborted with */
  parse(file: SourceFile, signal: AbortSignal): Promise<ParsedDocument>;
  /** Most documents that were being parsed at the same time. */
  readonly peakActive: number;
  /** Threads ended early because a document exceeded its time or memory, or killed them. */
  readonly workersLost: number;
  /** Threads replaced in good order: after their share of documents, or because they held on to much memory. */
  readonly workersReplaced: number;
}

interface Slot {
  worker: Worker | undefined;
  documents: number;
  /** Bytes the thread held after its last document. */
  heldBytes: number;
}

const workerFile = new URL(`./parse-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** Opens threads for parsing; each starts with its first document. A document that kills its thread fails alone. */
export function openParserPool(options: ParserPoolOptions): ParserPool {
  const { workers, timeoutMs, memoryMb, maxBytes, ocr, documentsPerWorker = 64, lowPriority = true } = options;
  const free: Slot[] = Array.from({ length: Math.max(1, workers) }, () => ({ worker: undefined, documents: 0, heldBytes: 0 }));
  const all = [...free];
  const waiting: ((slot: Slot) => void)[] = [];
  let active = 0;
  let peakActive = 0;
  let workersLost = 0;
  let workersReplaced = 0;
  let closed = false;

  const start = (): Worker => {
    const limits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 };
    // stdout and stderr are kept from the process's own: libraries may print, stdout is the result.
    const worker = new Worker(workerFile, {
      workerData: { lowPriority } satisfies ParseWorkerData,
      stdout: true,
      stderr: true,
      resourceLimits: limits,
    });
    worker.stdout.resume();
    worker.stderr.resume();
    // A worker that is being ended may still report: nobody listens then, and nothing may throw.
    worker.on("error", () => {});
    worker.unref();
    return worker;
  };
  const take = (signal: AbortSignal): Promise<Slot> => {
    const slot = free.pop();
    if (slot !== undefined) return Promise.resolve(slot);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiting.splice(waiting.indexOf(ready), 1);
        reject(signal.reason);
      };
      const ready = (next: Slot) => {
        signal.removeEventListener("abort", onAbort);
        resolve(next);
      };
      waiting.push(ready);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  };
  const drop = async (slot: Slot): Promise<void> => {
    const { worker } = slot;
    slot.worker = undefined;
    slot.documents = 0;
    slot.heldBytes = 0;
    await worker?.terminate();
  };
  const give = (slot: Slot): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(slot);
    else next(slot);
  };
  const memoryError = (file: SourceFile) =>
    new RagctlError("PARSER_MEMORY", `${file.name} needed more than ${memoryMb} MiB to parse`, {
      hint: "split the file, or raise the parser's memory limit",
    });

  const ask = (slot: Slot, file: SourceFile, signal: AbortSignal): Promise<ParsedDocument> =>
    new Promise((resolve, reject) => {
      slot.worker ??= start();
      const { worker } = slot;
      slot.documents++;
      worker.ref();
      const settle = (act: () => void) => {
        clock.stop();
        signal.removeEventListener("abort", onAbort);
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        worker.unref();
        act();
      };
      const lose = (error: unknown) =>
        settle(
          () =>
            void drop(slot).then(
              () => reject(error),
              () => reject(error),
            ),
        );
      const onMessage = (reply: ParseReply | ParseNotice) => {
        if ("ocrRunning" in reply) {
          clock.pause(reply.ocrRunning);
          return;
        }
        slot.heldBytes = reply.heldBytes;
        if (reply.ok) settle(() => resolve({ file, content: reply.content, method: reply.method }));
        else if (reply.memory) {
          workersLost++;
          lose(memoryError(file));
        } else settle(() => reject(new RagctlError(reply.code, reply.message, reply.hint === undefined ? {} : { hint: reply.hint })));
      };
      const onError = (error: Error) => {
        workersLost++;
        if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") lose(memoryError(file));
        else
          lose(
            new RagctlError("SOURCE_UNREADABLE", `${file.name} made its parser fail: ${error.message}`, {
              hint: "open the file in its own program, save it again and ingest the new copy",
              cause: error,
            }),
          );
      };
      const onExit = (status: number) => onError(new Error(`the parser ended with status ${status}`));
      const onAbort = () => lose(signal.reason);
      const clock = startClock(timeoutMs, 2 * (ocr?.pageTimeoutMs ?? 0) + 60_000, () => {
        workersLost++;
        lose(
          new RagctlError("PARSER_TIMEOUT", `${file.name} took longer than ${timeoutMs / 1000} s to parse`, {
            hint: "split the file, or raise the parser's time limit",
          }),
        );
      });
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      signal.addEventListener("abort", onAbort, { once: true });
      worker.postMessage({ file, maxBytes, ...(ocr === undefined ? {} : { ocr }) } satisfies ParseRequest);
    });

  return {
    async parse(file, signal) {
      signal.throwIfAborted();
      if (closed) throw new RagctlError("INTERNAL", "the parser pool is closed");
      const slot = await take(signal);
      active++;
      peakActive = Math.max(peakActive, active);
      try {
        // The signal may have fired while this document waited for a thread.
        signal.throwIfAborted();
        return await ask(slot, file, signal);
      } finally {
        active--;
        // A thread that holds on to much after a document is replaced too: the next document gets a fresh heap.
        const isFull = slot.heldBytes > memoryMb * 1024 ** 2 * 0.5;
        const isDue = slot.worker !== undefined && (isFull || slot.documents >= documentsPerWorker);
        if (isDue && !closed) workersReplaced++;
        if (closed || isDue) await drop(slot);
        give(slot);
      }
    },
    get peakActive() {
      return peakActive;
    },
    get workersLost() {
      return workersLost;
    },
    get workersReplaced() {
      return workersReplaced;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.all(all.map(drop));
    },
  };
}
