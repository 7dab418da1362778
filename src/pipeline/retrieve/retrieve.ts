import type { SearchRequest, SearchResult } from "../../core/app.ts";
import type { Embedder, Embedding } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec, Hit, StoreQuery, StoreResult, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { detectScript } from "../../language/languages.ts";
import { phaseClock } from "../phases.ts";
import { calibrateStoreScores } from "./calibration.ts";
import { createPageCache, type PageReader } from "./features.ts";
import { bestCosine, formulate, mergeBest, queryVariants, type Ranking, type Search } from "./formulate.ts";
import { type FusionSettings, fuseRoutes, fuseScores, type Routes, rankRoute } from "./fuse.ts";
import { boostNamedDocuments, type Catalogue, type NamingWeights } from "./naming.ts";
import { distinctPages, toDisplayHit } from "./pages.ts";
import { requestFilter } from "./request-filter.ts";
import { rerank, type SecondStage } from "./rerank.ts";
import { demoteTemplates, mentionsTemplate, rescoreByFeatures } from "./rescore.ts";
import { catchUnavailable, partition, toUnavailableCollection } from "./unavailable.ts";

/** A collection to search and the instance that holds it. */
export interface Target {
  readonly spec: CollectionSpec;
  /** Its display name, if the store uses another. Default: that of the spec. */
  readonly collection?: string;
  readonly store: Pick<VectorStore, "search">;
  /** Opens the model that made its vectors. Default: that of the drivers. */
  readonly embedder?: () => Promise<Embedder>;
}

export interface RetrieveSettings extends NamingWeights, FusionSettings {
  /** Hits taken from each route of each collection. Source: seed 000 §6, 20. */
  readonly candidates: number;
}

