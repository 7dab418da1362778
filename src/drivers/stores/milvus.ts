import type { Chunk } from "../../core/documents/chunk.ts";
import type { EmbeddedChunk } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec, Filter, StoreQuery, StoreResult, VectorStore } from "../../core/retrieval.ts";
import { conditionExpression, normalise } from "./filter.ts";
import { type MilvusCollections, milvusCollections } from "./milvus-collections.ts";
import { type Connection, connect, type MilvusAddress } from "./milvus-connection.ts";
import { checkSame, type IndexKind } from "./milvus-schema.ts";
import { searchCollection, strong } from "./milvus-search.ts";
import { chunkColumns, lexicalColumn, type Row, toChunk, toRow } from "./rows.ts";

export interface MilvusOptions extends MilvusAddress {
  /** `flat` is exact and all Lite 2.5 has; `hnsw` for servers. */
  readonly indexKind: IndexKind;
}

/** One write request stays below both; servers take 64 MB. */
const sliceRows = 1_000;
const sliceBytes = 4 * 1024 * 1024;
/** Rows read per page of `list`. */
const pageRows = 1_000;

/** A Milvus by address: connects on first use. */
export default function open(options: MilvusOptions): VectorStore {
  return createStore(options.id, options.indexKind, () => connect(options));
}

/** One server and what is known of its collections. */
interface Server {
  readonly id: string;
  readonly indexKind: IndexKind;
  readonly call: Connection["call"];
  readonly collections: MilvusCollections;
  /** Collections that are loaded, by name. */
  readonly specs: Map<string, CollectionSpec>;
}

/**
 * A store over a connection made on first use; a failed first try is tried again by the next call.
 * `starting.startTimeoutMs`: how long a server that is still starting is waited for, default 30 000.
 */
