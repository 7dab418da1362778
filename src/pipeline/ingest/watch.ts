import { basename, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface WatchOptions {
  /** A change is reported after this much time without another one, ms. Default 300. */
  readonly quietMs?: number;
  /** At the latest this long after the first one, ms. Default 2000. */
  readonly longestMs?: number;
}

const rules = new Set([".gitignore", ".ragctlignore"]);

/** Watches for changes below a folder since the last call of `next`. */
export interface FolderWatch extends AsyncDisposable {
  /** Resolves once changes have settled, or after `timeoutMs`; true if there were any. */
  next(signal: AbortSignal, timeoutMs?: number): Promise<boolean>;
}

/**
 * Watches a folder and everything below it, except hidden entries; ignore files are not applied. Resolves
 * when the watch is complete.
 */
export async function watchFolder(
  folder: string,
  { quietMs = 300, longestMs = 2000 }: WatchOptions = {},
): Promise<FolderWatch> {
  const { watch } = await import("chokidar");
  const hidden = (path: string): boolean =>
    path !== folder &&
    !rules.has(basename(path)) &&
    relative(folder, path)
      .split(sep)
      .some((part) => part.startsWith(".") || part.startsWith("~$"));
  const watcher = watch(folder, { ignored: hidden, ignoreInitial: true, followSymlinks: false });
  const state = { firstMs: 0, lastMs: 0, wake: Promise.withResolvers<void>() };
  watcher.on("all", () => {
    const time = performance.now();
    if (state.firstMs === 0) state.firstMs = time;
    state.lastMs = time;
    state.wake.resolve();
  });
  // The sync reports an unreadable folder; the rest is still watched.
  watcher.on("error", () => undefined);
  await new Promise<void>((resolve) => watcher.once("ready", () => resolve()));
  return {
    async next(signal, timeoutMs) {
      const timer = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const ended = timer === undefined ? signal : AbortSignal.any([signal, timer]);
      const { promise, resolve } = Promise.withResolvers<void>();
      const onEnd = (): void => resolve();
      ended.addEventListener("abort", onEnd, { once: true });
      if (ended.aborted) resolve();
      await Promise.race([state.wake.promise, promise]);
      ended.removeEventListener("abort", onEnd);
      signal.throwIfAborted();
      if (state.firstMs === 0) return false;
      while (performance.now() - state.lastMs < quietMs && performance.now() - state.firstMs < longestMs)
        await sleep(20, undefined, { signal });
      state.firstMs = 0;
      state.wake = Promise.withResolvers<void>();
      return true;
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  };
}
