import type { SearchRequest } from "../../core/app.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { lazy, lruBySize } from "../../core/lazy.ts";
import type { ActingAgent } from "../../core/permission.ts";
import {
  chunkContaining,
  type Filter,
  type Hit,
  type Instance,
  type StoreResult,
} from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { NearText } from "../../pipeline/answer/quotes/quoting.ts";
import { logPhases } from "../../pipeline/phases.ts";
import { colbertStage, requireColbert } from "../../pipeline/retrieve/colbert.ts";
import { buildNameIndex, type Catalogue } from "../../pipeline/retrieve/naming.ts";
import { requestFilter } from "../../pipeline/retrieve/request-filter.ts";
import { crossEncoderStage, type SecondStage } from "../../pipeline/retrieve/rerank.ts";
import type { RetrieveDrivers, Retrieved } from "../../pipeline/retrieve/retrieve.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import type { Access } from "../access.ts";
import { visibleStore } from "../engines/collection-store.ts";
import { rankingOf } from "../engines/ranking.ts";
import { createTextSimilarity } from "../engines/text-vectors.ts";
import type { Home } from "../home.ts";
import { type CacheHome, cachedSearch } from "./search-cache.ts";
import { createSpellingCorrection, type Spelling } from "./spelling.ts";

/** Searching as the run's principal, through an agent or without one. */
export interface Retrieval {
  /**
   * What `retrieve` of the pipeline takes: only collections that may be read, each answer of the store
   * checked again.
   */
  drivers(run: Run, agent: ActingAgent | null, mode?: SearchRequest["mode"]): RetrieveDrivers;
  /** The same in other stores: addresses of instances. */
  at(uris: Readonly<Record<Instance, string | undefined>>): Retrieval;
  search(request: SearchRequest, run: Run, agent?: ActingAgent | null): Promise<Retrieved>;
  /**
   * Opens the stores that a search will ask, while a model loads or embeds; one that fails fails again in the
   * search, and is named there.
   */
  open(
    request: Pick<SearchRequest, "collections" | "versions">,
    run: Run,
    agent?: ActingAgent | null,
  ): Promise<void>;
  /** The corrected query for misspelt names of documents and other words. */
  readonly spelt: Spelling;
  /** Names and titles of the visible documents of collections. */
  readonly catalogue: NonNullable<RetrieveDrivers["catalogue"]>;
  /**
   * All chunks of a document that a request does not leave out; none where its collection may not be read or
   * cannot be asked.
   */
  whole(
    document: DocumentRecord,
    request: Omit<SearchRequest, "query" | "mode">,
    run: Run,
    agent: ActingAgent | null,
  ): Promise<readonly Chunk[]>;
  /** Cosines of texts with a question, each by the model of its chunk's collection. */
  nearness(question: string, texts: readonly NearText[], run: Run): Promise<readonly number[]>;
  /**
   * The first `count` hits, which are those read, with the rest of their page and the chunks of their section
   * within `reach` positions, unless the request excludes them.
   */
  widen(
    hits: readonly Hit[],
    count: number,
    reach: number,
    request: Omit<SearchRequest, "query" | "mode">,
    run: Run,
    agent: ActingAgent | null,
  ): Promise<readonly Hit[]>;
}

type RetrievalHome = CacheHome & Pick<Home, "classifiers" | "registry" | "store" | "vectors">;

