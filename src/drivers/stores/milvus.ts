import type { Chunk } from "../../core/documents/chunk.ts";
import type { EmbeddedChunk } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type {
  CollectionSpec,
  EmbeddedRows,
  Filter,
  LexicalIndex,
  StoreQuery,
  StoreResult,
  VectorStore,
  WriteTimes,
} from "../../core/retrieval.ts";
import { conditionExpression, normalise } from "./filter.ts";
import { keepConnected } from "./kept-connection.ts";
import { type FreeBytes, verifyPersisted, withDiskErrors } from "./lite-disk.ts";
import {
  type CollectionOptions,
  capabilities,
  type MilvusCollections,
  milvusCollections,
} from "./milvus-collections.ts";
import { type Connection, connect, type MilvusAddress } from "./milvus-connection.ts";
import { consistencyLevels, countRows, idIn, listIds, queryRows, readPages, strong } from "./milvus-read.ts";
import { assertSameSpec, type DenseIndex, type StoredCollection } from "./milvus-schema.ts";
import { type SearchOptions, searchCollection } from "./milvus-search.ts";
import { resolveTextFilters } from "./milvus-texts.ts";
import { awaitWrites, flushWrites, writeTimeOf } from "./milvus-writes.ts";
import { embeddedColumns, type StoredRow, toEmbedded, toRow } from "./rows.ts";

/** How a store makes and searches its collections. */
export interface StoreOptions extends Omit<CollectionOptions, "hasLexicalIndex">, Partial<SearchOptions> {
  /** Searches words where the server cannot; without it such a server is refused. */
  readonly lexicalIndex?: () => Promise<LexicalIndex>;
  /** Shared by all who use the server; without it each read waits for whatever may have been written. */
  readonly writes?: WriteTimes;
  /** Folder of the database, for a Milvus Lite of ours: what it confirms is checked against its file. */
  readonly folder?: string;
  /** Default: asks the file system. */
  readonly freeBytes?: FreeBytes;
}

export interface MilvusOptions extends MilvusAddress, StoreOptions {}

/** One write request stays below both; servers take 64 MB. */
const sliceRows = 1_000;
const sliceBytes = 4 * 1024 * 1024;

/** A store whose collections can be copied without embedding again. */
export interface MilvusStore extends VectorStore, EmbeddedRows {}

/** A Milvus by address. */
export default function open(options: MilvusOptions): MilvusStore {
  return createStore(options.id, () => connect(options), options);
}

/** A loaded collection and its dense index. */
interface OpenCollection extends StoredCollection {
  readonly denseIndex: DenseIndex;
}

/** One server and its known collections. */
interface Server {
  readonly id: string;
  readonly call: Connection["call"];
  readonly collections: MilvusCollections;
  readonly options: SearchOptions;
  readonly lexicalIndex: (() => Promise<LexicalIndex>) | undefined;
  readonly writes: WriteTimes | undefined;
  /** Where its file is, for a Milvus Lite of ours. */
  readonly local: { readonly folder: string; readonly freeBytes: FreeBytes | undefined } | undefined;
  /** Opens the connection, another one where the last was lost. */
  readonly ready: () => Promise<void>;
  /** Rows that this process wrote to each collection since the server was asked to seal them. */
  readonly unsealed: Map<string, number>;
  /** Collections that are loaded, by name. */
  readonly open: Map<string, OpenCollection>;
}

