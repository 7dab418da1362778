import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Where a container finds its quota under version 1 of control groups. */
const quotaFolder = "/sys/fs/cgroup/cpu";

/**
 * Cores this process may use, at least 1: by its affinity and the quota of its container. Node heeds both but
 * for a quota of version 1, which is read here.
 */
export function usableCores(folder = quotaFolder): number {
  const numberIn = (name: string): number => {
    try {
      return Number(readFileSync(`${folder}/cpu.cfs_${name}_us`, "utf8"));
    } catch {
      return 0;
    }
  };
  const quota = numberIn("quota"); // -1 for none
  const cores = availableParallelism();
  return quota > 0
    ? Math.max(1, Math.min(cores, Math.floor(quota / (numberIn("period") || 100_000))))
    : cores;
}
