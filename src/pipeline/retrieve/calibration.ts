import { type CosineRange, calibrateCosine } from "../../core/documents/embedding.ts";
import type { Hit, VectorStore } from "../../core/retrieval.ts";

/**
 * Wraps a store so that its dense scores match `usualCosines`: collections of two models are merged by these
 * scores, and the weights for evidence and pages were fitted on them. The order is unchanged.
 */
export function calibrateStoreScores(
  store: Pick<VectorStore, "search">,
  range: CosineRange | undefined,
): Pick<VectorStore, "search"> {
  if (range === undefined) return store;
  const rescale = (hit: Hit): Hit => ({ ...hit, score: calibrateCosine(hit.score, range) });
  return {
    async search(collection, query, signal) {
      const found = await store.search(collection, query, signal);
      return { ...found, dense: found.dense.map(rescale) };
    },
  };
}
