import type { PageToDraw, ParsedDocument, SourceFile } from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import { createSemaphore } from "../../mutex.ts";
import type { OcrSettings } from "../options.ts";
import { allowanceMs, limitError, type PageLimit, type ParseHistory, type ParseLimits } from "../pages.ts";
import { maxWallToCpuRatio } from "../processor-time.ts";
import type { ParseReply } from "./messages.ts";
import { type ParseEnd, type ParserProcess, startParserProcess } from "./parser-process.ts";

export interface ParserPoolOptions {
  /** Processes that parse at the same time. */
  readonly workers: number;
  /**
   * Most processor time one document may take in addition to its pages, milliseconds; a page may take a
   * quarter of it.
   */
  readonly timeoutMs: number;
  /** Most resident memory one process may take beyond what it holds when idle, MiB. */
  readonly memoryMb: number;
  /** Largest file that is read, bytes. */
  readonly maxBytes: number;
  /** Undefined: pages that are only images are not read. */
  readonly ocr?: OcrSettings;
  /** Pages of the documents that are drawn, and the rest left unread; only of PDFs. Default: none. */
  readonly draw?: readonly PageToDraw[];
  /** Documents after which a process is replaced, so that leaks of a library remain small. Default 1000. */
  readonly documentsPerWorker?: number;
  /** Let other work go first. Default true. */
  readonly lowPriority?: boolean;
}

export interface ParserPool extends AsyncDisposable {
  /** @throws RagctlError of scope "document"; whatever `signal` was aborted with */
  parse(file: SourceFile, signal: AbortSignal): Promise<ParsedDocument>;
  /** Documents it parses at the same time. */
  readonly workers: number;
  readonly counts: Readonly<PoolCounts>;
}

/** What a pool counts while it is open. */
interface PoolCounts {
  /** Documents that are being parsed, and the most that were at the same time. */
  active: number;
  peakActive: number;
  /** Processes ended early because a page or document exceeded its time or memory, or killed them. */
  workersLost: number;
  /**
   * Processes replaced in good order: after their share of documents, or because they held on to much memory.
   */
  workersReplaced: number;
}

interface Slot {
  process: ParserProcess | undefined;
  documents: number;
  /** Bytes the process held after its last document, beyond what it holds when idle. */
  heldBytes: number;
}

/**
 * Memory that a further thread of OCR may take, MiB; the engine with a page of 10 million pixels was seen to
 * hold 190.
 */
export const ocrThreadMb = 256;
/** Share of the memory that JavaScript's heap may fill; the rest is for buffers, which are outside. */
const heapShare = 0.75;
/** Learns from an attempt that was ended for the next one. Undefined where another attempt would not help. */
function learn(
  history: ParseHistory,
  end: ParseEnd,
  { parse, fullBytes }: PoolLimits,
): ParseHistory | undefined {
  // Something else may have ended it, such as a system short of memory: try the whole document once more.
  if (end.limit === undefined) return history.killed === true ? undefined : { ...history, killed: true };
  if (end.page === 0 || history.until !== undefined) return undefined;
  const limit: PageLimit = end.limit === "memory" ? "memory" : "time";
  const spentMs = history.spentMs + end.spentMs;
  const stops = [...history.stops, { page: end.page, limit }];
  // Memory that was half full when the page began is not the page's fault: fewer of them are read.
  if (limit === "memory" && end.heldBytes > fullBytes)
    return { ...history, stops, spentMs, until: { page: Math.ceil(end.page * 0.75), limit } };
  // The last attempt reads only pages known to be readable, within the time that they are known to take.
  const isLast = end.limit === "silence" || spentMs + end.spentMs > allowanceMs(parse, end.pages);
  return { ...history, stops, spentMs, ...(isLast ? { until: { page: end.page, limit } } : {}) };
}

/** Resource limits of a pool's processes. */
interface PoolLimits {
  readonly parse: ParseLimits;
  readonly totalMb: number;
  /**
   * From here on a process that is between two pages or documents holds too much: half of what OCR leaves.
   */
  readonly fullBytes: number;
  readonly silenceMs: number;
}

function limitsOf({ timeoutMs, memoryMb, ocr }: ParserPoolOptions): PoolLimits {
  const ocrMb = ocr === undefined ? 0 : ocrThreadMb * ocr.workers;
  const totalMb = memoryMb + Math.max(0, ocrMb - ocrThreadMb);
  return {
    parse: { documentMs: timeoutMs, pageMs: timeoutMs / 4, memoryBytes: totalMb * 1024 ** 2 },
    totalMb,
    fullBytes: ((totalMb + ocrMb) / 2) * 1024 ** 2,
    silenceMs: maxWallToCpuRatio * (timeoutMs + (ocr?.pageTimeoutMs ?? 0)) + 60_000,
  };
}

/** A pool while it is open. */
interface Pool {
  readonly options: ParserPoolOptions;
  readonly limits: PoolLimits;
  readonly counts: PoolCounts;
  closed: boolean;
}

