import type { SearchRequest } from "../../core/app.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazyMap } from "../../core/lazy.ts";
import type { Filter, Hit, Instance, VectorStore } from "../../core/retrieval.ts";
import type { CollectionRecord, Collections } from "../../registry/documents/collections.ts";
import type { ContentPlace } from "../../registry/documents/contents.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import type { ShadowStores } from "../../registry/documents/shadow-stores.ts";

/** The registry's tables with the name of a collection's store and its documents. */
export interface CollectionTables {
  readonly documents: Documents;
  readonly collections: Collections;
  readonly shadows: ShadowStores;
}

/**
 * Longest list of hidden versions that is sent along with a search; more are dropped from its answer instead.
 */
const mostHidden = 2000;

/**
 * A store by the names of collections, whatever they are called inside it; chunks say where their document is
 * now.
 */
export function collectionStore(
  store: VectorStore,
  { documents, collections, shadows }: CollectionTables,
): VectorStore {
  const physical = async (name: string): Promise<string> => (await collections.find(name))?.storeName ?? name;
  return {
    ...store,
    async collections() {
      const names = new Map(
        (await collections.list()).map((each) => [each.storeName ?? each.name, each.name]),
      );
      return (await store.collections()).map((spec) => ({
        ...spec,
        name: names.get(spec.name) ?? spec.name,
      }));
    },
    ensure: async (spec, signal) => store.ensure({ ...spec, name: await physical(spec.name) }, signal),
    async drop(name) {
      for (const { storeName } of await shadows.list(name)) {
        await store.drop(storeName);
        await shadows.dropped(storeName);
      }
      await store.drop(await physical(name));
    },
    write: async (name, chunks) => store.write(await physical(name), chunks),
    async delete(name, filter) {
      try {
        await store.delete(await physical(name), filter);
      } catch (error) {
        // A run that ended before its first document was whole leaves a name without a store: there is
        // nothing in it.
        if (!(error instanceof RagctlError) || error.code !== "NOT_FOUND") throw error;
      }
    },
    search: async (name, query, signal) => store.search(await physical(name), query, signal),
    count: async (name, filter) => store.count(await physical(name), filter),
    async *list(name, filter) {
      const placesOf = lazyMap((contentId: string) => documents.places([contentId]));
      try {
        for await (const chunk of store.list(await physical(name), filter))
          yield placed(chunk, await placesOf(chunk.versionId));
      } catch (error) {
        throw missingVectorsError(error, name, store.id);
      }
    },
  };
}

/**
 * The error of a store that lacks a collection which the registry has: its documents are known, and their
 * vectors can be made again.
 */
export function missingVectorsError(error: unknown, name: string, instance: string): unknown {
  if (!(error instanceof RagctlError) || error.code !== "NOT_FOUND") return error;
  return new RagctlError("STORE_UNAVAILABLE", `the ${instance} store has no vectors of collection ${name}`, {
    hint: `rebuild them from the documents: ragctl reembed --collection ${name}`,
    cause: error,
  });
}

/** Every instance's store as `collectionStore`. */
export function collectionStores(
  store: (instance: Instance) => Promise<VectorStore>,
  tables: CollectionTables,
) {
  return async (instance: Instance): Promise<VectorStore> => collectionStore(await store(instance), tables);
}

/**
 * A chunk with the id, name and path of a document that has its content: the original one where possible,
 * else another.
 */
function placed(chunk: Chunk, places: readonly ContentPlace[]): Chunk {
  const place = places.find(({ documentId }) => documentId === chunk.documentId) ?? places[0];
  return place === undefined
    ? chunk
    : { ...chunk, documentId: place.documentId, sourceName: place.name, sourcePath: place.path };
}

/**
 * The store of one collection as one question may see it: the versions and the documents it asks for, under
 * the names they have now.
 */
export function visibleStore(
  store: VectorStore,
  collection: CollectionRecord,
  { versions = "latest", documents: named }: Pick<SearchRequest, "versions" | "documents">,
  documents: Documents,
): Pick<VectorStore, "search"> {
  const isLatest = versions === "latest";
  const wanted = named === undefined ? undefined : new Set(named);
  const visibleOf = isLatest ? documents.liveVersions : documents.keptVersions;
  return {
    async search(name, query, signal) {
      const hidden = isLatest ? await documents.hidden(collection.name) : [];
      const without: readonly Filter[] =
        hidden.length === 0 || hidden.length > mostHidden
          ? []
          : [{ not: { field: "versionId", in: hidden } }];
      const kept = typeof versions === "object" ? "all" : versions;
      const content = await byContent(query.filter, documents, kept === "latest" ? undefined : kept);
      const then =
        typeof versions === "object" ? await documents.visibleAt(collection.name, versions.at) : undefined;
      const within: readonly Filter[] = then === undefined ? [] : [{ field: "versionId", in: then }];
      const filter: Filter = { all: [content, ...without, ...within] };
      const result = await store.search(name, { ...query, filter }, signal).catch((error: unknown) => {
        throw missingVectorsError(error, collection.name, collection.instance);
      });
      const { dense, lexical, vectors } = result;
      const live = await visibleOf([...dense, ...lexical].map((hit) => hit.chunk.versionId));
      const isWanted = (documentId: string): boolean => wanted?.has(documentId) ?? true;
      const places = Map.groupBy(
        (await documents.places([...live])).filter(({ documentId }) => isWanted(documentId)),
        ({ contentId }) => contentId,
      );
      const visibleHits = (hits: readonly Hit[]): readonly Hit[] =>
        hits
          .filter(({ chunk }) => live.has(chunk.versionId))
          .map((hit) => ({ ...hit, chunk: placed(hit.chunk, places.get(hit.chunk.versionId) ?? []) }))
          .filter(({ chunk }) => isWanted(chunk.documentId));
      return { dense: visibleHits(dense), lexical: visibleHits(lexical), vectors };
    },
  };
}

/**
 * Documents named in a filter as the contents they have: a content may be in the store under another
 * document's id.
 */
async function byContent(
  filter: Filter,
  documents: Documents,
  versions: "all" | number | undefined,
): Promise<Filter> {
  if ("not" in filter) return { not: await byContent(filter.not, documents, versions) };
  if ("all" in filter)
    return { all: await Promise.all(filter.all.map((part) => byContent(part, documents, versions))) };
  if ("any" in filter)
    return { any: await Promise.all(filter.any.map((part) => byContent(part, documents, versions))) };
  return "field" in filter && filter.field === "documentId"
    ? { field: "versionId", in: await documents.contentsOf(filter.in, versions) }
    : filter;
}
