import { setTimeout as sleep } from "node:timers/promises";
import type { CreateIndexSimpleReq } from "@zilliz/milvus2-sdk-node";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec } from "../../core/retrieval.ts";
import type { Connection } from "./milvus-connection.ts";
import {
  creation,
  type DenseIndex,
  denseIndexOf,
  type IndexKind,
  indexes,
  type Making,
  type Metric,
  parseStoredCollection,
  type StoredCollection,
} from "./milvus-schema.ts";

/**
 * How a store makes and finds its collections; a collection is loaded only when every index it needs is on
 * it.
 */
export interface MilvusCollections {
  /** Waits, within bounds, while the server is still starting. @throws STORE_UNAVAILABLE */
  names(signal?: AbortSignal): Promise<readonly string[]>;
  /** What ragctl wrote about a collection; undefined for one of another program. */
  read(name: string): Promise<StoredCollection | undefined>;
  /**
   * Makes a collection with its indexes, or nothing at all. @throws STORE_FAILED, also for a server that is
   * too old where nothing else searches words, before anything is made
   */
  create(spec: CollectionSpec): Promise<void>;
  /**
   * Creates indexes that are missing because the process that made the collection ended early, then loads it;
   * returns the dense index. @throws STORE_FAILED, and nothing is loaded
   */
  load(stored: StoredCollection, signal?: AbortSignal): Promise<DenseIndex>;
}

/** How a store makes its collections. */
export interface CollectionOptions {
  /** `auto`: HNSW on a server, and exact on a Lite, which has no graph. Default `auto`. */
  readonly indexKind?: IndexKind | "auto";
  /** Default `IP`. */
  readonly metric?: Metric;
  /** Default `none`. */
  readonly partitionBy?: Making["partitionBy"];
  /** How long a server that is still starting is waited for, ms. Default 30 000. */
  readonly startTimeoutMs?: number;
  /** Whether words are searched elsewhere where the server cannot. Default false. */
  readonly hasLexicalIndex?: boolean;
}

/** How long a server that is still starting is waited for, ms. Milvus 2.3.5 takes 14 s to start. */
const startingMs = 30_000;

/**
 * First versions of Milvus with what a collection needs: BM25 functions, or two vector columns with one
 * sparse. Source: release notes.
 */
const neededVersion = { bm25: [2, 5], sparse: [2, 4] } as const;

/** Capabilities of a server, by the version that it reports. */
export interface StoreCapabilities {
  /** Lite 2.5: it alone reports no version, and has neither graphs nor partitions. */
  readonly isLite: boolean;
  /** Whether each kind of word search is the server's own. */
  readonly hasSparse: Readonly<Record<CollectionSpec["lexical"], boolean>>;
  /** Milvus 2.3.5 has them too, but puts rows that are upserted where a filter by the key does not look. */
  readonly hasPartitionKeys: boolean;
  /** Whether `like` finds a text within another, not only at its beginning. */
  readonly findsWithin: boolean;
}

/** Derives the capabilities of a server from the version that it reports; "" where it reports none. */
export function capabilities(version: string): StoreCapabilities {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  const has = ([needed, neededMinor]: readonly [number, number]): boolean =>
    major === undefined ||
    Number(major) > needed ||
    (Number(major) === needed && Number(minor) >= neededMinor);
  return {
    isLite: version === "",
    hasSparse: { bm25: has(neededVersion.bm25), sparse: has(neededVersion.sparse) },
    hasPartitionKeys: version !== "" && has([2, 4]),
    findsWithin: has([2, 4]),
  };
}

/** A server, and how collections are made on it. */
interface Server {
  /** Of its store, for messages. */
  readonly id: string;
  readonly call: Connection["call"];
  readonly options: CollectionOptions;
}

/** The collections of one server. */
export function milvusCollections(
  id: string,
  call: Connection["call"],
  options: CollectionOptions = {},
): MilvusCollections {
  const server: Server = { id, call, options };
  return {
    names: (signal) => names(server, signal),
    async read(name) {
      const response = await call(`describe collection "${name}"`, (client) =>
        client.describeCollection({ collection_name: name }),
      );
      return parseStoredCollection(name, response);
    },
    create: (spec) => create(spec, server),
    async load(stored, signal) {
      const { name } = stored.spec;
      const found = await describeIndexes(name, server);
      const hasAdded = await addMissingIndexes(stored, found, server);
      await loadCollection(name, server, signal);
      return denseIndexOf(hasAdded ? await describeIndexes(name, server) : found);
    },
  };
}

async function names(server: Server, signal?: AbortSignal): Promise<readonly string[]> {
  const list = () => server.call("list its collections", (client) => client.showCollections());
  const response = await untilStarted(server, list, signal);
  return response.data.map((each) => each.name);
}

/** Makes a collection with its indexes, or nothing at all. */
async function create(spec: CollectionSpec, server: Server): Promise<void> {
  const { call } = server;
  const made = await makingOf(spec, server);
  try {
    await call(`create collection "${spec.name}"`, (client) => client.createCollection(creation(spec, made)));
  } catch (error) {
    // Another process may have created it in between: then it is there and is checked like any other.
    if ((await names(server)).includes(spec.name)) return;
    throw error;
  }
  try {
    for (const request of indexes(spec, made)) await createIndex(request, server);
  } catch (error) {
    // A collection without its indexes must not remain: loading it can end the server. If this fails, `load`
    // refuses it.
    await call(`drop collection "${spec.name}"`, (client) =>
      client.dropCollection({ collection_name: spec.name }),
    ).catch(() => undefined);
    throw error;
  }
}

