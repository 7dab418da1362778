/*
 * The protocol between a command line and the process that runs it for the caller, each message one line of
 * JSON: the request, then frames in both directions until the connection ends.
 */

/** One of the caller's streams. */
export interface RemoteStream {
  readonly isTerminal: boolean;
  /** 0 where it is no terminal. */
  readonly columns: number;
}

/** A command line with everything that its outcome depends on. */
export interface RemoteRequest {
  readonly request: "run";
  /** The program that asks: another one is not served. */
  readonly program: string;
  readonly argv: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: { readonly isTerminal: boolean };
  readonly output: RemoteStream;
  /** `colors`: whether the caller's terminal, NO_COLOR and FORCE_COLOR ask for them. */
  readonly error: RemoteStream & { readonly colors: boolean };
}

/** From the caller. */
export type CallerFrame =
  | { readonly signal: "SIGINT" | "SIGTERM" }
  /** Base64 of a chunk of standard input; null at its end. */
  | { readonly input: string | null }
  /** The terminal's new width. */
  | { readonly columns: number };

/** To the caller. */
export type RemoteFrame =
  /** The request was read: the process is there and answers. */
  | { readonly hello: number }
  /** The command must run in the caller's own process. Nothing was done or printed. */
  | { readonly decline: string }
  | { readonly out: string }
  | { readonly err: string }
  /** The command waits for standard input. */
  | { readonly read: true }
  /** Keys one by one instead of whole lines. */
  | { readonly raw: boolean }
  /** A signal ended only a part of the work. */
  | { readonly goesOn: true }
  /** The end, with the exit status. */
  | { readonly exit: number };

/**
 * Commands that the resident process runs: those that use models, end with their caller and change only the
 * home.
 */
export const residentCommands: readonly string[] = [
  "search",
  "ask",
  "chat",
  "verify",
  "ingest",
  "sync",
  "mcp",
];

/**
 * Variables that a process takes effect from as it starts, or that a library in it reads: they cannot be
 * given to one command alone.
 */
const processWide =
  /^(HOME|TMPDIR|TMP|TEMP|LANG|LANGUAGE|TZ|(LC|NODE|LD|DYLD|UV|ICU|OPENSSL|SSL|CUDA|NVIDIA|HIP|ROCR|VK|GGML|LLAMA|ORT|OMP|GOMP|KMP|MKL|OPENBLAS|MALLOC|GLIBC|OTEL)_.*)$/;

/**
 * Variables that no command depends on, for all that ragctl writes is in a locale that it names. Assistants
 * start their servers without those of the terminal.
 */
export const localeVariable = /^(LANG|LANGUAGE|LC_.*)$/;

/** Set by ragctl itself in every process that loads a model: callers need not agree on it. */
const setByRagctl = "ORT_DISABLE_TELEMETRY";

/**
 * The variables of an environment that hold for a whole process. Two commands that differ in them do not
 * share one.
 */
export function processEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment)
      .filter((entry): entry is [string, string] => entry[1] !== undefined && processWide.test(entry[0]))
      .filter(([name]) => name !== setByRagctl)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * Flags of Node for a process whose work may be long. The largest half of V8's young generation, MiB: by
 * itself V8 lets it grow to 64 and seldom gives it back; an ingest takes the same processor time without.
 * Patterns are compiled once instead of twice, to bytecode first: half the time of a second search.
 */
export const nodeFlags: readonly string[] = ["--max-semi-space-size=4", "--no-regexp-tier-up"];
