/** Number of resamples for an interval, and of shuffles for a test. */
const resamples = 1000;
const shuffles = 2000;
/** Arbitrary but fixed, so that results are reproducible. */
const seed = 7;

/**
 * Pseudo-random numbers in [0, 1), determined by the seed. Source: mulberry32, T. Ettinger, public domain.
 */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Arithmetic mean; NaN for an empty list. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * 95 % percentile interval of a statistic over resamples of n items. Source: Efron, Tibshirani, An
 * Introduction to the Bootstrap, 1993.
 */
function percentiles(
  count: number,
  statistic: (indices: readonly number[]) => number,
): { readonly low: number; readonly high: number } {
  const random = generator(seed);
  const indices = new Array<number>(count);
  const values: number[] = [];
  for (let turn = 0; turn < resamples; turn += 1) {
    for (let at = 0; at < count; at += 1) indices[at] = Math.floor(random() * count);
    const value = statistic(indices);
    if (!Number.isNaN(value)) values.push(value);
  }
  values.sort((left, right) => left - right);
  const at = (share: number): number => values[Math.floor(share * values.length)] ?? Number.NaN;
  return { low: at(0.025), high: at(0.975) };
}

/** The mean of values with its 95 % bootstrap interval. At least one value. */
export function interval(values: readonly number[]): {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
} {
  const bounds = percentiles(values.length, (indices) => {
    let sum = 0;
    for (const index of indices) sum += values[index] ?? 0;
    return sum / indices.length;
  });
  return { mean: mean(values), ...bounds };
}

/** Values of one question, defined in both runs. */
export interface Pair {
  readonly before: number;
  readonly after: number;
}

/**
 * The difference of two means over the same questions, its 95 % bootstrap interval over pairs, and the
 * two-sided p of approximate randomization: how often a difference as large comes from swapping the runs of
 * questions by chance. At least one pair.
 * Source: Noreen, Computer-Intensive Methods for Testing Hypotheses, 1989;
 * p = (1 + as large) / (1 + shuffles).
 */
export function pairedTest(pairs: readonly Pair[]) {
  const all = pairs.map((_, index) => index);
  const never = (): boolean => false;
  const { before, after } = means(pairs, all, never);
  const observed = Math.abs(after - before);
  const random = generator(seed);
  let asLarge = 0;
  for (let turn = 0; turn < shuffles; turn += 1) {
    const shuffled = means(pairs, all, () => random() < 0.5);
    if (!(Math.abs(shuffled.after - shuffled.before) < observed - 1e-12)) asLarge += 1;
  }
  const bounds = percentiles(pairs.length, (indices) => {
    const resampled = means(pairs, indices, never);
    return resampled.after - resampled.before;
  });
  return {
    before,
    after,
    difference: after - before,
    ...bounds,
    p: (1 + asLarge) / (1 + shuffles),
    questions: pairs.length,
  };
}

function means(pairs: readonly Pair[], indices: readonly number[], isSwapped: () => boolean) {
  let [beforeSum, afterSum] = [0, 0];
  for (const index of indices) {
    const { before, after } = pairs[index] ?? { before: Number.NaN, after: Number.NaN };
    const swapped = isSwapped();
    beforeSum += swapped ? after : before;
    afterSum += swapped ? before : after;
  }
  return { before: beforeSum / indices.length, after: afterSum / indices.length };
}
