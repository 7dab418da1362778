import type { SearchRequest, SearchResult } from "../../core/app.ts";
import type { Embedder, Embedding } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec, Filter, Hit, StoreResult, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { logPhases, phaseClock } from "../phases.ts";
import { fuseRanks, fuseScores } from "./fuse.ts";
import { rerank, type SecondStage } from "./rerank.ts";
import { isUnavailable, noneAvailable, unavailable } from "./unavailable.ts";

/** A collection to search and the instance that holds it. */
export interface Target {
  readonly spec: CollectionSpec;
  /** Its name for people, where the store has another. Default: that of the spec. */
  readonly collection?: string;
  readonly store: Pick<VectorStore, "search">;
  /** Opens the model its vectors came from. Default: that of the drivers. */
  readonly embedder?: () => Promise<Embedder>;
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
  readonly targets: (request: Omit<SearchRequest, "query">) => Promise<readonly Target[]>;
  /** Of these versions, the ones a search may see. */
  readonly live: (versionIds: readonly string[]) => ReadonlySet<string>;
  readonly settings: RetrieveSettings;
  /** Looks at the first hits again; absent: off. */
  readonly secondStage?: SecondStage | undefined;
}

/** What was found, with the best cosine of any passage: fused scores say nothing of how near the nearest is. */
export interface Retrieved extends SearchResult {
  readonly cosine?: number;
  /** Chunk id → dense vector, L2 norm 1, where asked for; else empty. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/** One formulation to search by, and how many hits of it to take. */
export interface Formulation {
  readonly text: string;
  readonly limit: number;
}

export interface RetrieveOptions {
  /** Also return the dense vectors of the hits. Default false. */
  readonly vectors?: boolean;
  /** Files to leave out, by name. Default none. */
  readonly excludedNames?: readonly string[];
}

/** What each formulation found, in the order given. */
export interface RetrievedEach extends Pick<SearchResult, "phases" | "unavailable"> {
  readonly found: readonly Omit<Retrieved, "phases" | "unavailable">[];
}

/** One question → hits, best first; the second stage, where there is one, has the last word. */
export async function retrieve(
  request: SearchRequest,
  drivers: RetrieveDrivers,
  run: Run,
  options: RetrieveOptions = {},
): Promise<Retrieved> {
  const { found, ...rest } = await retrieveEach(
    [{ text: request.query, limit: Math.max(request.topK, drivers.secondStage?.hits ?? 0) }],
    request,
    drivers,
    run,
    options,
  );
  const [only] = found;
  const second = await rerank(only?.hits ?? [], [request.query], request.topK, drivers.secondStage, run);
  const hits = second.hits.slice(0, request.topK);
  const phases = [...rest.phases, ...second.phases];
  return { vectors: new Map(), ...only, query: request.query, ...rest, hits, phases };
}

/**
 * Formulations → for each its hits, best first, in the order given:
 * 1. every distinct text is embedded once by each model that vectors to search came from, all in one batch;
 * 2. every collection is searched by every route and formulation at once, under one filter;
 * 3. hits of versions that are not visible are dropped (a run may be replacing them right now);
 * 4. each route's lists are merged over the collections by score, and the routes fused into one list.
 * A collection whose store or model fails is left out and named. @throws its error where no collection is left
 */
export async function retrieveEach(
  formulations: readonly Formulation[],
  request: Omit<SearchRequest, "query">,
  drivers: RetrieveDrivers,
  run: Run,
  options: RetrieveOptions = {},
): Promise<RetrievedEach> {
  const clock = phaseClock();
  const targets = await drivers.targets(request);
  const dense = request.mode !== "lexical";
  const learned = targets.some(({ spec }) => spec.lexical === "sparse");
  const texts = [...new Set(formulations.map(({ text }) => text))];
  const modelOf = (target: Target): (() => Promise<Embedder>) => target.embedder ?? drivers.embedder;
  const embeddings = await clock.time("embed_query", async () => {
    const embedded = new Map<() => Promise<Embedder>, readonly Embedding[] | RagctlError>();
    if ((!dense && !learned) || texts.length === 0) return embedded;
    for (const open of new Set(targets.map(modelOf)))
      embedded.set(
        open,
        await orUnavailable(async () => (await open()).embed(texts, { purpose: "query" }, run.signal), run),
      );
    return embedded;
  });
  const filter = requestFilter(request, options.excludedNames ?? []);
  const searchOne = async (target: Target, { text, limit }: Formulation): Promise<StoreResult> => {
    const vectors = embeddings.get(modelOf(target));
    if (vectors instanceof RagctlError) throw vectors;
    const query = vectors?.[texts.indexOf(text)];
    const storeQuery = {
      ...(dense && query !== undefined ? { dense: query.dense } : {}),
      ...(request.mode === "dense"
        ? {}
        : { text, ...(query?.sparse === undefined ? {} : { sparse: query.sparse }) }),
      limit: Math.max(drivers.settings.candidates, limit * 2),
      filter,
      ...(options.vectors === true ? { withVectors: true } : {}),
    };
    return target.store.search(target.spec.name, storeQuery, run.signal);
  };
  const searchAll = (target: Target) => Promise.all(formulations.map((one) => searchOne(target, one)));
  const searched = await clock.time("retrieve", () =>
    Promise.all(targets.map((target) => orUnavailable(() => searchAll(target), run))),
  );
  const answered = searched.flatMap((each) => (each instanceof RagctlError ? [] : [each]));
  const lost = targets.flatMap(({ collection, spec }, at) => {
    const error = searched[at];
    return error instanceof RagctlError ? [{ collection: collection ?? spec.name, error }] : [];
  });
  if (lost.length > 0 && answered.length === 0) throw noneAvailable(lost);
  const results = formulations.map((_, at) => answered.flatMap((each) => each[at] ?? []));
  const found = await clock.time("fuse", async () =>
    results.map((result, index): RetrievedEach["found"][number] => {
      const { text = "", limit = 0 } = formulations[index] ?? {};
      const shown = visible(result, drivers.live);
      const hits = fuseRoutes(shown, request, drivers.settings).slice(0, limit);
      const cosine = Math.max(...shown.map((each) => each.dense[0]?.score ?? Number.NEGATIVE_INFINITY));
      const vectors = new Map(result.flatMap((each) => [...each.vectors]));
      return { query: text, hits, vectors, ...(Number.isFinite(cosine) ? { cosine } : {}) };
    }),
  );
  const candidates = results
    .flat()
    .reduce((sum, result) => sum + result.dense.length + result.lexical.length, 0);
  clock.count("retrieve", { collections: answered.length, candidates });
  const phases = clock.list();
  logPhases(phases, run);
  return { found, phases, unavailable: lost.map(({ collection, error }) => unavailable(collection, error)) };
}

/** What the work gives, or the error that means that one collection cannot be searched; any other error is thrown. */
async function orUnavailable<T>(work: () => Promise<T>, run: Run): Promise<T | RagctlError> {
  try {
    return await work();
  } catch (error) {
    run.signal.throwIfAborted();
    if (isUnavailable(error)) return error;
    throw error;
  }
}

function visible(
  results: readonly StoreResult[],
  live: RetrieveDrivers["live"],
): readonly Pick<StoreResult, "dense" | "lexical">[] {
  const seen = live([
    ...new Set(results.flatMap((r) => [...r.dense, ...r.lexical]).map((hit) => hit.chunk.versionId)),
  ]);
  const keep = (hits: readonly Hit[]): readonly Hit[] => hits.filter((hit) => seen.has(hit.chunk.versionId));
  return results.map(({ dense, lexical }) => ({ dense: keep(dense), lexical: keep(lexical) }));
}

function fuseRoutes(
  results: readonly Pick<StoreResult, "dense" | "lexical">[],
  request: Pick<SearchRequest, "mode">,
  settings: RetrieveSettings,
): readonly Hit[] {
  const merged = (route: "dense" | "lexical"): readonly Hit[] =>
    results.flatMap((result) => result[route]).sort((a, b) => b.score - a.score);
  if (request.mode === "dense" || request.mode === "lexical") return merged(request.mode);
  const dense = { hits: merged("dense"), weight: settings.denseWeight };
  const lexical = { hits: merged("lexical"), weight: settings.lexicalWeight, floor: 0 };
  return settings.fusion === "scores"
    ? fuseScores([dense, lexical])
    : fuseRanks([dense, lexical], settings.rrfK);
}

function requestFilter(request: Omit<SearchRequest, "query">, excludedNames: readonly string[]): Filter {
  const all: Filter[] =
    excludedNames.length === 0 ? [] : [{ not: { field: "sourceName", in: excludedNames } }];
  if (request.department !== undefined) all.push({ field: "department", in: [request.department] });
  if (request.documents !== undefined) all.push({ field: "documentId", in: request.documents });
  if (request.formats !== undefined) all.push({ field: "format", in: request.formats });
  if (request.contentTypes !== undefined) all.push({ field: "contentType", in: request.contentTypes });
  return { all };
}
