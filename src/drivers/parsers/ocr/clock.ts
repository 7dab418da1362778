import { maxWallToCpuRatio, processMs, threadMs } from "../processor-time.ts";

/** Limits the time of pages in the OCR threads. */
export interface OcrClock {
  /**
   * Calls `onLate` once a page has taken `limitMs` of processor time, or many times as long in wall-clock
   * time. Returns a function that ends the watch.
   */
  watch(limitMs: number, onLate: () => void): () => number;
}

/** Between two looks, ms. */
const lookMs = 100;

/**
 * Counts the processor time of this process outside this thread, in equal parts for the pages that are read
 * at the same time: everything other than parsing is OCR. `usedMs` is replaced by tests.
 */
export function createOcrTimer(usedMs: () => number = () => processMs() - threadMs()): OcrClock {
  const pages = new Set<{ leftMs: number; untilMs: number; onLate: () => void }>();
  const state: { timer: NodeJS.Timeout | undefined; usedMs: number } = { timer: undefined, usedMs: 0 };
  const look = (): void => {
    const now = usedMs();
    const share = (now - state.usedMs) / Math.max(1, pages.size);
    state.usedMs = now;
    for (const page of pages) {
      page.leftMs -= share;
      if (page.leftMs > 0 && performance.now() < page.untilMs) continue;
      pages.delete(page);
      page.onLate();
    }
  };
  return {
    watch(limitMs, onLate) {
      if (pages.size > 0) look();
      else state.usedMs = usedMs();
      const page = { leftMs: limitMs, untilMs: performance.now() + maxWallToCpuRatio * limitMs, onLate };
      pages.add(page);
      state.timer ??= setInterval(look, lookMs);
      return () => {
        look();
        pages.delete(page);
        if (pages.size === 0) {
          clearInterval(state.timer);
          state.timer = undefined;
        }
        return page.leftMs;
      };
    },
  };
}