export interface RetrieveDrivers {
  readonly embedder: () => Promise<Embedder>;
  readonly targets: (request: Omit<SearchRequest, "query">) => Promise<readonly Target[]>;
  /** The versions among these that a search may see. */
  readonly live: (versionIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Names of the documents in these collections. Default: empty, so no question names any. */
  readonly catalogue?: (
    collections: readonly string[],
    versions: SearchRequest["versions"],
  ) => Promise<Catalogue>;
  readonly settings: RetrieveSettings;
  /** Interprets questions and weights page features. Default: neither. */
  readonly ranking?: Ranking | undefined;
  /** Cache of analysed pages. Default: a new one for each search. */
  readonly pages?: PageReader;
  /** Rescores the first hits; absent: off. */
  readonly secondStage?: SecondStage | undefined;
}

/**
 * Results with the best cosine of any passage, because fused scores do not show how close the nearest one is.
 */
export interface Retrieved extends SearchResult {
  readonly cosine?: number;
  /** Chunk id → dense vector, L2 norm 1, if requested; otherwise empty. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/** A formulation to search by, and how many hits to return for it. */
export interface Formulation {
  readonly text: string;
  readonly limit: number;
}

export interface RetrieveOptions {
  /** Also return the dense vectors of the hits. Default false. */
  readonly vectors?: boolean;
  /** File names to leave out. Default none. */
  readonly excludedNames?: readonly string[];
}

/** Results of each formulation, in the order given. */
export interface RetrievedEach extends Pick<SearchResult, "phases" | "unavailable"> {
  readonly found: readonly Omit<Retrieved, "phases" | "unavailable">[];
}

const nothingFound: RetrievedEach["found"][number] = { query: "", hits: [], named: [], vectors: new Map() };

/** One question → hits, best first; the second stage, if any, decides the final order. */
export async function retrieve(
  request: SearchRequest,
  drivers: RetrieveDrivers,
  run: Run,
  options: RetrieveOptions = {},
): Promise<Retrieved> {
  const limit = Math.max(request.topK, drivers.secondStage?.hits ?? 0);
  const wordings = queryVariants(request).map((text) => ({ text, limit }));
  const { found, ...rest } = await retrieveEach(wordings, request, drivers, run, options);
  const [own = nothingFound, ...others] = found;
  const best = mergeBest(request.query, [own, ...others], limit);
  const second = await rerank(best.hits, [request.query], request.topK, drivers.secondStage, run);
  const isPlain = drivers.secondStage === undefined || mentionsTemplate(request.query);
  const hits = (isPlain ? second.hits : demoteTemplates(second.hits)).slice(0, request.topK);
  return { ...best, query: request.query, ...rest, hits, phases: [...rest.phases, ...second.phases] };
}

/**
 * Formulations → hits for each, best first, in the order given:
 * 1. each model embeds every distinct text once, in one batch;
 * 2. every collection is searched by every route and formulation concurrently, under one filter;
 * 3. hits of versions that are not visible are dropped, as a run may be replacing them at that moment;
 * 4. each route's lists are merged over the collections by score, and the routes fused into one list;
 * 5. hits of documents that the question names are raised, unrequested templates are lowered, and each page
 *    keeps its best hit.
 * A collection whose store or model fails is skipped and named. @throws its error if no collection is left
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
  const searches = await readSearches(formulations, targets, request, drivers);
  const modelOf = (target: Target): OpenEmbedder => target.embedder ?? drivers.embedder;
  const texts = new Set([...searches.values()].flatMap(embeddedTexts));
  const embedded = targets.filter((target) => needsVectors(request, target));
  const models = await clock.time("embed_query", () =>
    embedUnder(new Set(embedded.map(modelOf)), [...texts], run),
  );
  const filter = requestFilter(request, options.excludedNames ?? []);
  const asked = { request, options, settings: drivers.settings, filter };
  const searchAll = (target: Target): Promise<readonly Searched[]> =>
    Promise.all(
      formulations.map((one) =>
        searchTarget(
          target,
          one,
          {
            search: searches.get(one.text),
            model: needsVectors(request, target) ? models.get(modelOf(target)) : undefined,
          },
          asked,
          run,
        ),
      ),
    );
  const searched = await clock.time("retrieve", () =>
    Promise.all(targets.map((target) => catchUnavailable(() => searchAll(target), run))),
  );
  const names = targets.map(({ collection, spec }) => collection ?? spec.name);
  const { answered, lost } = partition(searched, names);
  const results = formulations.map((_, at) => answered.flatMap((each) => each[at] ?? []));
  const found = await clock.time("fuse", async () => {
    const reading = {
      request,
      drivers,
      live: await drivers.live(versionsOf(results.flat())),
      pages: drivers.pages ?? createPageCache(),
      isTemplateAsked: formulations.some(({ text }) => mentionsTemplate(text)),
    };
    return results.map((result, index): RetrievedEach["found"][number] => {
      const { text = "", limit = 0 } = formulations[index] ?? {};
      return readResult(result, { text, limit }, searches.get(text), reading);
    });
  });
  const candidates = results
    .flat()
    .reduce((sum, result) => sum + result.dense.length + result.lexical.length, 0);
  clock.count("retrieve", { collections: answered.length, candidates });
  const phases = clock.list();
  return {
    found,
    phases,
    unavailable: lost.map(({ collection, error }) => toUnavailableCollection(collection, error)),
  };
}

type OpenEmbedder = () => Promise<Embedder>;

/** Whether a search of this collection needs vectors. */
const needsVectors = ({ mode }: Pick<SearchRequest, "mode">, { spec }: Target): boolean =>
  mode !== "lexical" || spec.lexical === "sparse";

/** Vectors of a search's texts under one model, by text. */
interface Embedded extends Pick<Embedder, "cosineRange" | "language"> {
  readonly vectors: ReadonlyMap<string, Embedding>;
}

/** The texts embedded by each model, or the error of a model that cannot be used. */
async function embedUnder(
  models: Iterable<OpenEmbedder>,
  texts: readonly string[],
  run: Run,
): Promise<ReadonlyMap<OpenEmbedder, Embedded | RagctlError>> {
  const embedded = new Map<OpenEmbedder, Embedded | RagctlError>();
  if (texts.length === 0) return embedded;
  for (const open of models)
    embedded.set(open, await catchUnavailable(async () => embedAll(texts, await open(), run), run));
  return embedded;
}

async function embedAll(texts: readonly string[], model: Embedder, run: Run): Promise<Embedded> {
  const embeddings = await model.embed(texts, { purpose: "query" }, run.signal);
  const { cosineRange, language } = model;
  const vectors = new Map(embeddings.map((embedding, at) => [texts[at] ?? "", embedding]));
  return { vectors, ...(cosineRange && { cosineRange }), ...(language && { language }) };
}

/** Searches one collection by one formulation. @throws the error of its model or store */
async function searchTarget(
  target: Target,
  { text, limit }: Formulation,
  read: { readonly search: Search | undefined; readonly model: Embedded | RagctlError | undefined },
  asked: {
    readonly request: Omit<SearchRequest, "query">;
    readonly options: RetrieveOptions;
    readonly settings: RetrieveSettings;
    readonly filter: ReturnType<typeof requestFilter>;
  },
  run: Run,
): Promise<Searched> {
  const { search, model } = read;
  const { request, options, settings, filter } = asked;
  if (model instanceof RagctlError) throw model;
  if (search === undefined) throw new Error(`no search was read from "${text}"`);
  const common = {
    limit: Math.max(settings.candidates, limit * 2),
    filter,
    ...(options.vectors === true ? { withVectors: true } : {}),
  };
  const embedded = (each: string): Embedding | undefined => model?.vectors.get(each);
  const store = calibrateStoreScores(target.store, model?.cosineRange);
  const result = await searchBoth(
    { ...target, store },
    search,
    common,
    { mode: request.mode, embedded },
    run,
  );
  // Learned weights were not evaluated across languages.
  const isBetween = model?.language === "multilingual" && target.spec.lexical === "bm25";
  return isBetween ? { ...result, language: detectScript(text) } : result;
}

/** Searches a text and its companion concurrently. */
async function searchBoth(
  target: Target,
  { dense, lexical, namings, companion, sought }: Search,
  common: Pick<StoreQuery, "limit" | "filter" | "withVectors">,
  {
    mode,
    embedded,
  }: Pick<SearchRequest, "mode"> & { readonly embedded: (text: string) => Embedding | undefined },
  run: Run,
): Promise<Searched> {
  const search = (text: string, words: string): Promise<Searched> => {
    const vector = embedded(text);
    const query: StoreQuery = {
      ...common,
      ...(sought === undefined ? {} : { withPages: true }),
      ...(mode !== "lexical" && vector !== undefined ? { dense: vector.dense } : {}),
      ...(mode === "dense"
        ? {}
        : { text: words, ...(vector?.sparse === undefined ? {} : { sparse: vector.sparse }) }),
    };
    return searchNamed(target, query, namings.documents, run);
  };
  const [own, beside] = await Promise.all([
    search(dense, lexical),
    companion === undefined ? undefined : search(companion.text, companion.text),
  ]);
  return { ...own, companion: beside };
}

/** Shared by all formulations of one search when their results are processed. */
interface Reading {
  readonly request: Pick<SearchRequest, "mode" | "explain">;
  readonly drivers: Pick<RetrieveDrivers, "settings" | "ranking">;
  /** Versions whose hits may be shown. */
  readonly live: ReadonlySet<string>;
  readonly pages: PageReader;
  /** Whether the question asks for a template; otherwise templates rank below other documents. */
  readonly isTemplateAsked: boolean;
}

/** Results of all collections → the hits of one formulation. */
function readResult(
  results: readonly Searched[],
  { text, limit }: Formulation,
  search: Search | undefined,
  reading: Reading,
): RetrievedEach["found"][number] {
  const { request, drivers, live } = reading;
  const { settings } = drivers;
  const shown = visible(results, live);
  const weighed = weighRoutes(results, shown, search, reading);
  const raised = boostNamedDocuments(weighed, search?.namings.byDocument ?? new Map(), settings);
  const ranked = reading.isTemplateAsked ? raised : demoteTemplates(raised);
  const hits = distinctPages(ranked, limit)
    .slice(0, limit)
    .map((hit) => toDisplayHit(hit, request.explain === true));
  const named = search?.namings.documents.map(({ name }) => name) ?? [];
  const nearest = bestCosine(shown.map(({ dense }) => ({ cosine: dense[0]?.score })));
  const vectors = new Map(withCompanions(results).flatMap((each) => [...each.vectors]));
  return { query: text, hits, named, vectors, ...nearest };
}

interface Searched extends StoreResult, Routes {
  /** Results for the companion. */
  readonly companion?: Searched | undefined;
}

/** Prepares each text for the search. */
async function readSearches(
  formulations: readonly Formulation[],
  targets: readonly Target[],
  request: Omit<SearchRequest, "query">,
  { catalogue, settings, ranking }: RetrieveDrivers,
): Promise<ReadonlyMap<string, Search>> {
  const collections = targets.map(({ collection, spec }) => collection ?? spec.name);
  const read = await catalogue?.(collections, request.versions);
  return new Map(
    formulations.map(({ text }) => [text, formulate(text, { request, catalogue: read, settings, ranking })]),
  );
}

const embeddedTexts = ({ dense, companion }: Search): readonly string[] =>
  companion === undefined ? [dense] : [dense, companion.text];

/** Hits per route from the documents that a question names. */
const namedHits = 60;

/**
 * The nearest chunks of all documents, plus those of documents that the question names, which may rank lower.
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

const withCompanions = (results: readonly Searched[]): readonly StoreResult[] =>
  results.flatMap(({ companion, ...own }) => (companion === undefined ? [own] : [own, companion]));

/** The versions of all hits, those of companions included. */
function versionsOf(results: readonly Searched[]): readonly string[] {
  const hits = withCompanions(results).flatMap(({ dense, lexical }) => [...dense, ...lexical]);
  return [...new Set(hits.map(({ chunk }) => chunk.versionId))];
}

function visible(results: readonly Searched[], live: ReadonlySet<string>): readonly Routes[] {
  const keep = (hits: readonly Hit[]): readonly Hit[] => hits.filter((hit) => live.has(hit.chunk.versionId));
  return results.map(({ dense, lexical, ...rest }) => ({
    ...rest,
    dense: keep(dense),
    lexical: keep(lexical),
  }));
}

/** Fuses the routes and, with a ranking, weights what their pages show. */
function weighRoutes(
  results: readonly Searched[],
  shown: readonly Routes[],
  search: Search | undefined,
  { request, drivers: { settings, ranking }, live, pages }: Reading,
): readonly Hit[] {
  const fused = fuseRoutes(shown, request.mode, settings);
  if (ranking === undefined || search?.sought === undefined) return fused;
  const beside = visible(
    results.flatMap(({ companion }) => (companion === undefined ? [] : [companion])),
    live,
  );
  const scaled = (route: "dense" | "lexical"): readonly Hit[] =>
    beside.length === 0 ? [] : fuseScores([rankRoute(beside, route, 1)]);
  const { text = "" } = search.companion ?? {};
  const companion = { text, dense: scaled("dense"), lexical: scaled("lexical") };
  return rescoreByFeatures(fused, search.sought, companion, ranking.weights, pages);
}
