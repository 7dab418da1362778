import type { SearchRequest, SearchResult } from "../../core/app.ts";
import type { Embedder, Embedding } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type {
  CollectionSpec,
  Filter,
  Hit,
  StoreQuery,
  StoreResult,
  VectorStore,
} from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { logPhases, phaseClock } from "../phases.ts";
import { fuseRanks, fuseScores } from "./fuse.ts";
import { type Catalogue, type Naming, type NamingWeights, namedIn, raiseNamed } from "./naming.ts";
import { distinctPages } from "./pages.ts";
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

export interface RetrieveSettings extends NamingWeights {
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
  /** What the documents of these collections are called. Default: nothing, and no question names any. */
  readonly catalogue?: (collections: readonly string[]) => Catalogue;
  readonly settings: RetrieveSettings;
  /** Looks at the first hits again; absent: off. */
  readonly secondStage?: SecondStage | undefined;
}

/**
 * What was found, with the best cosine of any passage: fused scores say nothing of how near the nearest is.
 */
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
  return { named: [], vectors: new Map(), ...only, query: request.query, ...rest, hits, phases };
}

/**
 * Formulations → for each its hits, best first, in the order given:
 * 1. every distinct text is embedded once by each model that vectors to search came from, all in one batch;
 * 2. every collection is searched by every route and formulation at once, under one filter;
 * 3. hits of versions that are not visible are dropped (a run may be replacing them right now);
 * 4. each route's lists are merged over the collections by score, and the routes fused into one list;
 * 5. hits of documents that the question names rise, and each page keeps its best hit.
 * A collection whose store or model fails is left out and named. @throws its error where no collection is
 * left
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
  const namings = readNamings(texts, targets, request, drivers);
  const searchOne = async (target: Target, { text, limit }: Formulation): Promise<Searched> => {
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
    return searchNamed(target, storeQuery, namings.get(text)?.documents ?? [], run);
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
      const { byDocument, documents } = namings.get(text) ?? noNamings;
      const fused = raiseNamed(fuseRoutes(shown, request, drivers.settings), byDocument, drivers.settings);
      const hits = distinctPages(fused, limit).slice(0, limit);
      const named = documents.map(({ name }) => name);
      const cosine = Math.max(...shown.map((each) => each.dense[0]?.score ?? Number.NEGATIVE_INFINITY));
      const vectors = new Map(result.flatMap((each) => [...each.vectors]));
      return { query: text, hits, named, vectors, ...(Number.isFinite(cosine) ? { cosine } : {}) };
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

/** What a store returned, with the lowest dense score among the nearest of all documents. */
interface Searched extends StoreResult {
  readonly denseFloor?: number | undefined;
}

/** How far a text names each document, and those that it names, best first. */
interface Namings {
  readonly byDocument: ReadonlyMap<string, Naming>;
  readonly documents: ReturnType<typeof namedIn>;
}

const noNamings: Namings = { byDocument: new Map(), documents: [] };

/**
 * How far each text names the documents to search; a search by one route, or within given documents, stays as
 * it is.
 */
function readNamings(
  texts: readonly string[],
  targets: readonly Target[],
  { mode, documents }: Omit<SearchRequest, "query">,
  { catalogue, settings }: RetrieveDrivers,
): ReadonlyMap<string, Namings> {
  if (catalogue === undefined || documents !== undefined || mode === "dense" || mode === "lexical")
    return new Map();
  const read = catalogue(targets.map(({ collection, spec }) => collection ?? spec.name));
  return new Map(
    texts.map((text) => {
      const byDocument = read.name(text);
      return [text, { byDocument, documents: namedIn(byDocument, settings) }];
    }),
  );
}

/** Hits of each route within the documents that a question names. */
const namedHits = 20;

/**
 * The nearest chunks of all documents, and beside them those of the documents that the question names, which
 * may be further down.
 */
async function searchNamed(
  { store, spec }: Target,
  query: StoreQuery,
  named: readonly { readonly id: string }[],
  run: Run,
): Promise<Searched> {
  const within = { field: "documentId" as const, in: named.map(({ id }) => id) };
  const [all, inNamed] = await Promise.all([
    store.search(spec.name, query, run.signal),
    named.length === 0
      ? undefined
      : store.search(
          spec.name,
          { ...query, limit: namedHits, filter: { all: [query.filter, within] } },
          run.signal,
        ),
  ]);
  if (inNamed === undefined) return all;
  return {
    dense: joined(all.dense, inNamed.dense),
    lexical: joined(all.lexical, inNamed.lexical),
    vectors: new Map([...all.vectors, ...inNamed.vectors]),
    denseFloor: all.dense.at(-1)?.score,
  };
}

function joined(one: readonly Hit[], two: readonly Hit[]): readonly Hit[] {
  const known = new Set(one.map(({ chunk }) => chunk.id));
  return [...one, ...two.filter(({ chunk }) => !known.has(chunk.id))].sort((a, b) => b.score - a.score);
}

/**
 * What the work gives, or the error that means that one collection cannot be searched; any other error is
 * thrown.
 */
async function orUnavailable<T>(work: () => Promise<T>, run: Run): Promise<T | RagctlError> {
  try {
    return await work();
  } catch (error) {
    run.signal.throwIfAborted();
    if (isUnavailable(error)) return error;
    throw error;
  }
}

type Routes = Pick<Searched, "dense" | "lexical" | "denseFloor">;

function visible(results: readonly Searched[], live: RetrieveDrivers["live"]): readonly Routes[] {
  const seen = live([
    ...new Set(results.flatMap((r) => [...r.dense, ...r.lexical]).map((hit) => hit.chunk.versionId)),
  ]);
  const keep = (hits: readonly Hit[]): readonly Hit[] => hits.filter((hit) => seen.has(hit.chunk.versionId));
  return results.map(({ dense, lexical, denseFloor }) => ({
    dense: keep(dense),
    lexical: keep(lexical),
    denseFloor,
  }));
}

function fuseRoutes(
  results: readonly Routes[],
  request: Pick<SearchRequest, "mode">,
  settings: RetrieveSettings,
): readonly Hit[] {
  const merged = (route: "dense" | "lexical"): readonly Hit[] =>
    results.flatMap((result) => result[route]).sort((a, b) => b.score - a.score);
  if (request.mode === "dense" || request.mode === "lexical") return merged(request.mode);
  const floor = Math.min(
    ...results.map(({ dense, denseFloor }) => denseFloor ?? dense.at(-1)?.score ?? Number.POSITIVE_INFINITY),
  );
  const dense = {
    hits: merged("dense"),
    weight: settings.denseWeight,
    ...(Number.isFinite(floor) ? { floor } : {}),
  };
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
