import { RagctlError } from "../../core/errors.ts";
import type { Reranker } from "../../core/retrieval.ts";
import { openPairs, type PairSettings } from "./pairs.ts";

/** The logistic function. Source: sentence-transformers CrossEncoder, activation of models with one label. */
const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit));

/**
 * Opens a cross-encoder with one label, such as ms-marco-MiniLM or bge-reranker; its score is the logistic
 * function of the logit.
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
export default async function open(settings: PairSettings): Promise<Reranker> {
  const pairs = await openPairs(settings);
  if (pairs.labels.length !== 1) {
    await pairs[Symbol.asyncDispose]();
    throw new RagctlError(
      "MODEL_UNREADABLE",
      `${settings.id} has ${pairs.labels.length} labels (${pairs.labels.join(", ")}), but a reranker has one`,
      { hint: "use a reranker, e.g. a model with task rerank in `ragctl models list`" },
    );
  }
  return {
    id: settings.id,
    async score(query, passages, signal) {
      const unique = [...new Set(passages)];
      const logits = await pairs.logits(
        unique.map((passage) => [query, passage] as const),
        signal,
      );
      const byPassage = new Map(unique.map((passage, at) => [passage, logistic(logits[at]?.[0] ?? 0)]));
      return passages.map((passage) => byPassage.get(passage) ?? 0);
    },
    [Symbol.asyncDispose]: () => pairs[Symbol.asyncDispose](),
  };
}
