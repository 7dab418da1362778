import { asRagctlError, type ErrorCode, errorTable, RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { errorShape } from "../shapes/error.ts";
import { json } from "./reply.ts";

/** How long to wait after RATE_LIMITED, as the error carries it. */
interface Wait {
  readonly retryAfterSeconds: number;
}

/** RATE_LIMITED, with the seconds after which it is worth another try. */
export function rateLimitedError(message: string, retryAfterSeconds: number): RagctlError {
  const hint = `try again in ${retryAfterSeconds} s`;
  return new RagctlError("RATE_LIMITED", message, { hint, cause: { retryAfterSeconds } satisfies Wait });
}

/** Carried by the refusal of a request that is not read to its end. */
interface Unread {
  readonly isUnread: true;
}

/** A refusal with which the connection ends, because the rest of the request is not read. */
export function closeConnectionError(code: ErrorCode, message: string, hint: string): RagctlError {
  return new RagctlError(code, message, {
    hint: `${hint}; the connection is closed`,
    cause: { isUnread: true } satisfies Unread,
  });
}

const isUnread = ({ cause }: RagctlError): boolean =>
  typeof cause === "object" && cause !== null && "isUnread" in cause;

function waitOf({ cause }: RagctlError): Readonly<Record<string, string>> {
  if (typeof cause !== "object" || cause === null || !("retryAfterSeconds" in cause)) return {};
  return { "retry-after": String(cause.retryAfterSeconds) };
}

/** Headers that some errors must have. */
function headersOf(error: RagctlError): Readonly<Record<string, string>> {
  if (error.code === "RATE_LIMITED") return waitOf(error);
  if (isUnread(error)) return { connection: "close" };
  return error.code === "SIGN_IN_REQUIRED" ? { "www-authenticate": 'Bearer realm="ragctl"' } : {};
}

/**
 * The error as a client may see it: what ragctl did not raise itself stays in the log, under the id of the
 * run.
 */
export function publicError(
  thrown: unknown,
  run: Pick<Run, "id" | "log"> & Partial<Pick<Run, "signal">>,
): RagctlError {
  const error = asRagctlError(thrown);
  // The client of an aborted request does not wait for the error, and it is not a fault of the server.
  if (error.code !== "INTERNAL" || run.signal?.aborted === true) return error;
  run.log.warn(`request ${run.id} failed: ${error.message}`);
  return new RagctlError("INTERNAL", "the server failed to answer this request", {
    hint: `the server's log has the reason under ${run.id}`,
  });
}

/** HTTP status of an error; an answer that only was refused is none. */
export const statusOf = (code: ErrorCode): number => errorTable[code].http;

/** Response to a request that failed. */
export function errorResponse(error: RagctlError, openAi = false): Response {
  const status = statusOf(error.code);
  return json(openAi ? openAiError(error) : errorShape(error), status, headersOf(error));
}

/** Carried by an error that clients of OpenAI's API know by a code of their own. */
export interface OpenAiCode {
  readonly openAiCode: string;
}

const openAiCodeOf = ({ code, cause }: RagctlError): string =>
  typeof cause === "object" && cause !== null && "openAiCode" in cause
    ? String(cause.openAiCode)
    : code.toLowerCase();

/** An error as clients of OpenAI's API read it. */
export function openAiError(error: RagctlError) {
  const { code, message, hint } = error;
  const type = statusOf(code) < 500 ? "invalid_request_error" : "server_error";
  const text = hint === undefined ? message : `${message} (${hint})`;
  return { error: { message: text, type, param: null, code: openAiCodeOf(error) } };
}
