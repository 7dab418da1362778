import { RagctlError } from "../core/errors.ts";
import { closeConnectionError } from "./failure.ts";

/** Deepest nesting of arrays and objects in a body. */
const deepest = 32;

/**
 * A body declared larger than the limit, up to this many times, is read to its end and dropped, so that its
 * connection can be reused.
 */
const droppedTimes = 8;

/** How long a JSON body may take to come, ms. */
const longestMs = 30_000;

/** Essence of a content type: `application/json; charset=utf-8` → `application/json`. */
export const mediaTypeOf = (request: Request): string =>
  (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/**
 * The JSON of a request's body. @throws REQUEST_UNSUPPORTED for another content type, coding or charset,
 * REQUEST_TOO_LARGE, and REQUEST_INVALID for invalid JSON or UTF-8, too deep nesting, a NUL, or a body that
 * takes longer than `limitMs`
 */
export async function readJson(
  request: Request,
  limitBytes: number,
  limitMs: number = longestMs,
): Promise<unknown> {
  const type = mediaTypeOf(request);
  if (type !== "application/json")
    throw new RagctlError(
      "REQUEST_UNSUPPORTED",
      `the body has ${type === "" ? "no content type" : `the content type ${type}`} instead of application/json`,
      {
        hint: "send the header Content-Type: application/json",
      },
    );
  checkEncoding(request);
  return jsonFrom(decoded(await readBytes(request, limitBytes, limitMs)), "the body");
}

/** Only plain UTF-8 is read. @throws REQUEST_UNSUPPORTED */
function checkEncoding({ headers }: Request): void {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity")
    throw new RagctlError("REQUEST_UNSUPPORTED", `the body is encoded as ${coding.slice(0, 40)}`, {
      hint: "send it uncompressed, without the header Content-Encoding",
    });
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers.get("content-type") ?? "")?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new RagctlError("REQUEST_UNSUPPORTED", `the body is in ${charset.slice(0, 40)}, not UTF-8`, {
    hint: "send the header Content-Type: application/json; charset=utf-8",
  });
}

/** The JSON of a text; `what` names it. @throws REQUEST_INVALID as `readJson` */
export function jsonFrom(text: string, what: string): unknown {
  const value = parsed(text, what);
  if (nesting(text) > deepest) throw invalidJsonError(`it is nested more than ${deepest} levels deep`, what);
  if (text.includes("\\u0000") && holdsNul(value))
    throw invalidJsonError("it contains a NUL character", what);
  return value;
}

/** The whole body, in memory. @throws REQUEST_TOO_LARGE, REQUEST_INVALID for one that takes too long */
async function readBytes(request: Request, limitBytes: number, limitMs: number): Promise<Uint8Array> {
  const refusal = [
    "REQUEST_TOO_LARGE",
    `the body is larger than ${limitBytes} bytes`,
    "send less at a time; upload files with POST /v1/documents",
  ] as const;
  const declaredBytes = Number(request.headers.get("content-length") ?? 0);
  if (declaredBytes > droppedTimes * limitBytes) throw closeConnectionError(...refusal);
  const parts: Uint8Array[] = [];
  let size = 0;
  const late = AbortSignal.timeout(limitMs);
  const body = request.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal: late });
  try {
    // A body that is cancelled takes its connection with it before the answer is written.
    for await (const part of body?.values({ preventCancel: true }) ?? []) {
      size += part.length;
      if (size <= limitBytes) parts.push(part);
      // Without a declared size the length of the rest is unknown.
      else if (declaredBytes === 0) throw closeConnectionError(...refusal);
    }
  } catch (error) {
    if (late.aborted)
      throw invalidJsonError(`it did not arrive within ${limitMs / 1000} s`, "the body", error);
    throw error;
  }
  const [code, message, hint] = refusal;
  if (size > limitBytes) throw new RagctlError(code, message, { hint });
  return Buffer.concat(parts);
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidJsonError("it is not UTF-8", "the body", cause);
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidJsonError("it is not JSON", what, cause);
  }
}

/** How deep the brackets of a valid JSON text nest, those within strings left out. */
function nesting(text: string): number {
  let [depth, most, quoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === "\\") at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "[" || character === "{")) most = Math.max(most, ++depth);
    else if (!quoted && (character === "]" || character === "}")) depth--;
  }
  return most;
}

/** Whether a text in it, or a name, has a NUL character; only for values that are not deeply nested. */
function holdsNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, each]) => name.includes("\0") || holdsNul(each));
}

/** The refusal of what cannot be read as JSON; `what` names it. */
export function invalidJsonError(reason: string, what: string, cause?: unknown): RagctlError {
  return new RagctlError("REQUEST_INVALID", `cannot read ${what}: ${reason}`, {
    hint: "/openapi.json describes every request",
    cause,
  });
}