/** Creates the only way into the stores for a question. */
export function createRetrieval(home: RetrievalHome, nearness = createTextSimilarity()): Retrieval {
  const { settings, vectors } = home;
  const catalogue = openCatalogues(home);
  const drivers: Retrieval["drivers"] = (run, agent, mode) => ({
    embedder: vectors.embedder,
    targets: (request) => targetsOf(request, home, run, agent),
    // Checked again when every collection has answered: while one was slow, a document found in another may
    // have been forgotten. `searchable` has already decided which versions are allowed.
    live: (versionIds) => home.registry.refresh().then(() => home.documents.keptVersions(versionIds)),
    catalogue,
    settings: settings.retrieve,
    ranking: rankingOf(settings),
    secondStage: secondStageOf(mode, home, run, agent),
  });
  const searchBy = async (request: SearchRequest, by: RetrieveDrivers, run: Run): Promise<Retrieved> => {
    const { retrieve } = await import("../../pipeline/retrieve/retrieve.ts");
    return retrieve(request, by, run);
  };
  const spelt = createSpellingCorrection({
    // The order of the passages does not matter here, so the second stage is skipped.
    search: (request, run, agent) =>
      searchBy(request, { ...drivers(run, agent, request.mode), secondStage: undefined }, run),
    catalogue,
    vectors,
    access: home.access,
  });
  const open: Retrieval["open"] = async (request, run, agent = null) =>
    openStores(await chosenOf(request, home, run, agent), home);
  const search = cachedSearch(home, async (request, run, agent) => {
    const { query, mode } = request;
    // A single route takes the question unchanged.
    const isPlain = mode === "dense" || mode === "lexical";
    // Spelling waits for the model; without it the search itself opens the stores, at once.
    if (!isPlain) await open(request, run, agent);
    const { text } = isPlain ? { text: query } : await spelt(query, request, run, agent);
    const found = await searchBy({ ...request, query: text }, drivers(run, agent, mode), run);
    return text === query ? found : { ...found, query, readAs: text };
  });
  return {
    drivers,
    open,
    catalogue,
    spelt,
    at: (uris) =>
      createRetrieval({ ...home, store: (instance) => home.store(instance, uris[instance]) }, nearness),
    async search(request, run, agent = null) {
      const result = await search(request, run, agent);
      logPhases(result.phases, run);
      return result;
    },
    async nearness(question, texts, run) {
      const specs = await home.collections.list();
      const models = new Map(specs.map((spec) => [spec.name, embedderOf(spec, home)]));
      const groups = Map.groupBy(texts, ({ collection }) => models.get(collection) ?? vectors.embedder);
      const found = new Map<NearText, number>();
      for (const [open, own] of groups) {
        const all = await nearness(
          question,
          own.map(({ text }) => text),
          await open(),
          run.signal,
        );
        for (const [at, text] of own.entries()) found.set(text, all[at] ?? 0);
      }
      return texts.map((text) => found.get(text) ?? 0);
    },
    whole: (document, request, run, agent) => chunksOf(document, request, home, run, agent),
    async widen(hits, count, reach, request, run, agent) {
      if (hits.length === 0) return hits;
      const { expandContext } = await import("../../pipeline/retrieve/expand.ts");
      const first = hits.slice(0, count);
      const neighbours = await neighboursOf(first, reach, request, home, run, agent);
      return [...expandContext(first, neighbours, reach), ...hits.slice(count)];
    },
  };
}

/** Hits, each under the headings of what it was found for. */
export async function splitHitsByHeading(hits: readonly Hit[], query: string): Promise<readonly Hit[]> {
  // Most chunks have one section, and nothing to look for.
  if (!hits.some(({ chunk }) => chunk.innerHeadings !== undefined)) return hits;
  const { bestQuote } = await import("../../pipeline/answer/extract.ts");
  return hits.map((hit) =>
    hit.chunk.innerHeadings === undefined
      ? hit
      : { ...hit, chunk: chunkContaining({ chunk: hit.chunk }, bestQuote(query, hit.chunk.text)) },
  );
}

const byColbert = (mode: SearchRequest["mode"] | undefined, { settings }: Pick<Home, "settings">): boolean =>
  mode === "colbert" || settings.retrieve.rerankModel === "colbert";

/**
 * Who looks at the hits again: ColBERT rows where the search or the settings ask for them, else the reranker
 * of the settings, if any.
 */
function secondStageOf(
  mode: SearchRequest["mode"] | undefined,
  home: RetrievalHome,
  run: Run,
  agent: ActingAgent | null,
): SecondStage | undefined {
  const { rerankModel, rerankHits } = home.settings.retrieve;
  if (byColbert(mode, home)) {
    const models = lazy(
      async () =>
        new Map((await home.access.chosen(run, agent, [])).map(({ name, embedder }) => [name, embedder])),
    );
    return colbertStage(
      async (name) => embedderOf({ name, embedder: (await models()).get(name) }, home),
      rerankHits,
    );
  }
  return rerankModel === "off" ? undefined : crossEncoderStage(home.classifiers.reranker, rerankHits);
}

/** The same function for the same model, so that a question is embedded once. */
const embedderOf = (
  { name, embedder: id }: { readonly name: string; readonly embedder: string | undefined },
  { vectors, embedders, settings }: Pick<Home, "vectors" | "embedders" | "settings">,
): (() => Promise<Embedder>) =>
  id === undefined || id === settings.embed.model ? vectors.embedder : embedders.of(id, name);

/** Names of documents that stay read, 1 KB each; those of the last search do, however many they are. */
const keptNames = 100_000;

/**
 * Names and titles of the visible documents of collections, read again when one of the collections changed;
 * for an earlier time those visible then, because the weight of a name depends on all others.
 */
function openCatalogues({ documents }: RetrievalHome): NonNullable<RetrieveDrivers["catalogue"]> {
  const kept = lruBySize<string, { readonly mark: string; readonly catalogue: Catalogue }>(
    keptNames,
    ({ catalogue }) => catalogue.read.size,
  );
  return async (collections, versions) => {
    // No names at all would mean every collection to the registry.
    if (collections.length === 0) return buildNameIndex([]);
    if (typeof versions === "object") return buildNameIndex(await documents.asOf(collections, versions));
    const names = [...new Set(collections)].sort();
    const key = names.join(" ");
    const mark = (await documents.revisions(names)).join("\n");
    const before = kept.get(key);
    if (before?.mark === mark) return before.catalogue;
    const catalogue = buildNameIndex(await documents.latest(names), before?.catalogue.read);
    kept.set(key, { mark, catalogue });
    return catalogue;
  };
}