/** A store over a connection made at once; a failed first try is tried again by the next call. */
export function createStore(
  id: string,
  connecting: () => Promise<Connection>,
  { lexicalIndex, writes, folder, freeBytes, ...options }: StoreOptions = {},
): MilvusStore {
  const open = new Map<string, OpenCollection>();
  const unsealed = new Map<string, number>();
  const connection = keepConnected(connecting, folder !== undefined, () => {
    // Another server has loaded nothing yet.
    open.clear();
    unsealed.clear();
  });
  const local = folder === undefined ? undefined : { folder, freeBytes };
  const call =
    local === undefined ? connection.call : withDiskErrors({ id, call: connection.call, ...local });
  const collections = milvusCollections(id, call, {
    ...options,
    hasLexicalIndex: lexicalIndex !== undefined,
  });
  const { ef = 64, nprobe = 16, consistency = "session" } = options;
  const server: Server = {
    id,
    call,
    collections,
    options: { ef, nprobe, consistency },
    lexicalIndex,
    writes,
    local,
    ready: connection.ready,
    unsealed,
    open,
  };
  const { again, use } = connection;
  const on = <A extends unknown[], R>(
    work: (server: Server, collection: string, ...given: A) => Promise<R>,
  ): ((collection: string, ...given: A) => Promise<R>) =>
    again((collection, ...given) => use(collection, () => work(server, collection, ...given)));
  return {
    id,
    version: again(() => readVersion(server)),
    collections: again(async () => {
      const stored = await Promise.all((await collections.names()).map(collections.read));
      return stored.flatMap((each) => (each === undefined ? [] : [each.spec]));
    }),
    ensure: again((spec, signal) => use(spec.name, () => ensureCollection(server, spec, signal))),
    drop: again((collection) => dropCollection(server, collection)),
    write: on(writeChunks),
    delete: on(deleteChunks),
    search: on(searchChunks),
    count: on(countChunks),
    async *list(collection, filter) {
      const pages = listPages(server, collection, filter);
      const next = () => use(collection, () => pages.next());
      for (let page = await next(); page.done !== true; page = await next()) yield* page.value;
    },
    ids: on((_, collection) => describe(server, collection).then(() => listIds(server, collection, ""))),
    rows: on(readEmbedded),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

async function readVersion(server: Server): Promise<string> {
  const { version = "" } = await server.call("tell its version", (client) => client.getVersion());
  if (version === "") return "Milvus (reports no version)";
  const words = capabilities(version).hasSparse.bm25 ? "" : " (no BM25; lexical search runs in the home)";
  return `Milvus ${version}${words}`;
}

/** Lite answers a describe of an unknown name with nothing at all, so the list is asked first. */
async function describe(server: Server, name: string, signal?: AbortSignal): Promise<OpenCollection> {
  const { id, collections, open } = server;
  await server.ready();
  const loaded = open.get(name);
  if (loaded !== undefined) return loaded;
  if (!(await collections.names(signal)).includes(name)) {
    throw new RagctlError("NOT_FOUND", `store "${id}" has no collection "${name}"`, {
      hint: "to list collections: ragctl collections",
    });
  }
  const stored = await collections.read(name);
  if (stored === undefined) {
    throw new RagctlError("STORE_FAILED", `collection "${name}" of store "${id}" was not created by ragctl`, {
      hint: "use another collection name",
    });
  }
  const collection = { ...stored, denseIndex: await collections.load(stored, signal) };
  if (!collection.hasSparse) await bringInStep(server, collection);
  open.set(name, collection);
  return collection;
}

async function ensureCollection(server: Server, spec: CollectionSpec, signal?: AbortSignal): Promise<void> {
  const { collections, open } = server;
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(spec.name)) {
    throw new RagctlError("USAGE_INVALID", `"${spec.name}" is not a valid collection name`, {
      hint: "use up to 63 lowercase letters, digits and underscores, starting with a letter",
    });
  }
  // A loaded collection remains loaded; only its existence must be checked, because another process may have
  // dropped it.
  if (!(await collections.names(signal)).includes(spec.name)) {
    open.delete(spec.name);
    await collections.create(spec);
  }
  assertSameSpec(server.id, (await describe(server, spec.name, signal)).spec, spec);
}

async function dropCollection(server: Server, name: string): Promise<void> {
  server.open.delete(name);
  if ((await server.collections.names()).includes(name))
    await server.call(`drop collection "${name}"`, (client) =>
      client.dropCollection({ collection_name: name }),
    );
  (await server.lexicalIndex?.())?.drop(name);
}

/** The index of the words of a collection that its server cannot search by words. @throws STORE_FAILED */
async function wordsOf({ id, lexicalIndex }: Server, { name }: CollectionSpec): Promise<LexicalIndex> {
  if (lexicalIndex !== undefined) return lexicalIndex();
  throw new RagctlError("STORE_FAILED", `collection "${name}" in store "${id}" has no lexical vectors`, {
    hint: "it was created on a Milvus without sparse vectors; use the settings it was created with",
  });
}

/**
 * Reads words that another process wrote, or that a killed one failed to write, from the store; removes those
 * of deleted chunks. A chunk's id identifies its content, so only ids are compared, and only where the
 * numbers of chunks differ.
 */
async function bringInStep(server: Server, { spec }: StoredCollection): Promise<void> {
  const words = await wordsOf(server, spec);
  if (words.count(spec) === (await countRows(server, spec.name, ""))) return;
  const stored = new Set(await listIds(server, spec.name, ""));
  const indexed = new Set(words.ids(spec));
  const surplus = [...indexed.difference(stored)];
  if (surplus.length > 0) words.delete(spec, { field: "id", in: surplus });
  for await (const page of readPages(server, spec, [...stored.difference(indexed)])) words.put(spec, page);
}

async function writeChunks(
  server: Server,
  collection: string,
  chunks: readonly EmbeddedChunk[],
): Promise<void> {
  const { spec, hasSparse } = await describe(server, collection);
  let slice: StoredRow[] = [];
  let bytes = 0;
  // Two rows of one id in one request are both kept by some servers: the last one wins here.
  const unique = [...new Map(chunks.map((each) => [each.chunk.id, each])).values()];
  for (const embedded of unique) {
    checkDimensions(spec, embedded);
    if (hasSparse) checkWeights(spec, embedded);
    const { row, sizeBytes } = toRow(embedded, spec.lexical, hasSparse);
    if (slice.length > 0 && (slice.length >= sliceRows || bytes + sizeBytes > sliceBytes)) {
      await upsert(server, collection, slice);
      slice = [];
      bytes = 0;
    }
    slice.push(row);
    bytes += sizeBytes;
  }
  if (slice.length > 0) await upsert(server, collection, slice);
  if (hasSparse) return;
  const words = await wordsOf(server, spec);
  words.put(
    spec,
    unique.map(({ chunk }) => chunk),
  );
}

function checkDimensions({ name, dimensions }: CollectionSpec, { embedding }: EmbeddedChunk): void {
  if (embedding.dense.length === dimensions) return;
  throw new RagctlError(
    "FINGERPRINT_MISMATCH",
    `collection "${name}" has ${dimensions} dimensions, not ${embedding.dense.length}`,
    { hint: "ingest into a new collection: ragctl ingest --collection NEWNAME …" },
  );
}

/** Weights that another server did not keep cannot be made up: nothing would be found by words. */
function checkWeights({ name, lexical }: CollectionSpec, { embedding }: EmbeddedChunk): void {
  if (lexical === "bm25" || embedding.sparse !== undefined) return;
  throw new RagctlError(
    "STORE_FAILED",
    `collection "${name}" needs learned weights, which these chunks lack`,
    {
      hint: `rebuild them from the documents: ragctl reembed --collection ${name}`,
    },
  );
}

async function upsert(server: Server, collection: string, rows: readonly StoredRow[]): Promise<void> {
  const response = await server.call(`write to collection "${collection}"`, (client) =>
    client.upsert({
      collection_name: collection,
      // The SDK types rows by its own value union; ours are the subset it documents for these columns.
      data: [...rows] as Parameters<typeof client.upsert>[0]["data"] & object,
    }),
  );
  const writtenMs = writeTimeOf(response.timestamp);
  if (writtenMs !== undefined) {
    await server.writes?.note(collection, writtenMs);
    // A Lite says no time, and has no segments.
    await flushWrites(server, collection, rows.length);
  }
  const refused = response.err_index.length;
  if (refused > 0) {
    throw new RagctlError(
      "STORE_FAILED",
      `store "${server.id}" rejected ${refused} of ${rows.length} chunks`,
    );
  }
  if (server.local === undefined) return;
  const ids = rows.map((row) => String(row["id"]));
  await verifyPersisted({ ...server.local, id: server.id, call: server.call }, collection, ids);
}

async function deleteChunks(server: Server, collection: string, filter: Filter): Promise<void> {
  const condition = normalise(filter);
  if (condition.kind === "everything") {
    throw new RagctlError(
      "USAGE_INVALID",
      `refused to delete every chunk of collection "${collection}" by a filter`,
      { hint: "drop the collection instead" },
    );
  }
  if (condition.kind === "nothing") return;
  const { spec, hasSparse } = await describe(server, collection);
  const expression = conditionExpression(condition);
  await server.call(`delete from collection "${collection}"`, (client) =>
    client.delete({ collection_name: collection, filter: expression, consistency_level: "Strong" }),
  );
  // Milvus 2.3.5 says no time of a delete that a search could wait for: a strong read is one that has waited.
  if (server.writes !== undefined) await countRows(server, collection, 'id == ""');
  if (!hasSparse) (await wordsOf(server, spec)).delete(spec, filter);
}

async function searchChunks(
  server: Server,
  collection: string,
  asked: StoreQuery,
  signal: AbortSignal,
): Promise<StoreResult> {
  signal.throwIfAborted();
  const { spec, hasSparse, denseIndex } = await describe(server, collection, signal);
  const query = { ...asked, filter: await resolveTextFilters(server, spec, asked.filter) };
  const isEmpty = async (): Promise<boolean> => (await countRows(server, collection, "")) === 0;
  const words = hasSparse ? undefined : await wordsOf(server, spec);
  const { consistency } = server.options;
  const consistencyLevel =
    consistency === "session" ? await awaitWrites(server, collection) : consistencyLevels[consistency];
  return searchCollection({ ...server, consistencyLevel, denseIndex, words, isEmpty }, spec, query, signal);
}

async function countChunks(server: Server, collection: string, filter: Filter): Promise<number> {
  const { spec } = await describe(server, collection);
  const condition = normalise(await resolveTextFilters(server, spec, filter));
  if (condition.kind === "nothing") return 0;
  return countRows(server, collection, conditionExpression(condition));
}

async function* listPages(
  server: Server,
  collection: string,
  filter: Filter,
): AsyncGenerator<readonly Chunk[]> {
  const { spec } = await describe(server, collection);
  const condition = normalise(await resolveTextFilters(server, spec, filter));
  if (condition.kind === "nothing") return;
  const level = server.options.consistency === "strong" ? strong : await awaitWrites(server, collection);
  const ids = await listIds(server, collection, conditionExpression(condition), level);
  yield* readPages(server, spec, ids, level);
}

/** Chunks with the stored embeddings; BM25 is computed again from the text. */
async function readEmbedded(
  server: Server,
  collection: string,
  ids: readonly string[],
): Promise<readonly EmbeddedChunk[]> {
  const { spec, hasSparse } = await describe(server, collection);
  const rows = await queryRows(server, collection, idIn(ids), embeddedColumns(spec.lexical, hasSparse));
  return rows.map(toEmbedded);
}
