import type { SearchRequest, SearchResult } from "../core/app.ts";
import type { Embedder } from "../core/embedding.ts";
import type { CollectionSpec, Filter, Hit, StoreResult, VectorStore } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { fuseRanks, fuseScores } from "./fuse.ts";
import { logPhases, phaseClock } from "./phases.ts";

/** A collection to search and the instance that holds it. */
export interface Target {
  readonly spec: CollectionSpec;
  readonly store: VectorStore;
}

export interface RetrieveSettings {
  /** Hits taken from each route of each collection. Source: seed 000 §6, 20. */
  readonly candidates: number;
  readonly denseWeight: number;
  readonly lexicalWeight: number;
  /** How the routes are joined: by their scaled scores, or by reciprocal ranks. */
  readonly fusion: "scores" | "ranks";
  readonly rrfK: number;
}

export interface RetrieveDrivers {
  readonly embedder: () => Promise<Embedder>;
  readonly targets: (request: Pick<SearchRequest, "collections">) => Promise<readonly Target[]>;
  /** Of these versions, the ones a search may see. */
  readonly live: (versionIds: readonly string[]) => ReadonlySet<string>;
  readonly settings: RetrieveSettings;
}

/** What was found, with the best cosine of any passage: fused scores say nothing of how near the nearest is. */
export interface Retrieved extends SearchResult {
  readonly cosine?: number;
}

/**
 * question → hits, best first:
 * 1. every collection is searched by every route at once, under one filter;
 * 2. hits of versions that are not visible are dropped (a run may be replacing them right now);
 * 3. each route's lists are merged over the collections by score;
 * 4. the routes are fused into one list.
 */
export async function retrieve(request: SearchRequest, drivers: RetrieveDrivers, run: Run): Promise<Retrieved> {
  const clock = phaseClock();
  const targets = await drivers.targets(request);
  const dense = request.mode !== "lexical";
  const learned = targets.some(({ spec }) => spec.lexical === "sparse");
  const [query] = await clock.time("embed_query", async () => {
    if (!dense && !learned) return [undefined];
    return (await drivers.embedder()).embed([request.query], { purpose: "query" }, run.signal);
  });
  const limit = Math.max(drivers.settings.candidates, request.topK * 2);
  const storeQuery = {
    ...(dense && query !== undefined ? { dense: query.dense } : {}),
    ...(request.mode === "dense" ? {} : { text: request.query, ...(query?.sparse === undefined ? {} : { sparse: query.sparse }) }),
    limit,
    filter: requestFilter(request),
  };
  const results = await clock.time("retrieve", () =>
    Promise.all(targets.map(({ spec, store }) => store.search(spec.name, storeQuery, run.signal))),
  );
  const shown = visible(results, drivers.live);
  const hits = await clock.time("fuse", async () => fuseRoutes(shown, request, drivers.settings));
  clock.count("retrieve", { collections: targets.length, candidates: results.reduce((n, r) => n + r.dense.length + r.lexical.length, 0) });
  const phases = clock.list();
  logPhases(phases, run);
  const cosine = Math.max(...shown.map((result) => result.dense[0]?.score ?? Number.NEGATIVE_INFINITY));
  const found = { query: request.query, hits: hits.slice(0, request.topK), phases };
  return Number.isFinite(cosine) ? { ...found, cosine } : found;
}

function visible(results: readonly StoreResult[], live: RetrieveDrivers["live"]): readonly Pick<StoreResult, "dense" | "lexical">[] {
  const seen = live([...new Set(results.flatMap((r) => [...r.dense, ...r.lexical]).map((hit) => hit.chunk.versionId))]);
  const keep = (hits: readonly Hit[]): readonly Hit[] => hits.filter((hit) => seen.has(hit.chunk.versionId));
  return results.map(({ dense, lexical }) => ({ dense: keep(dense), lexical: keep(lexical) }));
}

function fuseRoutes(
  results: readonly Pick<StoreResult, "dense" | "lexical">[],
  request: SearchRequest,
  settings: RetrieveSettings,
): readonly Hit[] {
  const merged = (route: "dense" | "lexical"): readonly Hit[] =>
    results.flatMap((result) => result[route]).sort((a, b) => b.score - a.score);
  if (request.mode !== "hybrid") return merged(request.mode);
  const dense = { hits: merged("dense"), weight: settings.denseWeight };
  const lexical = { hits: merged("lexical"), weight: settings.lexicalWeight, floor: 0 };
  return settings.fusion === "scores" ? fuseScores([dense, lexical]) : fuseRanks([dense, lexical], settings.rrfK);
}

function requestFilter(request: SearchRequest): Filter {
  const all: Filter[] = [];
  if (request.department !== undefined) all.push({ field: "department", in: [request.department] });
  if (request.documents !== undefined) all.push({ field: "documentId", in: request.documents });
  if (request.formats !== undefined) all.push({ field: "format", in: request.formats });
  return { all };
}
