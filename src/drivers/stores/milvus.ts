import { RagctlError } from "../../core/errors.ts";
import type { Filter, Hit, StoreQuery, VectorStore, Via } from "../../core/retrieval.ts";
import { conditionExpression, matches, normalise } from "./filter.ts";
import { type Connection, connect, type MilvusAddress } from "./milvus-connection.ts";
import { checkSame, creation, type IndexKind, indexes, specOf } from "./milvus-schema.ts";
import { chunkColumns, type Row, sparseRow, toChunk, toRow } from "./rows.ts";
import type { CollectionSpec } from "../../core/retrieval.ts";

export interface MilvusOptions extends MilvusAddress {
  /** `flat` is exact and all Lite 2.5 has; `hnsw` for servers. */
  readonly indexKind: IndexKind;
}

/** One write request stays below both; servers take 64 MB. */
const sliceRows = 1_000;
const sliceBytes = 4 * 1024 * 1024;
/** Rows read per page of `list`. */
const pageRows = 1_000;
/** Most hits any Milvus returns for one search. */
const maxHits = 16_384;
/** ConsistencyLevel Strong of the Milvus protocol: a read sees every write that returned before it. */
const strong = 0;

/** A Milvus by address: connects on first use. */
export default function open(options: MilvusOptions): VectorStore {
  return createStore(options.id, options.indexKind, () => connect(options));
}

