import { fileURLToPath } from "node:url";
import { openEmbedder } from "../../src/app/engines/models.ts";
import { openStore } from "../../src/app/engines/stores.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import { lazy } from "../../src/core/lazy.ts";
import type { StoreResult, VectorStore } from "../../src/core/retrieval.ts";
import { openModelFolder } from "../../src/models/models.ts";
import type { CatalogueEntry } from "../../src/pipeline/retrieve/naming.ts";
import type { RetrieveDrivers } from "../../src/pipeline/retrieve/retrieve.ts";

const manifestPath = fileURLToPath(new URL("../../models/manifest.yaml", import.meta.url));

/** The owner's run, which logs nothing. */
export const evalRun = {
  id: "eval",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event: () => undefined, warn: () => undefined },
};

/** Settings of the flags `--set key=value`. */
export const flagsOf = (pairs: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );

/** Settings and models of a home, without its registry. */
export function openHome(home: string | undefined, flags: Readonly<Record<string, unknown>> = {}) {
  const { settings } = loadSettings({ flags: { ...flags, ...(home === undefined ? {} : { home }) } });
  return {
    settings,
    models: lazy(() => openModelFolder({ home: settings.home, manifestPath, hubUrl: settings.hub.url })),
  };
}

/**
 * A collection of the public instance, searched as `retrieve` does, without permissions; repeated searches
 * are remembered, unless there are so many that memory would not hold them.
 */
export async function openLibrary(
  { settings, models }: ReturnType<typeof openHome>,
  collection: string,
  { remembers = true }: { readonly remembers?: boolean } = {},
) {
  const resources = new AsyncDisposableStack();
  const embedder = lazy(async () => resources.use(await openEmbedder(settings, await models())));
  const store = await openStore("public", settings, models, resources, evalRun);
  const spec = (await store.collections()).find(({ name }) => name === collection);
  if (spec === undefined) throw new Error(`there is no collection "${collection}" in this home`);
  const kept = new Map<string, Promise<StoreResult>>();
  const remembering: VectorStore = {
    ...store,
    async search(name, query, signal) {
      const key = JSON.stringify([query.text, query.limit, query.filter, query.dense === undefined]);
      const found = kept.get(key) ?? store.search(name, { ...query, withVectors: true }, signal);
      if (remembers) kept.set(key, found);
      return found;
    },
  };
  const drivers: RetrieveDrivers = {
    embedder,
    targets: async () => [{ spec, store: remembering }],
    live: async (ids) => new Set(ids),
    settings: settings.retrieve,
  };
  return {
    drivers,
    /** All documents, by what people call them. */
    documents: lazy(async (): Promise<readonly CatalogueEntry[]> => {
      const byId = new Map<string, CatalogueEntry>();
      for await (const { documentId: id, sourceName: name, title } of store.list(collection, {
        all: [],
      }))
        byId.set(id, { id, name, title });
      return [...byId.values()];
    }),
    /** All chunks of the documents of a name. */
    chunksOf: async (name: string): Promise<readonly Chunk[]> =>
      Array.fromAsync(store.list(collection, { field: "sourceName", in: [name] })),
    chunksWith: async (ids: readonly string[]): Promise<readonly Chunk[]> =>
      ids.length === 0
        ? Promise.resolve([])
        : Array.fromAsync(store.list(collection, { field: "id", in: ids })),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
