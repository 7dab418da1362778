import { closeSync, openSync } from "node:fs";
import { pino } from "pino";
import { redactCredentials } from "./core/address.ts";
import { RagctlError } from "./core/errors.ts";
import type { Logger } from "./core/run.ts";

export interface LogOptions {
  /** JSON lines on stderr instead of short text. */
  readonly jsonLogs: boolean;
  /** Also append JSON lines to this file, made 0600 where it is missing. */
  readonly file?: string;
  /** Least severe line that is written; events are `info`, warnings `warn`. */
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
  readonly runId: string;
  /** Where text and JSON lines go. Default: stderr of the process. */
  readonly stderr?: { write(text: string): unknown };
}

/** A logger that owns its file. */
export interface OpenLogger extends Logger, Disposable {
  /** Writes what is pending and closes the file; again: nothing. */
  close(): void;
}

const secretNames = new Set([
  "token",
  "secret",
  "password",
  "passwd",
  "passphrase",
  "authorization",
  "cookie",
  "credential",
  "credentials",
  "apikey",
]);

/**
 * Whether a field's last word names a secret: `milvus_token` and `apiKey` do, `token_count` and `tokens` do
 * not.
 */
function isSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const last = words.at(-1) ?? "";
  return (
    secretNames.has(last) ||
    (last === "key" && ["api", "access", "private", "secret"].includes(words.at(-2) ?? ""))
  );
}

/**
 * A value fit for a JSON line: secrets covered, credentials cut out of addresses, vectors and cycles not
 * spelled out.
 */
function safe(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactCredentials(value);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 6) return "[…]";
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof RagctlError)
    return safe({ code: value.code, message: value.message, hint: value.hint }, depth);
  if (value instanceof Error) return { message: safe(value.message, depth) };
  if (value instanceof Date) return value.toJSON();
  if (value instanceof Set || value instanceof Map) return safe([...value], depth);
  if (Array.isArray(value)) return value.map((item) => safe(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, isSecret(key) ? "***" : safe(field, depth + 1)]),
  );
}

const phaseNames: Readonly<Record<string, string>> = {
  bytes: "input_size_bytes",
  documents: "document_count",
  chunks: "chunk_count",
  vectors: "vector_count",
  tokens: "token_count",
  pages: "page_count",
  hits: "hit_count",
  candidates: "candidate_count",
  passages: "passage_count",
};

const latencyNames: Readonly<Record<string, string>> = {
  retrieve: "retrieval_latency_ms",
  generate: "generation_latency_ms",
};

/** Counts of a phase under the names of docs/reference/metrics.md; a count without a published name keeps its own. */
function phaseFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { phase: _, duration_ms: took, errors: __, ...counts } = fields;
  const [first = 0] = Object.values(counts);
  const named: Record<string, unknown> = {
    errors: 0,
    latency_ms: took,
    input_size: counts["bytes"] ?? first,
  };
  for (const [name, value] of Object.entries(fields)) {
    const snake = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
    named[Object.hasOwn(phaseNames, name) ? (phaseNames[name] ?? name) : snake] = value;
  }
  const phase = String(named["phase"]);
  const latency = Object.hasOwn(latencyNames, phase) ? latencyNames[phase] : undefined;
  return latency === undefined ? named : { ...named, [latency]: named["duration_ms"] };
}

/** Text of unknown origin (file names, server messages) without what could steer a terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ").slice(0, 2000);
}

/** Why the system does not let a log file be written, by the code of its error. */
const unwritten: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder does not exist",
  EISDIR: "is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
};

/** Why a log file cannot be written, without what the system adds for programmers. */
function whyUnwritten(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return unwritten[code] ?? (code === "" ? String(cause) : code);
}

type FileSink = { readonly write: (line: string) => void; readonly close: () => void };

function openFile(path: string, onFailure: (reason: string) => void): FileSink {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (cause) {
    throw new RagctlError("CONFIG_INVALID", `cannot write the log file ${path}: ${whyUnwritten(cause)}`, {
      hint: "choose another with --log-file",
      cause,
    });
  }
  const destination = pino.destination({ dest: path, sync: true, append: true });
  const state = { broken: false, closed: false };
  destination.on("error", (error: Error) => {
    if (!state.broken) onFailure(`no longer writing the log file ${path}: ${whyUnwritten(error)}`);
    state.broken = true;
  });
  return {
    write(line) {
      if (!state.broken && !state.closed) destination.write(line);
    },
    close() {
      if (state.closed) return;
      state.closed = true;
      if (state.broken) destination.destroy();
      else destination.end();
    },
  };
}

/**
 * Opens the log of one run. Every JSON line has `time` (ISO 8601), `level`, `run` and `event` or `message`;
 * docs/reference/metrics.md is the contract. Without `jsonLogs` only warnings reach stderr, as one line of text each.
 * @throws CONFIG_INVALID when the file cannot be opened
 */
export function openLog(options: LogOptions): OpenLogger {
  const { stderr = process.stderr } = options;
  const say = (message: string): void => {
    stderr.write(`warning: ${printable(message)}\n`);
  };
  const file = options.file === undefined ? undefined : openFile(options.file, say);
  const logger = pino(
    {
      level: options.level,
      base: { run: options.runId },
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line: string) {
        if (options.jsonLogs) stderr.write(line);
        file?.write(line);
      },
    },
  );
  const cleaned = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, isSecret(key) ? "***" : safe(value, 0)]),
    );
  const close = (): void => file?.close();
  return {
    event(name, fields = {}) {
      logger.info({ event: name, ...cleaned(name === "phase" ? phaseFields(fields) : fields) });
    },
    warn(message, fields = {}) {
      if (!options.jsonLogs && logger.isLevelEnabled("warn")) say(String(safe(message, 0)));
      logger.warn({ ...cleaned(fields), event: "warning" }, String(safe(message, 0)));
    },
    close,
    [Symbol.dispose]: close,
  };
}