/** A store over a connection made on first use; a failed first try is tried again by the next call. */
export function createStore(id: string, indexKind: IndexKind, connecting: () => Promise<Connection>): VectorStore {
  let connection: Promise<Connection> | undefined;
  const specs = new Map<string, CollectionSpec>();

  const call: Connection["call"] = async (what, use) => {
    connection ??= connecting();
    const pending = connection;
    const opened = await pending.catch((error: unknown) => {
      if (connection === pending) connection = undefined;
      throw error;
    });
    return opened.call(what, use);
  };

  const names = async (): Promise<readonly string[]> => {
    const response = await call("list its collections", (client) => client.showCollections());
    return response.data.map((each) => each.name);
  };

  /** Lite answers a describe of an unknown name with nothing at all, so the list is asked first. */
  const describe = async (name: string): Promise<CollectionSpec> => {
    const known = specs.get(name);
    if (known !== undefined) return known;
    if (!(await names()).includes(name)) {
      throw new RagctlError("NOT_FOUND", `store "${id}" has no collection "${name}"`, { hint: "list them with: ragctl collections" });
    }
    const spec = await read(name);
    if (spec === undefined) throw new RagctlError("STORE_FAILED", `collection "${name}" of store "${id}" was not made by ragctl`, { hint: "use another collection name" });
    await call(`load collection "${name}"`, (client) => client.loadCollection({ collection_name: name }));
    specs.set(name, spec);
    return spec;
  };

  const read = async (name: string): Promise<CollectionSpec | undefined> => {
    const response = await call(`describe collection "${name}"`, (client) => client.describeCollection({ collection_name: name }));
    return specOf(name, response.schema.description);
  };

  const count = async (collection: string, expression: string): Promise<number> => {
    const response = await call(`count collection "${collection}"`, (client) =>
      client.query({ collection_name: collection, filter: expression, output_fields: ["count(*)"], consistency_level: strong }),
    );
    return Number(response.data[0]?.["count(*)"] ?? 0);
  };

  /** One search; a failure on an empty collection means no hits (Lite's BM25 divides by the mean length, 0 there). */
  const route = async (collection: string, via: Via, query: StoreQuery, expression: string, request: object): Promise<Ranked> => {
    const withVectors = query.withVectors === true;
    const limit = Math.max(1, Math.min(query.limit, maxHits));
    let rows: readonly Record<string, unknown>[];
    try {
      const response = await call(`search collection "${collection}"`, (client) =>
        client.search({
          collection_name: collection,
          limit,
          filter: expression,
          output_fields: [...chunkColumns, ...(withVectors ? ["dense_vector"] : [])],
          consistency_level: strong,
          ...request,
          // The SDK's own overloads tell search kinds apart by key; `request` supplies exactly one route's keys.
        } as Parameters<typeof client.search>[0]),
      );
      rows = response.results;
    } catch (error) {
      if (error instanceof RagctlError && error.code === "STORE_FAILED" && (await count(collection, "")) === 0) return { hits: [], vectors: [] };
      throw error;
    }
    const hits = rows.map((row): Hit => ({ chunk: toChunk(row), score: Number(row["score"]), via }));
    const astray = hits.find((hit) => !matches(query.filter, hit.chunk));
    if (astray !== undefined) throw new RagctlError("STORE_FAILED", `store "${id}" returned chunk ${astray.chunk.id}, which the filter excludes`);
    return { hits, vectors: withVectors ? rows.map((row): [string, Float32Array] => [String(row["id"]), Float32Array.from(numbers(row["dense_vector"]))]) : [] };
  };

  const upsert = async (collection: string, data: readonly Row[]): Promise<void> => {
    const response = await call(`write to collection "${collection}"`, (client) =>
      // The SDK types rows by its own value union; ours are the subset it documents for these columns.
      client.upsert({ collection_name: collection, data: [...data] as Parameters<typeof client.upsert>[0]["data"] & object }),
    );
    if (response.err_index.length > 0) {
      throw new RagctlError("STORE_FAILED", `store "${id}" refused ${response.err_index.length} of ${data.length} chunks`);
    }
  };

  return {
    id,
    async version() {
      const response = await call("tell its version", (client) => client.getVersion());
      return response.version === undefined || response.version === "" ? "Milvus (reports no version)" : `Milvus ${response.version}`;
    },
    async collections() {
      const found = await Promise.all((await names()).map(read));
      return found.filter((spec) => spec !== undefined);
    },
    async ensure(spec) {
      if (!/^[a-z][a-z0-9_]{0,62}$/.test(spec.name)) {
        throw new RagctlError("USAGE_INVALID", `"${spec.name}" cannot name a collection`, { hint: "use a-z, 0-9 and _, starting with a letter, at most 63" });
      }
      specs.delete(spec.name);
      if (!(await names()).includes(spec.name)) {
        try {
          await call(`create collection "${spec.name}"`, (client) => client.createCollection(creation(spec)));
        } catch (error) {
          // Another process may have created it in between: then it is there and is checked below like any other.
          if (!(await names()).includes(spec.name)) throw error;
        }
        for (const index of indexes(spec, indexKind)) {
          await call(`index collection "${spec.name}"`, (client) => client.createIndex(index));
        }
      }
      checkSame(id, await describe(spec.name), spec);
    },
    async drop(collection) {
      specs.delete(collection);
      if (!(await names()).includes(collection)) return;
      await call(`drop collection "${collection}"`, (client) => client.dropCollection({ collection_name: collection }));
    },
    async write(collection, chunks) {
      const spec = await describe(collection);
      let slice: Row[] = [];
      let bytes = 0;
      // Two rows of one id in one request are both kept by some servers: the last one wins here.
      for (const embedded of new Map(chunks.map((each) => [each.chunk.id, each])).values()) {
        if (embedded.embedding.dense.length !== spec.dimensions) {
          throw new RagctlError("FINGERPRINT_MISMATCH", `collection "${collection}" holds ${spec.dimensions} dimensions, not ${embedded.embedding.dense.length}`, {
            hint: "ingest into a new collection: ragctl ingest --collection NEWNAME …",
          });
        }
        const { row, sizeBytes } = toRow(embedded, spec.lexical);
        if (slice.length > 0 && (slice.length >= sliceRows || bytes + sizeBytes > sliceBytes)) {
          await upsert(collection, slice);
          slice = [];
          bytes = 0;
        }
        slice.push(row);
        bytes += sizeBytes;
      }
      if (slice.length > 0) await upsert(collection, slice);
    },
    async delete(collection, filter) {
      const condition = normalise(filter);
      if (condition.kind === "everything") {
        throw new RagctlError("USAGE_INVALID", `refused to delete every chunk of collection "${collection}" by a filter`, { hint: "drop the collection instead" });
      }
      if (condition.kind === "nothing") return;
      await describe(collection);
      const expression = conditionExpression(condition);
      await call(`delete from collection "${collection}"`, (client) => client.delete({ collection_name: collection, filter: expression, consistency_level: "Strong" }));
    },
    async search(collection, query, signal) {
      signal.throwIfAborted();
      const spec = await describe(collection);
      const condition = normalise(query.filter);
      if (condition.kind === "nothing" || query.limit < 1) return { dense: [], lexical: [], vectors: new Map() };
      const expression = conditionExpression(condition);
      const ef = Math.max(64, query.limit);
      const params = indexKind === "hnsw" ? { params: { ef } } : {};
      const dense = query.dense && { data: Array.from(query.dense), anns_field: "dense_vector", metric_type: "IP", ...params };
      const lexical = lexicalRequest(spec, query);
      const [byDense, byLexical] = await abortable(
        Promise.all([
          dense ? route(collection, "dense", query, expression, dense) : none,
          lexical ? route(collection, "lexical", query, expression, lexical) : none,
        ]),
        signal,
      );
      return { dense: byDense.hits, lexical: byLexical.hits, vectors: new Map([...byDense.vectors, ...byLexical.vectors]) };
    },
    async count(collection, filter) {
      const condition = normalise(filter);
      await describe(collection);
      return condition.kind === "nothing" ? 0 : count(collection, conditionExpression(condition));
    },
    async *list(collection, filter: Filter) {
      const condition = normalise(filter);
      await describe(collection);
      if (condition.kind === "nothing") return;
      const expression = conditionExpression(condition);
      const ids = await call(`list collection "${collection}"`, (client) =>
        client.query({ collection_name: collection, filter: expression === "" ? 'id != ""' : expression, output_fields: ["id"], consistency_level: strong }),
      );
      // Pages by id, not by offset or cursor: exact on every server whatever order it returns rows in.
      for (let start = 0; start < ids.data.length; start += pageRows) {
        const page = ids.data.slice(start, start + pageRows).map((row) => JSON.stringify(String(row["id"])));
        const response = await call(`read collection "${collection}"`, (client) =>
          client.query({ collection_name: collection, filter: `id in [${page.join(",")}]`, output_fields: [...chunkColumns], consistency_level: strong }),
        );
        for (const row of response.data) yield toChunk(row);
      }
    },
    async [Symbol.asyncDispose]() {
      const opened = await connection?.catch(() => undefined);
      connection = undefined;
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

interface Ranked {
  readonly hits: readonly Hit[];
  readonly vectors: readonly (readonly [string, Float32Array])[];
}

const none: Ranked = { hits: [], vectors: [] };

function lexicalRequest(spec: CollectionSpec, query: StoreQuery): object | undefined {
  if (spec.lexical === "bm25") {
    const text = query.text?.toWellFormed() ?? "";
    return text.trim() === "" ? undefined : { data: [text], anns_field: "sparse_vector", metric_type: "BM25" };
  }
  if (query.sparse === undefined || query.sparse.indices.length === 0) return undefined;
  return { data: [sparseRow(query.sparse)], anns_field: "sparse_vector", metric_type: "IP" };
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

/** The SDK cannot cancel a call: on abort its answer is no longer waited for. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
