import type { ParsedDocument, SourceFile } from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import type { OcrSettings } from "../options.ts";
import { allowanceMs, exceeded, type Limit, type ParseHistory, type ParseLimits } from "../pages.ts";
import { type ParseEnd, type ParserProcess, startParserProcess } from "./parser-process.ts";

export interface ParserPoolOptions {
  /** Processes that parse at the same time. */
  readonly workers: number;
  /** Most processor time one document may take beside its pages, milliseconds; a page may take a quarter of it. */
  readonly timeoutMs: number;
  /** Most resident memory one process may take beyond what it holds when idle, MiB. */
  readonly memoryMb: number;
  /** Largest file that is read, bytes. */
  readonly maxBytes: number;
  /** Undefined: pages that are only images are not read. */
  readonly ocr?: OcrSettings;
  /** Documents after which a process is replaced, so that what a library leaks stays small. Default 64. */
  readonly documentsPerWorker?: number;
  /** Let other work go first. Default true. */
  readonly lowPriority?: boolean;
}

export interface ParserPool extends AsyncDisposable {
  /** @throws RagctlError of scope "document"; whatever `signal` was aborted with */
  parse(file: SourceFile, signal: AbortSignal): Promise<ParsedDocument>;
  /** Most documents that were being parsed at the same time. */
  readonly peakActive: number;
  /** Processes ended early because a page or document exceeded its time or memory, or killed them. */
  readonly workersLost: number;
  /** Processes replaced in good order: after their share of documents, or because they held on to much memory. */
  readonly workersReplaced: number;
}

interface Slot {
  process: ParserProcess | undefined;
  documents: number;
  /** Bytes the process held after its last document, beyond what it holds when idle. */
  heldBytes: number;
}

/** Memory that a further thread of OCR may take, MiB; the engine with a page of 10 million pixels was seen to hold 190. */
const ocrThreadMb = 256;
/** Share of the memory that JavaScript's heap may fill; the rest is for buffers, which are outside. */
const heapShare = 0.75;
/** How many times its own limit a parser may be silent on a clock: so busy may a machine be. */
const patience = 10;

/** What an attempt that was ended teaches the next one. Undefined where there is nothing to be gained by another. */
function learn(history: ParseHistory, end: ParseEnd, limits: ParseLimits): ParseHistory | undefined {
  if (end.limit === undefined || end.page === 0 || history.until !== undefined) return undefined;
  const limit: Limit = end.limit === "memory" ? "memory" : "time";
  const spentMs = history.spentMs + end.spentMs;
  const stops = [...history.stops, { page: end.page, limit }];
  // Memory that was half full when the page began is not the page's fault: fewer of them are read.
  if (limit === "memory" && end.heldBytes > limits.memoryBytes / 2)
    return { stops, spentMs, until: Math.ceil(end.page * 0.75) };
  // The last attempt reads what is known to be readable, in the time that it is known to take.
  return spentMs + end.spentMs > allowanceMs(limits, end.pages)
    ? { stops, spentMs, until: end.page }
    : { stops, spentMs };
}

/** Opens processes for parsing; each starts with its first document. A document that kills its process fails alone. */
export function openParserPool(options: ParserPoolOptions): ParserPool {
  const {
    workers,
    timeoutMs,
    memoryMb,
    maxBytes,
    ocr,
    documentsPerWorker = 64,
    lowPriority = true,
  } = options;
  const free: Slot[] = Array.from({ length: Math.max(1, workers) }, () => ({
    process: undefined,
    documents: 0,
    heldBytes: 0,
  }));
  const all = [...free];
  const waiting: ((slot: Slot) => void)[] = [];
  const totalMb = memoryMb + ocrThreadMb * ((ocr?.workers ?? 1) - 1);
  const limits: ParseLimits = {
    documentMs: timeoutMs,
    pageMs: timeoutMs / 4,
    memoryBytes: totalMb * 1024 ** 2,
  };
  const silenceMs = patience * (timeoutMs + (ocr?.pageTimeoutMs ?? 0)) + 60_000;
  let active = 0;
  let peakActive = 0;
  let workersLost = 0;
  let workersReplaced = 0;
  let closed = false;

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
    const { process } = slot;
    Object.assign(slot, { process: undefined, documents: 0, heldBytes: 0 });
    await process?.end();
  };
  const give = (slot: Slot): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(slot);
    else next(slot);
  };
  const lose = async (slot: Slot): Promise<void> => {
    workersLost++;
    await drop(slot);
  };
  const giveUp = (file: SourceFile, { limit, how }: ParseEnd): RagctlError => {
    if (limit === "memory")
      return exceeded("memory", file.name, `it needed more than ${totalMb} MiB to parse`);
    if (limit === "time")
      return exceeded(
        "time",
        file.name,
        `it took more than ${timeoutMs / 1000} s of processor time to parse`,
      );
    if (limit === "silence")
      return exceeded("time", file.name, `its parser gave no sign of life for ${silenceMs / 1000} s`);
    return new RagctlError("SOURCE_UNREADABLE", `${file.name} made its parser fail: it ended with ${how}`, {
      hint: "open the file in its own program, save it again and ingest the new copy",
    });
  };

  /** One document, in as many attempts as it has pages that have to be left out. */
  const ask = async (slot: Slot, file: SourceFile, signal: AbortSignal): Promise<ParsedDocument> => {
    let history: ParseHistory | undefined = { stops: [], spentMs: 0 };
    for (;;) {
      // One that was killed between two documents is no fault of the next.
      if (slot.process?.isAlive === false) await lose(slot);
      slot.process ??= startParserProcess({ heapMb: totalMb * heapShare, lowPriority, silenceMs });
      const request = { file, maxBytes, limits, history, ...(ocr === undefined ? {} : { ocr }) };
      const reply = await slot.process.ask(request, signal).catch(async (error: unknown) => {
        await drop(slot);
        throw error;
      });
      if ("how" in reply) {
        await lose(slot);
        history = learn(history, reply, limits);
        if (history === undefined) throw giveUp(file, reply);
        continue;
      }
      slot.documents++;
      slot.heldBytes = reply.heldBytes;
      if (reply.ok) return { file, content: reply.content, method: reply.method };
      if (!reply.memory)
        throw new RagctlError(
          reply.code,
          reply.message,
          reply.hint === undefined ? {} : { hint: reply.hint },
        );
      await lose(slot);
      throw giveUp(file, { limit: "memory", page: 0, pages: 0, heldBytes: 0, spentMs: 0, how: "" });
    }
  };

  return {
    async parse(file, signal) {
      signal.throwIfAborted();
      if (closed) throw new RagctlError("INTERNAL", "the parser pool is closed");
      const slot = await take(signal);
      active++;
      peakActive = Math.max(peakActive, active);
      try {
        // The signal may have fired while this document waited for a process.
        signal.throwIfAborted();
        return await ask(slot, file, signal);
      } finally {
        active--;
        // A process that holds on to much after a document is replaced too: the next document gets all of the memory.
        const isFull = slot.heldBytes > limits.memoryBytes / 2;
        const isDue = slot.process !== undefined && (isFull || slot.documents >= documentsPerWorker);
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
