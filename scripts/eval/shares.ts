// Shares of cases with their intervals, for the scripts here.

import { wilsonInterval as counted } from "../../src/pipeline/evaluate/reading.ts";

/** `.590 [.492, .681]`: the share of cases that count, with its 95 % interval; `–` without cases. */
export function shareOf<Case>(cases: readonly Case[], counts: (one: Case) => boolean): string {
  if (cases.length === 0) return "–";
  const { share, low, high } = counted(cases.filter(counts).length, cases.length);
  return withInterval({ mean: share, low, high });
}

/** A value from 0 to 1 with its interval, without leading zeros. */
export function withInterval({ mean, low, high }: Readonly<Record<"mean" | "low" | "high", number>>): string {
  const [value, from, to] = [mean, low, high].map((one) => one.toFixed(3).replace(/^0/, ""));
  return `${value} [${from}, ${to}]`;
}
