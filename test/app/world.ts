import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createRetrieval, type Retrieval } from "../../src/app/ask/retrieval.ts";
import { noLocalModels } from "../../src/app/engines/local-models.ts";
import { type Home, type HomeEngines, openHome } from "../../src/app/home.ts";
import { createSurface, type Surface } from "../../src/app/surface.ts";
import { openCache } from "../../src/cache/cache.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import type { Embedder } from "../../src/core/documents/embedding.ts";
import { RagctlError } from "../../src/core/errors.ts";
import type { CollectionSpec, Instance, VectorStore } from "../../src/core/retrieval.ts";
import type { Run } from "../../src/core/run.ts";
import { matches } from "../../src/drivers/stores/filter.ts";
import type { Database } from "../../src/registry/database.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { chunkOf } from "../helpers/chunk.ts";
import { fakeEmbedder } from "../pipeline/fakes.ts";

/**
 * What a store does wrong: a leaky one answers with everything it has, a lying one also says that all of it
 * is public.
 */
export interface StoreFault {
  leaky: boolean;
  lying?: boolean;
}

/** A store in memory; a leaky one answers a search with every chunk it has, of whatever collection. */
export function memoryStore(
  id: string,
  state: StoreFault,
): VectorStore & { readonly held: Map<string, Chunk[]> } {
  const held = new Map<string, Chunk[]>();
  const specs = new Map<string, CollectionSpec>();
  const of = (collection: string): readonly Chunk[] => held.get(collection) ?? [];
  return {
    id,
    held,
    version: async () => "memory",
    collections: async () => [...specs.values()],
    async ensure(spec) {
      specs.set(spec.name, spec);
    },
    async drop(collection) {
      held.delete(collection);
      specs.delete(collection);
    },
    async write(collection, chunks) {
      held.set(collection, [...of(collection), ...chunks.map(({ chunk }) => chunk)]);
    },
    async delete(collection, filter) {
      held.set(
        collection,
        of(collection).filter((chunk) => !matches(filter, chunk)),
      );
    },
    async search(collection, { filter, limit }) {
      if (!specs.has(collection)) throw new RagctlError("NOT_FOUND", `there is no collection ${collection}`);
      const found = (state.leaky ? [...held.values()].flat() : of(collection))
        .filter((chunk) => matches(filter, chunk))
        .slice(0, limit);
      const told =
        state.lying === true ? found.map((chunk) => ({ ...chunk, collection: "general_knowledge" })) : found;
      const hits = (via: "dense" | "lexical") =>
        told.map((chunk, index) => ({ chunk, score: 1 / (index + 1), via }));
      return { dense: hits("dense"), lexical: hits("lexical"), vectors: new Map() };
    },
    count: async (collection, filter) => of(collection).filter((chunk) => matches(filter, chunk)).length,
    async *list(collection, filter) {
      yield* (state.leaky ? [...held.values()].flat() : of(collection)).filter((chunk) =>
        matches(filter, chunk),
      );
    },
    async [Symbol.asyncDispose]() {},
  };
}

export const places: readonly (readonly [string, Instance])[] = [
  ["general_knowledge", "public"],
  ["company_policies", "public"],
  ["hr_private_docs", "private"],
  ["finance_private_docs", "private"],
  ["engineering_private_docs", "private"],
];

/** Stands in the text, title, name and path of everything a collection holds. */
export const secretOf = (collection: string): string => `${collection.replaceAll("_", "")}secret`;

/** A home with everything that can be called on it. */
export interface Core extends Home {
  readonly app: Surface;
  readonly retrieval: Retrieval;
}

/** Opens a home and its surface, as the app does. */
export function openCore(parts: HomeEngines): Core {
  const home = openHome(parts);
  const retrieval = createRetrieval(home);
  return { ...home, retrieval, app: createSurface(home, retrieval) };
}

export interface World {
  readonly core: Core;
  readonly registry: Database;
  readonly parts: HomeEngines;
  readonly leaky: StoreFault;
  run(principal: string): Run;
}

/** A core over a real registry, with a document of two chunks in every collection of `places`. */
export async function openWorld(
  context: Pick<TestContext, "after">,
  embedder: Embedder = fakeEmbedder(),
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-world-"));
  const registry = await openRegistry(join(folder, "registry.sqlite"));
  const cache = await openCache(join(folder, "cache"), { maxBytes: 1e6, warn: () => undefined });
  context.after(async () => {
    registry.close();
    cache[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  await registry.statement("PRAGMA synchronous = OFF").run();
  const leaky: StoreFault = { leaky: false };
  const stores = { public: memoryStore("public", leaky), private: memoryStore("private", leaky) };
  const { settings } = loadSettings({ flags: { home: folder }, trust: false });
  const parts: HomeEngines = {
    settings,
    programVersion: "0.0.0",
    registry,
    store: async (instance) => stores[instance],
    embedders: {
      of: () => async () => embedder,
      facts: async () => ({
        id: "fake",
        fingerprint: "fake:1",
        dimensions: 2,
        lexical: "bm25",
        analyzer: "standard",
        maxTokens: 64,
      }),
    },
    classifiers: {
      reranker: async () => assertNoWarning("no reranker was asked for"),
      entailment: async () => null,
    },
    localModels: noLocalModels,
    secret: () => undefined,
    environment: () => ({}),
    resources: new AsyncDisposableStack(),
    cache: async () => cache,
  };
  const core = openCore(parts);
  for (const [index, [collection, instance]] of places.entries()) {
    const spec = { name: collection, dimensions: 2, lexical: "bm25" as const, fingerprint: "fake:1" };
    await core.collections.ensure({ ...spec, instance, embedder: "fake" });
    await stores[instance].ensure(spec);
    const name = `${secretOf(collection)}.md`;
    const file = {
      path: `/documents/${name}`,
      name,
      format: "text" as const,
      sizeBytes: 9,
      sha256: String(index).repeat(64),
    };
    const begun = await core.documents.begin(file, { collection, instance, department: "" }, "fake:1");
    stores[instance].held.set(
      collection,
      [0, 1].map((ordinal) =>
        chunkOf({
          ...{
            id: `${begun.versionId}-${ordinal}`,
            documentId: begun.documentId,
            versionId: begun.versionId,
            ordinal,
            collection,
          },
          ...{
            text: `the ${secretOf(collection)} of part ${ordinal}`,
            title: secretOf(collection),
            sourceName: name,
            sourcePath: file.path,
          },
        }),
      ),
    );
    await core.documents.ready(begun.versionId, {
      title: secretOf(collection),
      pages: 0,
      chunks: 2,
      tokens: 12,
      tables: [],
    });
  }
  const log = {
    event: () => undefined,
    warn: (message: string) => void (skipped.test(message) || assertNoWarning(message)),
  };
  return {
    core,
    parts,
    registry,
    leaky,
    run: (principal) => ({ id: `run-${principal}`, principal, signal: new AbortController().signal, log }),
  };
}

/** Said of a document that is named beside others, whether it is not there or may not be read. */
const skipped = /^there is no document "[^"]+"; searching the other collections$/;

function assertNoWarning(message: string): never {
  throw new Error(`an unexpected warning: ${message}`);
}

/** What came back as text, and its error code, "" for none. */
export async function said(work: () => unknown): Promise<{ readonly code: string; readonly text: string }> {
  try {
    return { code: "", text: JSON.stringify(await work()) };
  } catch (error) {
    if (!(error instanceof RagctlError)) throw error;
    return { code: error.code, text: `${error.message} → ${error.hint}` };
  }
}