export function createStore(
  id: string,
  indexKind: IndexKind,
  connecting: () => Promise<Connection>,
  starting: { readonly startTimeoutMs?: number } = {},
): VectorStore {
  const connection = connectOnUse(connecting);
  const { call } = connection;
  const collections = milvusCollections(id, indexKind, call, starting);
  const server: Server = { id, indexKind, call, collections, specs: new Map() };
  return {
    id,
    version: () => readVersion(server),
    async collections() {
      const specs = await Promise.all((await collections.names()).map(collections.read));
      return specs.filter((spec) => spec !== undefined);
    },
    ensure: (spec, signal) => ensureCollection(server, spec, signal),
    drop: (collection) => dropCollection(server, collection),
    write: (collection, chunks) => writeChunks(server, collection, chunks),
    delete: (collection, filter) => deleteChunks(server, collection, filter),
    search: (collection, query, signal) => searchChunks(server, collection, query, signal),
    async count(collection, filter) {
      const condition = normalise(filter);
      await describe(server, collection);
      if (condition.kind === "nothing") return 0;
      return countRows(server, collection, conditionExpression(condition));
    },
    list: (collection, filter) => listChunks(server, collection, filter),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** A connection that is opened by its first call and, once closed, by the next one. */
function connectOnUse(connecting: () => Promise<Connection>): Connection {
  let connection: Promise<Connection> | undefined;
  return {
    async call(what, use) {
      connection ??= connecting();
      const pending = connection;
      const opened = await pending.catch((error: unknown) => {
        if (connection === pending) connection = undefined;
        throw error;
      });
      return opened.call(what, use);
    },
    async [Symbol.asyncDispose]() {
      const opened = await connection?.catch(() => undefined);
      connection = undefined;
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

async function readVersion(server: Server): Promise<string> {
  const { version = "" } = await server.call("tell its version", (client) => client.getVersion());
  return version === "" ? "Milvus (reports no version)" : `Milvus ${version}`;
}

/** Lite answers a describe of an unknown name with nothing at all, so the list is asked first. */
async function describe(server: Server, name: string, signal?: AbortSignal): Promise<CollectionSpec> {
  const { id, collections, specs } = server;
  const loaded = specs.get(name);
  if (loaded !== undefined) return loaded;
  if (!(await collections.names(signal)).includes(name)) {
    throw new RagctlError("NOT_FOUND", `store "${id}" has no collection "${name}"`, {
      hint: "list them with: ragctl collections",
    });
  }
  const spec = await collections.read(name);
  if (spec === undefined) {
    throw new RagctlError("STORE_FAILED", `collection "${name}" of store "${id}" was not made by ragctl`, {
      hint: "use another collection name",
    });
  }
  await collections.load(spec, signal);
  specs.set(name, spec);
  return spec;
}

async function ensureCollection(server: Server, spec: CollectionSpec, signal?: AbortSignal): Promise<void> {
  const { collections, specs } = server;
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(spec.name)) {
    throw new RagctlError("USAGE_INVALID", `"${spec.name}" cannot name a collection`, {
      hint: "use a-z, 0-9 and _, starting with a letter, at most 63",
    });
  }
  specs.delete(spec.name);
  if (!(await collections.names(signal)).includes(spec.name)) await collections.create(spec);
  checkSame(server.id, await describe(server, spec.name, signal), spec);
}

async function dropCollection(server: Server, name: string): Promise<void> {
  server.specs.delete(name);
  if (!(await server.collections.names()).includes(name)) return;
  await server.call(`drop collection "${name}"`, (client) =>
    client.dropCollection({ collection_name: name }),
  );
}

async function writeChunks(
  server: Server,
  collection: string,
  chunks: readonly EmbeddedChunk[],
): Promise<void> {
  const spec = await describe(server, collection);
  let slice: Row[] = [];
  let bytes = 0;
  // Two rows of one id in one request are both kept by some servers: the last one wins here.
  for (const embedded of new Map(chunks.map((each) => [each.chunk.id, each])).values()) {
    checkDimensions(spec, embedded);
    const { row, sizeBytes } = toRow(embedded, spec.lexical);
    if (slice.length > 0 && (slice.length >= sliceRows || bytes + sizeBytes > sliceBytes)) {
      await upsert(server, collection, slice);
      slice = [];
      bytes = 0;
    }
    slice.push(row);
    bytes += sizeBytes;
  }
  if (slice.length > 0) await upsert(server, collection, slice);
}

function checkDimensions({ name, dimensions }: CollectionSpec, { embedding }: EmbeddedChunk): void {
  if (embedding.dense.length === dimensions) return;
  throw new RagctlError(
    "FINGERPRINT_MISMATCH",
    `collection "${name}" holds ${dimensions} dimensions, not ${embedding.dense.length}`,
    { hint: "ingest into a new collection: ragctl ingest --collection NEWNAME …" },
  );
}

async function upsert(server: Server, collection: string, rows: readonly Row[]): Promise<void> {
  const response = await server.call(`write to collection "${collection}"`, (client) =>
    client.upsert({
      collection_name: collection,
      // The SDK types rows by its own value union; ours are the subset it documents for these columns.
      data: [...rows] as Parameters<typeof client.upsert>[0]["data"] & object,
    }),
  );
  const refused = response.err_index.length;
  if (refused > 0) {
    throw new RagctlError("STORE_FAILED", `store "${server.id}" refused ${refused} of ${rows.length} chunks`);
  }
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
  await describe(server, collection);
  const expression = conditionExpression(condition);
  await server.call(`delete from collection "${collection}"`, (client) =>
    client.delete({ collection_name: collection, filter: expression, consistency_level: "Strong" }),
  );
}

async function searchChunks(
  server: Server,
  collection: string,
  query: StoreQuery,
  signal: AbortSignal,
): Promise<StoreResult> {
  signal.throwIfAborted();
  const spec = await describe(server, collection, signal);
  const isEmpty = async (): Promise<boolean> => (await countRows(server, collection, "")) === 0;
  return searchCollection({ ...server, isEmpty }, spec, query, signal);
}

async function countRows(server: Server, collection: string, expression: string): Promise<number> {
  const response = await server.call(`count collection "${collection}"`, (client) =>
    client.query({
      collection_name: collection,
      filter: expression,
      output_fields: ["count(*)"],
      consistency_level: strong,
    }),
  );
  return Number(response.data[0]?.["count(*)"] ?? 0);
}

async function* listChunks(server: Server, collection: string, filter: Filter): AsyncGenerator<Chunk> {
  const condition = normalise(filter);
  const { lexical } = await describe(server, collection);
  if (condition.kind === "nothing") return;
  const columns = lexical === "bm25" ? [...chunkColumns, lexicalColumn] : [...chunkColumns];
  const ids = await listIds(server, collection, conditionExpression(condition));
  // Pages by id, not by offset or cursor: exact on every server whatever order it returns rows in.
  for (let start = 0; start < ids.length; start += pageRows) {
    const page = ids.slice(start, start + pageRows).map((id) => JSON.stringify(id));
    const response = await server.call(`read collection "${collection}"`, (client) =>
      client.query({
        collection_name: collection,
        filter: `id in [${page.join(",")}]`,
        output_fields: columns,
        consistency_level: strong,
      }),
    );
    for (const row of response.data) yield toChunk(row);
  }
}

async function listIds(server: Server, collection: string, expression: string): Promise<readonly string[]> {
  const response = await server.call(`list collection "${collection}"`, (client) =>
    client.query({
      collection_name: collection,
      filter: expression === "" ? 'id != ""' : expression,
      output_fields: ["id"],
      consistency_level: strong,
    }),
  );
  return response.data.map((row) => String(row["id"]));
}
