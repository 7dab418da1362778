import { embedText } from "../../core/documents/chunk.ts";
import type { Hit, Reranker } from "../../core/retrieval.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { phaseClock } from "../phases.ts";

/** Rescores the first hits of a search. It only gets hits that may be read, and adds none. */
export interface SecondStage {
  /** Most fused hits to rescore; never fewer than requested. */
  readonly hits: number;
  /** Scores of hits for a question, same order, at least 0. */
  score(query: string, hits: readonly Hit[], run: Run): Promise<readonly number[]>;
}

/** Hits in their new order, with the time it took. */
export interface Reranked {
  readonly hits: readonly Hit[];
  readonly phases: readonly PhaseMetrics[];
}

/**
 * The first hits, best first by the second stage's score; lower ones are dropped, because scores of two
 * stages are not comparable. For a compound question a hit gets its best score for any part. Ties keep their
 * order. Without a second stage nothing changes.
 */
export async function rerank(
  hits: readonly Hit[],
  queries: readonly string[],
  wanted: number,
  stage: SecondStage | undefined,
  run: Run,
): Promise<Reranked> {
  if (stage === undefined || hits.length === 0) return { hits, phases: [] };
  const first = hits.slice(0, Math.max(stage.hits, wanted));
  const clock = phaseClock();
  const scores = await clock.time("rerank", async () => {
    const best = new Array<number>(first.length).fill(0);
    for (const query of queries) {
      const found = await stage.score(query, first, run);
      for (const [at, score] of found.entries()) best[at] = Math.max(best[at] ?? 0, score);
    }
    return best;
  });
  clock.count("rerank", { hits: first.length, questions: queries.length });
  const rescored = first.map(
    (hit, at): Hit => ({
      ...hit,
      score: scores[at] ?? 0,
      via: "reranked",
      ...(hit.parts === undefined ? {} : { parts: { reranked: scores[at] ?? 0 } }),
    }),
  );
  return { hits: rescored.sort((left, right) => right.score - left.score), phases: clock.list() };
}

/** Scores hits with a cross-encoder, which reads title, headings and text, like the embedder. */
export function crossEncoderStage(open: () => Promise<Reranker>, hits: number): SecondStage {
  return {
    hits,
    async score(query, candidates, run) {
      const reranker = await open();
      return reranker.score(
        query,
        candidates.map(({ chunk }) => embedText(chunk)),
        run.signal,
      );
    },
  };
}