async function drop(slot: Slot): Promise<void> {
  const { process } = slot;
  slot.process = undefined;
  slot.documents = 0;
  slot.heldBytes = 0;
  await process?.end();
}

async function lose(pool: Pool, slot: Slot): Promise<void> {
  pool.counts.workersLost++;
  await drop(slot);
}

/** The error for a document whose process ended. */
function endError({ options, limits }: Pool, { name }: SourceFile, end: Pick<ParseEnd, "limit" | "how">) {
  switch (end.limit) {
    case "memory":
      return limitError("memory", name, `parsing needed more than ${limits.totalMb} MiB`);
    case "time":
      return limitError("time", name, `parsing took more than ${options.timeoutMs / 1000} s of CPU time`);
    case "silence":
      return limitError("time", name, `its parser did not respond for ${limits.silenceMs / 1000} s`);
    case undefined:
      return new RagctlError("SOURCE_UNREADABLE", `${name} crashed its parser, which ended with ${end.how}`, {
        hint: "open the file in its own program, save it again and ingest the new copy",
      });
  }
}

/** One attempt at a document, in the slot's process or a new one. */
async function attempt(
  pool: Pool,
  slot: Slot,
  file: SourceFile,
  history: ParseHistory,
  signal: AbortSignal,
): Promise<ParseReply | ParseEnd> {
  const { ocr, draw, maxBytes, memoryMb, lowPriority = true } = pool.options;
  const { parse, silenceMs } = pool.limits;
  // A process that was killed between two documents is no fault of the next.
  if (slot.process?.isAlive === false) await lose(pool, slot);
  // It may have fired while the document waited for a process, or between two attempts, when there was no
  // listener.
  signal.throwIfAborted();
  if (pool.closed) throw new RagctlError("INTERNAL", "the parser pool is closed");
  slot.process ??= startParserProcess({ heapMb: memoryMb * heapShare, lowPriority, silenceMs });
  const request = { file, maxBytes, limits: parse, history, ...(ocr && { ocr }), ...(draw && { draw }) };
  try {
    return await slot.process.ask(request, signal);
  } catch (error) {
    await drop(slot);
    throw error;
  }
}

/** One document, in as many attempts as it has pages that have to be left out. */
async function parseIn(
  pool: Pool,
  slot: Slot,
  file: SourceFile,
  signal: AbortSignal,
): Promise<ParsedDocument> {
  let history: ParseHistory = { stops: [], spentMs: 0 };
  for (;;) {
    const reply = await attempt(pool, slot, file, history, signal);
    if ("how" in reply) {
      await lose(pool, slot);
      const next = learn(history, reply, pool.limits);
      if (next === undefined) throw endError(pool, file, reply);
      history = next;
      continue;
    }
    slot.documents++;
    slot.heldBytes = reply.heldBytes;
    if (reply.ok) return { file, content: reply.content, method: reply.method };
    if (reply.memory) {
      await lose(pool, slot);
      throw endError(pool, file, { limit: "memory", how: "" });
    }
    throw new RagctlError(reply.code, reply.message, reply.hint === undefined ? {} : { hint: reply.hint });
  }
}

/** Ends a process that is due, so that the next document starts with all of the memory. */
async function renew(pool: Pool, slot: Slot): Promise<void> {
  const { documentsPerWorker = 1000 } = pool.options;
  const isFull = slot.heldBytes > pool.limits.fullBytes;
  const isDue = slot.process !== undefined && (isFull || slot.documents >= documentsPerWorker);
  if (isDue && !pool.closed) pool.counts.workersReplaced++;
  if (pool.closed || isDue) await drop(slot);
}

/**
 * Opens processes for parsing; each starts with its first document. A document that kills its process fails
 * alone.
 */
export function openParserPool(options: ParserPoolOptions): ParserPool {
  const workers = Math.max(1, options.workers);
  const all: Slot[] = [];
  const free: Slot[] = [];
  const addSlot = (): Slot => {
    const slot = { process: undefined, documents: 0, heldBytes: 0 };
    all.push(slot);
    return slot;
  };
  const turns = createSemaphore(workers);
  const counts = { active: 0, peakActive: 0, workersLost: 0, workersReplaced: 0 };
  const pool: Pool = { options, limits: limitsOf(options), counts, closed: false };
  return {
    async parse(file, signal) {
      const endTurn = await turns.take(signal);
      const slot = free.pop() ?? addSlot();
      counts.peakActive = Math.max(counts.peakActive, ++counts.active);
      try {
        return await parseIn(pool, slot, file, signal);
      } finally {
        counts.active--;
        await renew(pool, slot);
        free.push(slot);
        endTurn();
      }
    },
    workers,
    counts,
    async [Symbol.asyncDispose]() {
      pool.closed = true;
      await Promise.all(all.map(drop));
    },
  };
}