/** The collections to search. */
const chosenOf = async (
  { collections, versions = "latest" }: Pick<SearchRequest, "collections" | "versions">,
  { access }: RetrievalHome,
  run: Run,
  agent: ActingAgent | null,
): ReturnType<Access["chosen"]> =>
  (await access.chosen(run, agent, collections))
    // One without a visible document has nothing to find; a first ingest that failed once left some without
    // a store too.
    .filter(({ documents: visible }) => visible > 0 || versions !== "latest");

function openStores(
  collections: readonly { readonly instance: Instance }[],
  { store }: Pick<Home, "store">,
): void {
  for (const instance of new Set(collections.map((spec) => spec.instance)))
    store(instance).catch(() => undefined);
}

/** The collections to search, each with the store it is in and the model its vectors came from. */
async function targetsOf(
  request: Omit<SearchRequest, "query">,
  home: RetrievalHome,
  run: Run,
  agent: ActingAgent | null,
): ReturnType<RetrieveDrivers["targets"]> {
  const { mode } = request;
  const { access, documents, store } = home;
  const chosen = await chosenOf(request, home, run, agent);
  openStores(chosen, home);
  return chosen.map((spec) => ({
    spec: { ...spec, name: spec.storeName ?? spec.name },
    collection: spec.name,
    store: {
      // Opened here, so that an instance that is down affects only its own collections.
      async search(name, query, signal) {
        if (byColbert(mode, home)) await requireColbert(spec.name, embedderOf(spec, home));
        const visible = visibleStore(await store(spec.instance), spec, request, documents);
        return keepReadable(await visible.search(name, query, signal), access, run, agent);
      },
    },
    embedder: embedderOf(spec, home),
  }));
}

/**
 * The chunks of one document that the request admits, under the name it has in its collection; with a warning
 * none where that cannot be asked.
 */
async function chunksOf(
  { collection, versionId, id, name, path }: DocumentRecord,
  { documents, ...rest }: Omit<SearchRequest, "query" | "mode">,
  { access, store }: RetrievalHome,
  run: Run,
  agent: ActingAgent | null,
): Promise<readonly Chunk[]> {
  const [spec] = await access.chosen(run, agent, [collection]);
  if (spec === undefined || documents?.includes(id) === false) return [];
  try {
    const source = await store(spec.instance);
    const listed: Pick<Hit, "chunk">[] = [];
    const filter: Filter = { all: [{ field: "versionId", in: [versionId] }, requestFilter(rest, [])] };
    for await (const chunk of source.list(spec.storeName ?? spec.name, filter))
      listed.push({ chunk: { ...chunk, documentId: id, sourceName: name, sourcePath: path } });
    return (await access.keep(listed, run, agent)).map(({ chunk }) => chunk);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!isUnavailable(error)) throw error;
    run.log.warn(`${collection} cannot be read completely: ${error.message}`);
    return [];
  }
}

/**
 * The chunks around these hits that may be read and that the request admits; a collection that cannot be
 * asked is left out with a warning. They are of the hits' documents, whichever of equal ones the store names.
 */
async function neighboursOf(
  hits: readonly Hit[],
  reach: number,
  { documents: _, ...request }: Omit<SearchRequest, "query" | "mode">,
  { access, store }: RetrievalHome,
  run: Run,
  agent: ActingAgent | null,
): Promise<readonly Chunk[]> {
  const { neighbourIds } = await import("../../pipeline/retrieve/expand.ts");
  const collections = [...new Set(hits.map(({ chunk }) => chunk.collection))];
  const neighbours: Pick<Hit, "chunk">[] = [];
  for (const { name, storeName, instance } of await access.chosen(run, agent, collections)) {
    const within = hits.filter(({ chunk }) => chunk.collection === name);
    try {
      const ids = neighbourIds(within, reach);
      if (ids.length === 0) continue;
      const source = await store(instance);
      const filter: Filter = { all: [{ field: "id", in: ids }, requestFilter(request, [])] };
      for await (const chunk of source.list(storeName ?? name, filter)) neighbours.push({ chunk });
    } catch (error) {
      run.signal.throwIfAborted();
      if (!isUnavailable(error)) throw error;
      run.log.warn(`passages of ${name} are used without their neighbours: ${error.message}`);
    }
  }
  return (await access.keep(neighbours, run, agent)).map(({ chunk }) => chunk);
}

/** A store's result without what may not be read. */
async function keepReadable(
  { dense, lexical, vectors }: StoreResult,
  access: Access,
  run: Run,
  agent: ActingAgent | null,
): Promise<StoreResult> {
  const hits = new Set(await access.keep([...dense, ...lexical], run, agent));
  const ids = new Set(Array.from(hits, ({ chunk }) => chunk.id));
  return {
    dense: dense.filter((hit) => hits.has(hit)),
    lexical: lexical.filter((hit) => hits.has(hit)),
    vectors: new Map([...vectors].filter(([id]) => ids.has(id))),
  };
}
