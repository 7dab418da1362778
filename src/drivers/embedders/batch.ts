/**
 * How texts share a run. `single`: one text per run, bit-exact whatever the neighbours. `token-budget`: texts
 * of like length padded to one width, equal only to rounding.
 */
export type Batching = "single" | "token-budget";

export type Precision = "fp32" | "fp16" | "int8";

/**
 * Padded tokens of one run on a GPU. Source: fits the states of a 24-layer, 1024-wide model in under 2 GiB.
 */
export const batchTokens = 16_384;

/**
 * A dynamically quantised model scales activations over the whole tensor, so batch-mates and padding change
 * its vectors; and on a CPU one text per run is the faster shape too. Only a GPU with real floats gains from
 * batches.
 */
export function batchingFor(provider: string, precision: Precision): Batching {
  return provider === "cpu" || precision === "int8" ? "single" : "token-budget";
}

/**
 * Groups of at most `maxTexts` positions in `lengths` that run together, longest texts first: the last run to
 * end is then a short one.
 */
export function planBatches(
  lengths: readonly number[],
  batching: Batching,
  budgetTokens: number = batchTokens,
  maxTexts: number = Number.POSITIVE_INFINITY,
): readonly (readonly number[])[] {
  const order = lengths
    .map((_, at) => at)
    .sort((left, right) => (lengths[right] ?? 0) - (lengths[left] ?? 0));
  if (batching === "single") return order.map((at) => [at]);
  const batches: number[][] = [];
  for (const at of order) {
    const batch = batches.at(-1);
    const width = lengths[batch?.[0] ?? at] ?? 0;
    if (batch !== undefined && batch.length < maxTexts && (batch.length + 1) * width <= budgetTokens)
      batch.push(at);
    else batches.push([at]);
  }
  return batches;
}