async function createIndex(request: CreateIndexSimpleReq, { call }: Server): Promise<void> {
  await call(`index collection "${request.collection_name}"`, (client) => client.createIndex(request));
}

async function describeIndexes(name: string, { call }: Server) {
  const response = await call(`describe the indexes of collection "${name}"`, (client) =>
    client.describeIndex({ collection_name: name }),
  ).catch((error: unknown) => {
    if (saysNoIndex(error)) return { index_descriptions: [] };
    throw error;
  });
  return response.index_descriptions;
}

/** Creates the indexes that a collection lacks, and says whether there were any. @throws STORE_FAILED */
async function addMissingIndexes(
  { spec, hasSparse }: StoredCollection,
  found: Awaited<ReturnType<typeof describeIndexes>>,
  server: Server,
): Promise<boolean> {
  const indexed = new Set(found.map((each) => each.field_name));
  if (indexed.size >= (hasSparse ? 2 : 1)) return false;
  const all = indexes(spec, { ...(await makingOf(spec, server)), hasSparse });
  for (const request of all.filter((each) => !indexed.has(each.field_name))) {
    await createIndex(request, server).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new RagctlError(
        "STORE_FAILED",
        `collection "${spec.name}" lacks the index of ${request.field_name}: ${reason}`,
        {
          hint: "its creation was interrupted, so it cannot be searched; drop it on the server, then ingest again",
          cause,
        },
      );
    });
  }
  return true;
}

async function makingOf(spec: CollectionSpec, { id, call, options }: Server): Promise<Making> {
  const { version = "" } = await call("tell its version", (client) => client.getVersion());
  return making(id, version, spec, options);
}

/**
 * How a server of this version is asked to make a collection.
 * @throws STORE_FAILED for one that is too old
 */
function making(
  id: string,
  version: string,
  { lexical }: CollectionSpec,
  { indexKind = "auto", metric = "IP", partitionBy = "none", hasLexicalIndex = false }: CollectionOptions,
): Making {
  const { isLite, hasSparse, hasPartitionKeys } = capabilities(version);
  if (!hasSparse[lexical] && !hasLexicalIndex) {
    const [needed, neededMinor] = neededVersion[lexical];
    throw new RagctlError(
      "STORE_FAILED",
      `store "${id}" is Milvus ${version}; ${lexical} search needs ${needed}.${neededMinor} or newer`,
      { hint: "update the server, or clear its address in the settings to use the local Milvus Lite" },
    );
  }
  if (partitionBy !== "none" && !hasPartitionKeys) {
    const server = version === "" ? "a Milvus Lite" : `Milvus ${version}`;
    throw new RagctlError(
      "STORE_FAILED",
      `store "${id}" is ${server}, which does not support partitions by department`,
      {
        hint: "set milvus.partitionBy to none; department filters work without it",
      },
    );
  }
  const kind = indexKind === "auto" ? (isLite ? "flat" : "hnsw") : indexKind;
  return { indexKind: kind, metric, partitionBy, hasSparse: hasSparse[lexical] };
}

/** The SDK's own waiting load sleeps 400 ms even when the collection is in memory already. */
async function loadCollection(name: string, server: Server, signal?: AbortSignal): Promise<void> {
  const what = `load collection "${name}"`;
  const load = () => server.call(what, (client) => client.loadCollectionAsync({ collection_name: name }));
  await untilStarted(server, load, signal);
  for (;;) {
    const { progress } = await server.call(what, (client) =>
      client.getLoadingProgress({ collection_name: name }),
    );
    if (Number(progress) >= 100) return;
    await sleep(25, undefined, signal === undefined ? {} : { signal });
  }
}

/**
 * A server listens before its coordinators are ready: until then it answers nothing, which the SDK trips
 * over, or says that it is not ready. Several first loads at once can meet a Milvus Lite 2.5 that has not set
 * up its memory maps yet.
 */
async function untilStarted<T>(
  { id, options: { startTimeoutMs: timeoutMs = startingMs } }: Server,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, 2_000)) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (cause) {
      if (!saysStarting(cause)) throw cause;
      if (performance.now() + pauseMs > deadline) {
        const waited = (timeoutMs / 1000).toFixed(0);
        throw new RagctlError(
          "STORE_UNAVAILABLE",
          `store "${id}" is still starting: it did not respond within ${waited} s`,
          {
            hint: "run the command again when the server reports that it is healthy",
            cause,
          },
        );
      }
    }
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.reason ?? error;
    });
  }
}

function saysStarting(error: unknown): boolean {
  if (!(error instanceof RagctlError) || error.code !== "STORE_FAILED") return false;
  return (
    error.cause instanceof TypeError ||
    /\b(?:not ready|not been init\w*|not healthy|is starting|initializing|NotReadyServe)\b/i.test(
      error.message,
    )
  );
}

/**
 * IndexNotFound of Milvus (pkg/merr): standalone 2.3.5 and milvus-lite 3.2.2 answer so for a collection
 * without any index, Lite 2.5 with an empty list.
 */
const indexNotFound = "Milvus code 700";

function saysNoIndex(error: unknown): boolean {
  return (
    error instanceof RagctlError && error.cause instanceof Error && error.cause.message === indexNotFound
  );
}
