import type { PhaseMetrics, Run } from "../core/run.ts";

/** Records the duration and counts of each phase; `list` is in order of first use. */
export interface PhaseClock {
  /** Runs `work` as part of `phase`; overlapping calls are counted once. */
  time<T>(phase: string, work: () => Promise<T>): Promise<T>;
  count(phase: string, counts: Readonly<Record<string, number>>): void;
  list(): readonly PhaseMetrics[];
}

interface Entry {
  durationMs: number;
  active: number;
  since: number;
  counts: Record<string, number>;
}

/** A clock for one run. */
export function phaseClock(): PhaseClock {
  const entries = new Map<string, Entry>();
  const entry = (phase: string): Entry => {
    const known = entries.get(phase) ?? { durationMs: 0, active: 0, since: 0, counts: {} };
    entries.set(phase, known);
    return known;
  };
  return {
    async time(phase, work) {
      const current = entry(phase);
      if (current.active++ === 0) current.since = performance.now();
      try {
        return await work();
      } finally {
        if (--current.active === 0) current.durationMs += performance.now() - current.since;
      }
    },
    count(phase, counts) {
      const current = entry(phase);
      for (const [name, value] of Object.entries(counts))
        current.counts[name] = (current.counts[name] ?? 0) + value;
    },
    list() {
      return [...entries].map(([phase, { durationMs, counts }]) => ({ phase, durationMs, counts }));
    },
  };
}

/** One log event per phase, with the names of docs/reference/metrics.md. */
export function logPhases(phases: readonly PhaseMetrics[], run: Run): void {
  for (const { phase, durationMs, counts } of phases)
    run.log.event("phase", { phase, duration_ms: Math.round(durationMs), ...counts });
}
