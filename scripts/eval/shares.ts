// Shares of cases with their intervals, for the scripts here.

/** Quantile of the normal distribution for 95 %. */
const z = 1.96;

/**
 * 95 % interval of a share, which stays an interval where none or all of the cases count. At least one case.
 * Source: Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 1927.
 */
function wilson(count: number, of: number): { readonly low: number; readonly high: number } {
  const share = count / of;
  const middle = share + (z * z) / (2 * of);
  const reach = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const scale = 1 + (z * z) / of;
  return { low: Math.max(0, (middle - reach) / scale), high: Math.min(1, (middle + reach) / scale) };
}

/** `.590 [.492, .681]`: the share of cases that count, with its 95 % interval; `–` without cases. */
export function shareOf<Case>(cases: readonly Case[], counts: (one: Case) => boolean): string {
  if (cases.length === 0) return "–";
  const count = cases.filter(counts).length;
  const { low, high } = wilson(count, cases.length);
  return withInterval({ mean: count / cases.length, low, high });
}

/** A value from 0 to 1 with its interval, without leading zeros. */
export function withInterval({ mean, low, high }: Readonly<Record<"mean" | "low" | "high", number>>): string {
  const [value, from, to] = [mean, low, high].map((one) => one.toFixed(3).replace(/^0/, ""));
  return `${value} [${from}, ${to}]`;
}
