import { type ErrorCode, RagctlError } from "../../core/errors.ts";
import type { UnavailableCollection } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";

/** Errors of one collection's store or model, which do not affect other collections. */
const ofOneCollection: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["NOT_FOUND", "STORE_BUSY", "STORE_UNAVAILABLE", "STORE_FAILED", "HOST_UNAVAILABLE"] as const),
  ...(["RUNTIME_MISSING", "MODEL_MISSING", "MODEL_UNREADABLE", "FINGERPRINT_MISMATCH"] as const),
]);

/** Whether an error means that one collection, or its store, is unavailable. */
export function isUnavailable(error: unknown): error is RagctlError {
  return error instanceof RagctlError && ofOneCollection.has(error.code);
}

/** An unavailable collection, in the form of the result. */
export function toUnavailableCollection(
  collection: string,
  { code, message, hint = "" }: RagctlError,
): UnavailableCollection {
  return { collection, code, reason: message, hint };
}

/** A collection that could not be searched, by display name. */
interface Lost {
  readonly collection: string;
  readonly error: RagctlError;
}

/**
 * The error to raise if no collection could be used: the one they share, or one that names each with its
 * reason.
 */
function noneAvailable(lost: readonly Lost[]): RagctlError {
  const [first] = lost;
  if (first === undefined) throw new TypeError("no collection was asked");
  if (lost.every(({ error }) => error.code === first.error.code && error.message === first.error.message))
    return first.error;
  const reasons = lost.map(({ error }) => error.message).join("; ");
  const hint = first.error.hint ?? "run: ragctl doctor";
  return new RagctlError(
    "STORE_UNAVAILABLE",
    `none of the ${lost.length} collections can be searched: ${reasons}`,
    {
      hint,
      cause: first.error,
    },
  );
}

/** The result of the work, or the error that makes one collection unavailable; other errors are thrown. */
export async function catchUnavailable<T>(work: () => Promise<T>, run: Run): Promise<T | RagctlError> {
  try {
    return await work();
  } catch (error) {
    run.signal.throwIfAborted();
    if (isUnavailable(error)) return error;
    throw error;
  }
}

/**
 * Separates results from collections that could not be searched; `collections` has their names in the same
 * order. @throws the error of one if none succeeded
 */
export function partition<T>(
  searched: readonly (T | RagctlError)[],
  collections: readonly string[],
): { readonly answered: readonly T[]; readonly lost: readonly Lost[] } {
  const answered = searched.flatMap((each) => (each instanceof RagctlError ? [] : [each]));
  const lost = collections.flatMap((collection, at) => {
    const error = searched[at];
    return error instanceof RagctlError ? [{ collection, error }] : [];
  });
  if (lost.length > 0 && answered.length === 0) throw noneAvailable(lost);
  return { answered, lost };
}
