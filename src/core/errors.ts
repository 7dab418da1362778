import { redactCredentials } from "./address.ts";

/**
 * Every failure ragctl raises on purpose. `scope` says what it stops: one document, or the whole run. `exit`
 * is the process status, `http` the response status; both are part of the interface
 * (docs/reference/errors.md).
 */
const codes = {
  INTERNAL: { scope: "run", exit: 1, http: 500 },
  USAGE_INVALID: { scope: "run", exit: 2, http: 400 },
  CONFIG_INVALID: { scope: "run", exit: 2, http: 400 },
  CONFIG_UNTRUSTED: { scope: "run", exit: 2, http: 400 },
  NOT_FOUND: { scope: "run", exit: 3, http: 404 },
  COLLECTION_EMPTY: { scope: "run", exit: 3, http: 404 },
  PERMISSION_DENIED: { scope: "run", exit: 4, http: 403 },
  EVIDENCE_MISSING: { scope: "run", exit: 5, http: 200 },
  ANSWER_UNVERIFIED: { scope: "run", exit: 6, http: 200 },
  QUESTION_VAGUE: { scope: "run", exit: 9, http: 200 },
  GATE_FAILED: { scope: "run", exit: 10, http: 409 },
  MODEL_MISSING: { scope: "run", exit: 7, http: 503 },
  RUNTIME_MISSING: { scope: "run", exit: 7, http: 503 },
  NETWORK_UNAVAILABLE: { scope: "run", exit: 7, http: 503 },
  DOWNLOAD_FAILED: { scope: "run", exit: 7, http: 502 },
  HASH_MISMATCH: { scope: "run", exit: 7, http: 502 },
  MODEL_UNREADABLE: { scope: "run", exit: 1, http: 500 },
  STORE_BUSY: { scope: "run", exit: 8, http: 503 },
  STORE_UNAVAILABLE: { scope: "run", exit: 1, http: 503 },
  STORE_FAILED: { scope: "run", exit: 1, http: 500 },
  HOST_UNAVAILABLE: { scope: "run", exit: 1, http: 503 },
  FINGERPRINT_MISMATCH: { scope: "run", exit: 1, http: 409 },
  REGISTRY_CORRUPT: { scope: "run", exit: 1, http: 500 },
  REGISTRY_BUSY: { scope: "run", exit: 8, http: 503 },
  REGISTRY_UNAVAILABLE: { scope: "run", exit: 1, http: 503 },
  DISK_FULL: { scope: "run", exit: 1, http: 507 },
  SOME_DOCUMENTS_FAILED: { scope: "run", exit: 1, http: 207 },
  TOOL_INVALID: { scope: "run", exit: 2, http: 400 },
  TOOL_FAILED: { scope: "run", exit: 1, http: 502 },
  TOOL_TIMEOUT: { scope: "run", exit: 1, http: 504 },
  TOOL_REFUSED: { scope: "run", exit: 4, http: 403 },
  PROVIDER_UNAVAILABLE: { scope: "run", exit: 7, http: 503 },
  PROVIDER_FAILED: { scope: "run", exit: 7, http: 502 },
  JOB_FAILED: { scope: "run", exit: 1, http: 500 },
  SIGN_IN_REQUIRED: { scope: "run", exit: 4, http: 401 },
  REQUEST_REFUSED: { scope: "run", exit: 4, http: 403 },
  REQUEST_INVALID: { scope: "run", exit: 2, http: 400 },
  REQUEST_TOO_LARGE: { scope: "run", exit: 2, http: 413 },
  REQUEST_UNSUPPORTED: { scope: "run", exit: 2, http: 415 },
  METHOD_UNSUPPORTED: { scope: "run", exit: 2, http: 405 },
  RATE_LIMITED: { scope: "run", exit: 8, http: 429 },
  SERVER_BUSY: { scope: "run", exit: 8, http: 503 },
  SOURCE_MISSING: { scope: "document", exit: 3, http: 404 },
  SOURCE_UNSUPPORTED: { scope: "document", exit: 1, http: 415 },
  SOURCE_IGNORED: { scope: "document", exit: 1, http: 422 },
  SOURCE_MISMATCHED: { scope: "document", exit: 1, http: 415 },
  SOURCE_UNREADABLE: { scope: "document", exit: 1, http: 422 },
  SOURCE_DAMAGED: { scope: "document", exit: 1, http: 422 },
  SOURCE_ENCRYPTED: { scope: "document", exit: 1, http: 422 },
  SOURCE_EMPTY: { scope: "document", exit: 1, http: 422 },
  SOURCE_NEEDS_OCR: { scope: "document", exit: 1, http: 422 },
  SOURCE_TOO_LARGE: { scope: "document", exit: 1, http: 413 },
  SOURCE_CHANGED: { scope: "document", exit: 1, http: 409 },
  SOURCE_OUTSIDE: { scope: "document", exit: 1, http: 403 },
  SOURCE_SPECIAL: { scope: "document", exit: 1, http: 422 },
  PARSER_TIMEOUT: { scope: "document", exit: 1, http: 422 },
  PARSER_MEMORY: { scope: "document", exit: 1, http: 422 },
} as const;

