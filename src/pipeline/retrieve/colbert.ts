import { embedText } from "../../core/documents/chunk.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { SecondStage } from "./rerank.ts";

/**
 * Late interaction: the cosine of each question token with its nearest passage token, averaged. Source:
 * Khattab and Zaharia, SIGIR 2020; the mean instead of the sum as in FlagEmbedding m3.py, colbert_score.
 * @param query rows of `dimensions` numbers, each of L2 norm 1; `passage` has the same form
 */
export function maxSim(query: Float32Array, passage: Float32Array, dimensions: number): number {
  const rows = query.length / dimensions;
  if (rows === 0 || passage.length === 0) return 0;
  let sum = 0;
  for (let row = 0; row < query.length; row += dimensions) {
    let nearest = Number.NEGATIVE_INFINITY;
    for (let other = 0; other < passage.length; other += dimensions) {
      let product = 0;
      for (let at = 0; at < dimensions; at++) product += (query[row + at] ?? 0) * (passage[other + at] ?? 0);
      if (product > nearest) nearest = product;
    }
    sum += nearest;
  }
  return sum / rows;
}

/** @throws MODEL_MISSING if the collection's model gives no ColBERT rows */
export async function requireColbert(collection: string, open: () => Promise<Embedder>): Promise<void> {
  const { id, heads } = await open();
  if (heads.multi) return;
  throw new RagctlError("MODEL_MISSING", `${collection} is embedded by ${id}, which has no ColBERT head`, {
    hint: "search it with --mode hybrid, or re-embed it with bge-m3: ragctl reembed",
  });
}

/**
 * Scores hits by ColBERT rows of the model that embedded their collection. The rows are computed for each
 * search, not stored. Scores of different models are only roughly comparable.
 */
export function colbertStage(
  embedderOf: (collection: string) => Promise<() => Promise<Embedder>>,
  hits: number,
): SecondStage {
  return {
    hits,
    async score(query, candidates, { signal }) {
      const scores = new Map<number, number>();
      const opens = await Promise.all(candidates.map(({ chunk }) => embedderOf(chunk.collection)));
      const places = Map.groupBy(candidates.keys(), (at) => opens[at]);
      for (const [open, own] of places) {
        const embedder = await open?.();
        if (embedder === undefined) continue;
        const texts = own.flatMap((at) => candidates[at]?.chunk ?? []).map(embedText);
        const [asked] = await embedder.embed([query], { purpose: "query", multi: true }, signal);
        const passages = await embedder.embed(texts, { purpose: "passage", multi: true }, signal);
        for (const [place, at] of own.entries()) {
          const [left, right] = [asked?.multi, passages[place]?.multi];
          const score = left && right ? maxSim(left, right, embedder.dimensions) : 0;
          scores.set(at, Math.max(0, score));
        }
      }
      return candidates.map((_, at) => scores.get(at) ?? 0);
    },
  };
}
