// What the benchmarks share: order statistics, a table with a JSON line under it, and a home of their own
// beside real models.
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Run } from "../../src/core/run.ts";

/** The value below which `share` of the sorted numbers lie (nearest rank). */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** Source: mulberry32, public domain; seeded so that every run measures the same data. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Prints rows under their headings, then the whole result as one JSON line with the facts of the machine. */
export function report(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  result: object,
): void {
  const text = [headings, ...rows].map((row) =>
    row.map((cell) => (typeof cell === "number" ? Number(cell.toFixed(3)) : cell).toString()),
  );
  const widths = headings.map((_, column) => Math.max(...text.map((row) => row[column]?.length ?? 0)));
  for (const row of text)
    process.stdout.write(`${row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join("  ")}\n`);
  process.stdout.write(
    `${JSON.stringify({ ...result, cpu: cpus()[0]?.model, cores: cpus().length, node: process.version })}\n`,
  );
}

/** A new home that uses the models of `home`; removed when disposed. */
export async function temporaryHome(home: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "ragctl-bench-"));
  await symlink(resolve(home, "models"), join(path, "models"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A run of the owner that logs nothing. */
export const quietRun: Run = {
  id: "bench",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event: () => undefined, warn: () => undefined },
};