export type ErrorCode = keyof typeof codes;

/**
 * Whether the error says that a document exceeded its limits of time or memory, which may be otherwise the
 * next time.
 */
export function isLimit(code: string): boolean {
  return code === "PARSER_TIMEOUT" || code === "PARSER_MEMORY";
}

/** Whether the error concerns this question only, so that a batch may continue. */
export const isPerQuestionError = (code: ErrorCode): boolean => questionFaults.includes(code);
const questionFaults: readonly ErrorCode[] = [
  "USAGE_INVALID",
  "NOT_FOUND",
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_FAILED",
  "INTERNAL",
];

/** The published table: code → scope, exit status, HTTP status. */
export const errorTable: Readonly<
  Record<ErrorCode, { readonly scope: "run" | "document"; readonly exit: number; readonly http: number }>
> = codes;

/**
 * An error whose code, message and hint are part of the interface; addresses in them lose their credentials.
 */
export class RagctlError extends Error {
  override readonly name = "RagctlError";
  readonly code: ErrorCode;
  /** What the user can do next, in one sentence; printed under the message. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(redactCredentials(message), { cause: options.cause });
    this.code = code;
    this.hint = options.hint === undefined ? undefined : redactCredentials(options.hint);
  }

  get scope(): "run" | "document" {
    return codes[this.code].scope;
  }

  get exitStatus(): number {
    return codes[this.code].exit;
  }
}

/** How the file system and SQLite say that there is no room; EDQUOT: for this user, EFBIG: in this file. */
const fullCodes: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

/** Whether the file system or SQLite raised this because there is no room. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && fullCodes.includes(error.code);

/**
 * Any thrown value as a RagctlError; what ragctl did not raise itself becomes INTERNAL, a full disk
 * DISK_FULL.
 */
export function asRagctlError(error: unknown): RagctlError {
  if (error instanceof RagctlError) return error;
  // What the end of a block raised because of which its own error does not count.
  if (error instanceof SuppressedError) return asRagctlError(error.error);
  const cause = error instanceof Error ? error : new Error(String(error));
  if (isDiskFull(cause)) {
    const isFile = "code" in cause && cause.code === "EFBIG";
    const what = isFile ? "a file may not grow any further" : "the disk is full";
    const next = isFile ? "raise the limit on the size of files (ulimit -f)" : "free some space";
    const hint = `${next} and run the command again; it continues where it stopped`;
    return new RagctlError("DISK_FULL", `${what} (${cause.message})`, { hint, cause });
  }
  return new RagctlError("INTERNAL", cause.message, { cause });
}
