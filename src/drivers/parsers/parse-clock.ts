/** A document's time limit. */
export interface ParseClock {
  /** Stops counting while OCR runs (calls may nest); each call gives OCR its own limit anew. */
  pause(running: boolean): void;
  stop(): void;
}

/** Calls `onEnd` once after `limitMs` of counted time, or when one pause lasts longer than `pauseLimitMs`. */
export function startClock(limitMs: number, pauseLimitMs: number, onEnd: () => void): ParseClock {
  const state = { leftMs: limitMs, since: performance.now(), depth: 0, timer: setTimeout(onEnd, limitMs) };
  const restart = (delayMs: number) => {
    clearTimeout(state.timer);
    state.timer = setTimeout(onEnd, delayMs);
  };
  return {
    pause(running) {
      if (running && state.depth === 0) state.leftMs -= performance.now() - state.since;
      state.depth = Math.max(0, state.depth + (running ? 1 : -1));
      if (state.depth > 0) restart(pauseLimitMs);
      else {
        state.since = performance.now();
        restart(Math.max(1, state.leftMs));
      }
    },
    stop: () => clearTimeout(state.timer),
  };
}
