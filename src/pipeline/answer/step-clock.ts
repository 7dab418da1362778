import type { PhaseMetrics } from "../../core/run.ts";

/** Measures consecutive steps. */
export interface StepClock {
  readonly phases: readonly PhaseMetrics[];
  /** Ends a step; `laterMs` of its time count towards the next one. */
  close(phase: string, counts: Readonly<Record<string, number>>, laterMs?: number): void;
}

/** Starts the clock for one answer; the first step begins immediately. */
export function stepClock(): StepClock {
  const phases: PhaseMetrics[] = [];
  let since = performance.now();
  return {
    phases,
    close(phase, counts, laterMs = 0) {
      const now = performance.now();
      const durationMs = Math.max(0, now - since - laterMs);
      phases.push({ phase, durationMs, counts });
      since = now - laterMs;
    },
  };
}
