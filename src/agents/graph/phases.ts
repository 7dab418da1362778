import type { PhaseMetrics } from "../../core/run.ts";

/** Counts that are measurements rather than amounts: they are not summed, the last one applies. */
const measures: ReadonlySet<string> = new Set(["score", "threshold"]);

/**
 * Merges the phases of several attempts, in order of first use; times and counts of a repeated phase are
 * summed.
 */
export function sumPhases(phases: readonly PhaseMetrics[]): readonly PhaseMetrics[] {
  const sums = new Map<string, PhaseMetrics>();
  for (const { phase, durationMs, counts } of phases) {
    const before = sums.get(phase);
    const totals = Object.entries(counts).map(([name, count]) => [
      name,
      measures.has(name) ? count : (before?.counts[name] ?? 0) + count,
    ]);
    sums.set(phase, {
      phase,
      durationMs: (before?.durationMs ?? 0) + durationMs,
      counts: { ...before?.counts, ...Object.fromEntries(totals) },
    });
  }
  return [...sums.values()];
}
