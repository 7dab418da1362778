import type { SearchRequest } from "../../core/app.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import type { ActingAgent } from "../../core/permission.ts";
import type { Hit, Instance, StoreResult, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { RetrieveDrivers, Retrieved, RetrieveSettings } from "../../pipeline/retrieve/retrieve.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import type { Access } from "../access.ts";
import { searchable } from "../documents/collection-store.ts";

/** What searching needs. */
export interface RetrievalParts {
  readonly access: Access;
  readonly documents: Documents;
  readonly embedder: () => Promise<Embedder>;
  /** Opens a model by id: each collection is asked by the one its vectors came from. */
  readonly embedderOf: (id: string) => () => Promise<Embedder>;
  readonly store: (instance: Instance) => Promise<VectorStore>;
  readonly settings: RetrieveSettings;
}

/** Passages of an answer: hits further down are not read and need no neighbours. */
const widened = 5;

/** Searching as the run's principal, through an agent or without one. */
export interface Retrieval {
  /** What `retrieve` of the pipeline takes: only collections that may be read, each answer of the store checked again. */
  drivers(run: Run, agent: ActingAgent | null): RetrieveDrivers;
  search(request: SearchRequest, run: Run, agent?: ActingAgent | null): Promise<Retrieved>;
  /** The first hits with the chunks of their section that stand within `reach` places of them; 0 leaves all as they are. */
  widen(hits: readonly Hit[], reach: number, run: Run, agent: ActingAgent | null): Promise<readonly Hit[]>;
}

/** Opens the only way into the stores for a question. */
export function openRetrieval({
  access,
  documents,
  embedder,
  embedderOf,
  store,
  settings,
}: RetrievalParts): Retrieval {
  /** One without a visible document has nothing to find; a first ingest that failed once left some without a store too. */
  const chosen = (
    run: Run,
    agent: ActingAgent | null,
    { collections, versions = "latest" }: Omit<SearchRequest, "query">,
  ) =>
    access
      .chosen(run, agent, collections)
      .filter(({ documents: visible }) => visible > 0 || versions !== "latest");
  const drivers: Retrieval["drivers"] = (run, agent) => ({
    embedder,
    targets: async (request) =>
      chosen(run, agent, request).map((spec) => ({
        spec: { ...spec, name: spec.storeName ?? spec.name },
        collection: spec.name,
        store: {
          // Opened here, so that an instance that is down costs its own collections and no others.
          async search(name, query, signal) {
            const asked = searchable(await store(spec.instance), spec, request, documents);
            return kept(await asked.search(name, query, signal), access, run, agent);
          },
        },
        embedder: embedderOf(spec.embedder),
      })),
    // Which of these are asked for, `searchable` has decided.
    live: documents.keptVersions,
    settings,
  });
  return {
    drivers,
    async widen(hits, reach, run, agent) {
      if (reach === 0 || hits.length === 0) return hits;
      const { neighbourIds, widen } = await import("../../pipeline/retrieve/widen.ts");
      const first = hits.slice(0, widened);
      const found: Hit[] = [];
      for (const { name, storeName, instance } of access.chosen(run, agent, [
        ...new Set(first.map(({ chunk }) => chunk.collection)),
      ])) {
        const ids = neighbourIds(
          first.filter(({ chunk }) => chunk.collection === name),
          reach,
        );
        try {
          const source = await store(instance);
          for await (const chunk of source.list(storeName ?? name, { field: "id", in: ids }))
            found.push({ chunk, score: 0, via: "fused" });
        } catch (error) {
          run.signal.throwIfAborted();
          if (!isUnavailable(error)) throw error;
          run.log.warn(`passages of ${name} are shown without their neighbours: ${error.message}`);
        }
      }
      const kept = access.keep(found, run, agent).map(({ chunk }) => chunk);
      return [...widen(first, kept), ...hits.slice(widened)];
    },
    async search(request, run, agent = null) {
      const { retrieve } = await import("../../pipeline/retrieve/retrieve.ts");
      return retrieve(request, drivers(run, agent), run);
    },
  };
}

function kept(
  { dense, lexical, vectors }: StoreResult,
  access: Access,
  run: Run,
  agent: ActingAgent | null,
): StoreResult {
  const hits = new Set(access.keep([...dense, ...lexical], run, agent));
  const ids = new Set(Array.from(hits, ({ chunk }) => chunk.id));
  return {
    dense: dense.filter((hit) => hits.has(hit)),
    lexical: lexical.filter((hit) => hits.has(hit)),
    vectors: new Map([...vectors].filter(([id]) => ids.has(id))),
  };
}
