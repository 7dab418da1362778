/** So many at a time, in the order asked. */
export interface Turns {
  /**
   * Waits for a turn; the value ends it. `onWait` receives the number of requests ahead whenever it changes,
   * and 0 when the turn has come. A caller that aborts leaves the queue at once. @throws the signal's reason
   */
  take(signal: AbortSignal, onWait?: (ahead: number) => void): Promise<() => void>;
}

interface Waiter {
  readonly start: () => void;
  readonly onWait: ((ahead: number) => void) | undefined;
}

/** Opens an empty queue for `most` at a time. */
export function createSemaphore(most = 1): Turns {
  let busy = 0;
  const waiting: Waiter[] = [];
  const tell = (): void => {
    for (const [at, { onWait }] of waiting.entries()) onWait?.(at + 1);
  };
  const end = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next.start();
    tell();
  };
  /** A turn ends once. */
  const turn = (): (() => void) => {
    let isOver = false;
    return () => {
      if (!isOver) end();
      isOver = true;
    };
  };
  return {
    async take(signal, onWait) {
      signal.throwIfAborted();
      if (busy < most) {
        busy += 1;
        return turn();
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiter: Waiter = { onWait, start: () => resolve(turn()) };
      const leave = (): void => {
        const at = waiting.indexOf(waiter);
        if (at < 0) return;
        waiting.splice(at, 1);
        tell();
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      const ahead = waiting.push(waiter);
      onWait?.(ahead);
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", leave);
        if (!signal.aborted) onWait?.(0);
      }
    },
  };
}
