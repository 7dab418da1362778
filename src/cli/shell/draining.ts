import type { Output } from "./output.ts";

/**
 * Signals nearer to each other than this are one, ms: a service manager sends its own to every process of a
 * command.
 */
const onceMs = 500;

/** A command that ends in its own time after the first signal. */
export function createDrainable() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isUsed = false;
  let sinceMs: number | undefined;
  return {
    /** Waits for the first signal, then for `close`. */
    async drain(close: () => Promise<void>, output: Pick<Output, "note">): Promise<void> {
      isUsed = true;
      await promise;
      output.note("stopping after the work in progress; press Ctrl-C again to stop immediately");
      await close();
    },
    /** Whether a signal is the first one of a command that drains. */
    begins(): boolean {
      if (!isUsed) return false;
      sinceMs ??= performance.now();
      resolve();
      return performance.now() - sinceMs < onceMs;
    },
  };
}
