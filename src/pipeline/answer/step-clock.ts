import type { PhaseMetrics } from "../../core/run.ts";

/** Measures consecutive steps. */
export interface StepClock {
  readonly phases: readonly PhaseMetrics[];
  /** Ends a step, and begins the next one. */
  close(phase: string, counts: Readonly<Record<string, number>>): void;
}

/** Starts the clock for one answer; the first step begins immediately. */
export function stepClock(): StepClock {
  const phases: PhaseMetrics[] = [];
  let since = performance.now();
  return {
    phases,
    close(phase, counts) {
      const now = performance.now();
      phases.push({ phase, durationMs: now - since, counts });
      since = now;
    },
  };
}
