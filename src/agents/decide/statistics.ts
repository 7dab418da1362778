/** Mean of the `count` largest numbers; 0 for none. */
export function meanOfLargest(numbers: readonly number[], count: number): number {
  const largest = numbers.toSorted((a, b) => b - a).slice(0, count);
  return largest.reduce((sum, number) => sum + number, 0) / Math.max(1, largest.length);
}

/** Mean and standard deviation; the deviation is at least 1e-6, so that it can be a divisor. */
export function meanAndDeviation(numbers: readonly number[]): {
  readonly mean: number;
  readonly deviation: number;
} {
  const count = Math.max(1, numbers.length);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / count;
  const variance = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / count;
  return { mean, deviation: Math.max(1e-6, Math.sqrt(variance)) };
}

/**
 * Standard score that a normal variable exceeds with probability `tail`, in (0, 0.5]. Source: Abramowitz and
 * Stegun, 26.2.23; error < 4.5e-4.
 */
export function upperQuantile(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail));
  return (
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3)
  );
}
