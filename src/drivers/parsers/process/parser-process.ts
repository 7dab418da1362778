import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { nodeFlags } from "../../../core/remote.ts";
import type { PageLimit } from "../pages.ts";
import { noticeDescriptor, type ParseNotice, type ParseReply, type ParseRequest } from "./messages.ts";
import { resolveSiblingModule } from "./sibling.ts";

/** How a process ended before it answered. */
export interface ParseEnd {
  /** Undefined where it was killed or failed by itself; `silence` where it did not respond. */
  readonly limit: PageLimit | "silence" | undefined;
  /** Page it was at; 0: none. */
  readonly page: number;
  /** Pages of the document; 0 where that was not known yet. */
  readonly pages: number;
  /** Resident memory when it came to the page, beyond the idle process's, bytes. */
  readonly heldBytes: number;
  /** Processor time that the document took as last reported, without its OCR, milliseconds. */
  readonly spentMs: number;
  /** In words. */
  readonly how: string;
}

/** A process that parses one document at a time. */
export interface ParserProcess {
  readonly isAlive: boolean;
  /**
   * Returns the reply, or how the process ended. Rejects with the reason of the signal, which ends the
   * process at once.
   */
  ask(request: ParseRequest, signal: AbortSignal): Promise<ParseReply | ParseEnd>;
  /** Resolves when it is gone. */
  end(): Promise<void>;
}

export interface ParserProcessOptions {
  /** Largest heap of its JavaScript, MiB. */
  readonly heapMb: number;
  readonly lowPriority: boolean;
  /** Longest time without a response, on a clock, milliseconds. */
  readonly silenceMs: number;
}

/** Bytes of its complaints that are kept: V8 says in its last lines that the heap was full. */
const keptComplaint = 4000;

/**
 * Settings of glibc's allocator, which other systems ignore: without them memory freed by image decoders
 * remains with the process, 200 MiB after a few scanned pages.
 */
const allocator = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: String(1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024),
};

/** stdout is discarded and stderr is kept: libraries may print, the result and the log are ours. */
function forkParser({ heapMb, lowPriority }: ParserProcessOptions): ChildProcess {
  const heap = `--max-old-space-size=${Math.max(32, Math.round(heapMb))}`;
  const compiled = getCompileCacheDir(); // To compile its modules is half of what it takes to start.
  return fork(fileURLToPath(resolveSiblingModule("parse-worker")), lowPriority ? ["--low-priority"] : [], {
    execArgv: [heap, ...nodeFlags, "--disable-warning=ExperimentalWarning"],
    env: { ...allocator, TMPDIR: tmpdir(), NODE_COMPILE_CACHE: compiled && dirname(compiled) },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
  });
}

/** A child process with its output. */
interface Child {
  readonly forked: ChildProcess;
  /** Resolves with how it ended, in words. */
  readonly gone: Promise<string>;
  /** The last of what it wrote to stderr. */
  complaint(): string;
  /** One notice a line. */
  readonly lines: Interface;
  /** Whether this process waits for it. */
  hold(held: boolean): void;
}

function startChild(options: ParserProcessOptions): Child {
  const child = forkParser(options);
  const gone = new Promise<string>((resolve) => {
    child.once("close", (status, signal) =>
      resolve(signal === null ? `status ${status}` : `signal ${signal}`),
    );
    child.once("error", (error) => resolve(error.message));
  });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-keptComplaint);
  });
  // The fifth of the descriptors above is a pipe, which is read here.
  const notices = child.stdio[noticeDescriptor] as Readable;
  const lines = createInterface({ input: notices });
  const hold = (held: boolean): void => {
    const act = held ? "ref" : "unref";
    child[act]();
    child.channel?.[act]();
    for (const pipe of [child.stderr, notices]) if (pipe instanceof Socket) pipe[act]();
  };
  hold(false);
  return { forked: child, gone, complaint: () => complaint, lines, hold };
}

/** Has a child parse one document. */
async function ask(
  { forked: child, gone, complaint, lines, hold }: Child,
  request: ParseRequest,
  silenceMs: number,
  signal: AbortSignal,
): Promise<ParseReply | ParseEnd> {
  const at = { limit: undefined as ParseEnd["limit"], page: 0, pages: 0, heldBytes: 0, spentMs: 0 };
  const { promise, resolve, reject } = Promise.withResolvers<ParseReply | ParseEnd>();
  const timer = setTimeout(() => {
    at.limit = "silence";
    child.kill("SIGKILL");
  }, silenceMs);
  const onLine = (line: string): void => {
    timer.refresh();
    // Only our own code writes there.
    Object.assign(at, JSON.parse(line) as ParseNotice);
  };
  const onMessage = (message: unknown): void => {
    // The child says when it is ready, and then only answers.
    if (message !== "ready") resolve(message as ParseReply);
  };
  const onAbort = (): void => {
    child.kill("SIGKILL");
    reject(signal.reason);
  };
  void gone.then((how) => {
    if (/heap out of memory|Array buffer allocation failed/i.test(complaint())) at.limit ??= "memory";
    resolve({ ...at, how });
  });
  hold(true);
  lines.on("line", onLine);
  child.on("message", onMessage);
  signal.addEventListener("abort", onAbort, { once: true });
  child.send(request, () => undefined);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    lines.off("line", onLine);
    child.off("message", onMessage);
    hold(false);
  }
}

/** Starts a process for parsing. */
export function startParserProcess(options: ParserProcessOptions): ParserProcess {
  const child = startChild(options);
  return {
    get isAlive() {
      return child.forked.connected && child.forked.exitCode === null && child.forked.signalCode === null;
    },
    ask: (request, signal) => ask(child, request, options.silenceMs, signal),
    async end() {
      child.forked.kill("SIGKILL");
      child.hold(true);
      await child.gone;
    },
  };
}
