import type { RagctlError } from "./errors.ts";

/** One failed item; it remains in the stream so that the rest can continue. */
export interface Failure {
  readonly failed: true;
  /** Path or name of the document. */
  readonly name: string;
  /** Absolute path, where known. */
  readonly path?: string;
  readonly phase: string;
  readonly error: RagctlError;
}

/** Bytes from outside, and their name in messages. */
export interface NamedBytes {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Items moving through the pipeline, one awaited at a time. */
export type Flow<T> = AsyncIterable<T | Failure>;

/** Whether an item of a flow is a failure travelling as a value. */
export function isFailure(item: unknown): item is Failure {
  return typeof item === "object" && item !== null && "failed" in item && item.failed === true;
}

/** The items that `keep` says yes to, asked one after the other. */
export async function filterAsync<T>(
  items: readonly T[],
  keep: (item: T) => Promise<boolean>,
): Promise<readonly T[]> {
  const kept: T[] = [];
  for (const item of items) if (await keep(item)) kept.push(item);
  return kept;
}

/** Whether `holds` for one of the items; asks no further than that. */
export async function someAsync<T>(
  items: readonly T[],
  holds: (item: T) => Promise<boolean>,
): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}
