import type { PhaseMetrics } from "../../core/run.ts";

/** Counts that say how something was, not how much of it: of several, the last one holds. */
const measures: ReadonlySet<string> = new Set(["score", "threshold"]);

/** Phases of several attempts as one list, in order of first use: times and counts of a phase that ran again add up. */
export function sumPhases(phases: readonly PhaseMetrics[]): readonly PhaseMetrics[] {
  const sums = new Map<string, PhaseMetrics>();
  for (const { phase, durationMs, counts } of phases) {
    const before = sums.get(phase);
    const added = Object.entries(counts).map(([name, count]) => [
      name,
      measures.has(name) ? count : (before?.counts[name] ?? 0) + count,
    ]);
    sums.set(phase, {
      phase,
      durationMs: (before?.durationMs ?? 0) + durationMs,
      counts: { ...before?.counts, ...Object.fromEntries(added) },
    });
  }
  return [...sums.values()];
}
