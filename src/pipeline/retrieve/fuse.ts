import type { SearchRequest } from "../../core/app.ts";
import type { Hit } from "../../core/retrieval.ts";
import { detectScript } from "../../language/languages.ts";

/** A ranked list and its weight. */
export interface WeightedList {
  readonly hits: readonly Hit[];
  /** ≥ 0; 0 leaves the list out. */
  readonly weight: number;
  /** Share of the weight a hit gets, in [0, 1]. Default: 1. */
  readonly shareOf?: (hit: Hit) => number;
}

/**
 * Weighted reciprocal rank fusion: score = Σ weight / (k + rank), rank from 1, divided by Σ weight / (k + 1),
 * so that a hit ranked first in every list scores 1 whatever the server and the weights. Ties keep the order
 * of the lists.
 * Source: Cormack, Clarke, Büttcher, SIGIR 2009, with weights.
 */
export function fuseRanks(lists: readonly WeightedList[], k: number): readonly Hit[] {
  return combine(lists, (_hits, i) => (k + 1) / (k + i + 1));
}

/** Lowest score a list can have: 0 for BM25 and learned weights, unknown for a cosine. */
export interface ScoredList extends WeightedList {
  readonly floor?: number;
}

/**
 * Convex combination of scores: each list is scaled so that its best hit has 1 and its floor (or last hit) 0;
 * score = Σ weight × scaled score / Σ weight. A hit missing from a list counts as its floor. Unlike ranks,
 * this keeps score gaps; it only compares scores within one list of one query, so it means the same on every
 * server.
 * Source: Bruch, Gai, Ingber, ACM TOIS 2023 (convex combination with theoretical minimum).
 */
export function fuseScores(lists: readonly ScoredList[]): readonly Hit[] {
  const floors = new Map(lists.map(({ hits, floor }) => [hits, floor ?? hits.at(-1)?.score ?? 0]));
  return combine(lists, (hits, i) => {
    const floor = floors.get(hits) ?? 0;
    const range = (hits[0]?.score ?? 0) - floor;
    return range > 0 ? Math.max(0, (hits[i]?.score ?? 0) - floor) / range : 1;
  });
}

/** Σ weight × value(list, position) / Σ weight over the lists, best first. */
function combine(
  lists: readonly WeightedList[],
  value: (hits: readonly Hit[], position: number) => number,
): readonly Hit[] {
  const total = lists.reduce((sum, { weight }) => sum + weight, 0);
  const byChunk = new Map<string, Hit>();
  for (const { hits, weight, shareOf = () => 1 } of lists) {
    if (weight === 0) continue;
    hits.forEach((hit, i) => {
      const previous = byChunk.get(hit.chunk.id)?.score ?? 0;
      byChunk.set(hit.chunk.id, {
        chunk: hit.chunk,
        via: "fused",
        score: previous + (weight * shareOf(hit) * value(hits, i)) / total,
      });
    });
  }
  return [...byChunk.values()].sort((a, b) => b.score - a.score);
}

/** Results of one collection's routes. */
export interface Routes {
  readonly dense: readonly Hit[];
  readonly lexical: readonly Hit[];
  /** The lowest dense score among the nearest chunks of all documents. Default: that of the last hit. */
  readonly denseFloor?: number | undefined;
  /** Language of the question, if the vectors can match texts of another one. */
  readonly language?: string;
}

/**
 * Share of the lexical weight for a text in another language than the question: at best they share names.
 * Fitted on Vietnamese questions over English notes, checked on the reverse
 * (docs/decisions/0013-embedding-model-and-languages.md).
 */
const foreignShare = 0.1;

/** One route over all collections, best first, with its lowest possible score. */
export function rankRoute(
  results: readonly Routes[],
  route: "dense" | "lexical",
  weight: number,
): ScoredList {
  const hits = results.flatMap((result) => result[route]).sort((a, b) => b.score - a.score);
  if (route === "lexical") {
    const foreign = new Set(
      results.flatMap(({ lexical, language }) =>
        language === undefined
          ? []
          : lexical.filter(({ chunk }) => detectScript(chunk.text) !== language).map(({ chunk }) => chunk.id),
      ),
    );
    return { hits, weight, floor: 0, shareOf: ({ chunk }) => (foreign.has(chunk.id) ? foreignShare : 1) };
  }
  const floor = Math.min(
    ...results.map(({ dense, denseFloor }) => denseFloor ?? dense.at(-1)?.score ?? Number.POSITIVE_INFINITY),
  );
  return { hits, weight, ...(Number.isFinite(floor) ? { floor } : {}) };
}

/** How routes are fused. */
export interface FusionSettings {
  readonly denseWeight: number;
  readonly lexicalWeight: number;
  /** By scaled scores, or by reciprocal ranks. */
  readonly fusion: "scores" | "ranks";
  readonly rrfK: number;
}

/** The routes of all collections as one list. */
export function fuseRoutes(
  results: readonly Routes[],
  mode: SearchRequest["mode"],
  settings: FusionSettings,
): readonly Hit[] {
  const dense = rankRoute(results, "dense", settings.denseWeight);
  const lexical = rankRoute(results, "lexical", settings.lexicalWeight);
  if (mode === "dense") return dense.hits;
  if (mode === "lexical") return lexical.hits;
  return settings.fusion === "scores"
    ? fuseScores([dense, lexical])
    : fuseRanks([dense, lexical], settings.rrfK);
}
