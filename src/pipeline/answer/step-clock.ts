import type { PhaseMetrics } from "../../core/run.ts";

/** Measures steps that follow each other. */
export interface StepClock {
  readonly phases: readonly PhaseMetrics[];
  /** Ends a step; `laterMs` of its time belong to the next one. */
  close(phase: string, counts: Readonly<Record<string, number>>, laterMs?: number): void;
}

/** Opens the clock of one answer; the first step begins now. */
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
