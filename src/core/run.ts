/**
 * Door for log events; one event per phase. Field names carry their unit: `duration_ms`, `size_bytes`,
 * `token_count`.
 */
export interface Logger {
  event(name: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What one phase did. `durationMs` is wall time inside the phase, summed over its items. */
export interface PhaseMetrics {
  readonly phase: string;
  readonly durationMs: number;
  /** Counts by name with unit, e.g. `{ documents: 3, chunks: 120, tokens: 40000, bytes: 1e6 }`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One invocation: its id, who asks, its cancellation, its log. Passed as the last argument, never global. */
export interface Run {
  readonly id: string;
  /** Name of the principal whose permissions hold. */
  readonly principal: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * What work gives, unless the signal ends first, or has ended: then its reason is thrown, and the work, which
 * may not be able to stop, is no longer waited for.
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
