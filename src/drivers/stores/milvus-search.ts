import { setTimeout } from "node:timers/promises";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec, Hit, StoreQuery, StoreResult, Via } from "../../core/retrieval.ts";
import { conditionExpression, matches, normalise } from "./filter.ts";
import type { Connection } from "./milvus-connection.ts";
import type { IndexKind } from "./milvus-schema.ts";
import { chunkColumns, lexicalColumn, sparseRow, toChunk } from "./rows.ts";

/** ConsistencyLevel Strong of the Milvus protocol: a read sees every write that returned before it. */
export const strong = 0;
/** Most hits any Milvus returns for one search. */
const maxHits = 16_384;

/** What a search needs of its store. */
export interface SearchDoor {
  /** Store id, for messages. */
  readonly id: string;
  readonly call: Connection["call"];
  readonly indexKind: IndexKind;
  /** Whether the collection holds no chunk at all. */
  isEmpty(): Promise<boolean>;
}

interface Ranked {
  readonly hits: readonly Hit[];
  readonly vectors: readonly (readonly [string, Float32Array])[];
}

const none: Ranked = { hits: [], vectors: [] };

/**
 * Both routes of a query, side by side, each a plain search under the same filter: the server's own fusion is
 * not used, because its scores differ between servers and its sub-requests may drop a filter without a word.
 */
export async function searchCollection(
  door: SearchDoor,
  spec: CollectionSpec,
  query: StoreQuery,
  signal: AbortSignal,
): Promise<StoreResult> {
  const condition = normalise(query.filter);
  if (condition.kind === "nothing" || query.limit < 1) return { dense: [], lexical: [], vectors: new Map() };
  const expression = conditionExpression(condition);
  const dense = denseRequest(door.indexKind, query);
  const lexical = lexicalRequest(spec, query);
  const work = Promise.all([
    dense ? route(door, spec, "dense", query, expression, dense) : none,
    lexical ? route(door, spec, "lexical", query, expression, lexical) : none,
  ]);
  const [byDense, byLexical] = await abortable(work, signal);
  return {
    dense: byDense.hits,
    lexical: byLexical.hits,
    vectors: new Map([...byDense.vectors, ...byLexical.vectors]),
  };
}

/** Wait before a failed search is tried once more, ms. */
const retryMs = 200;

async function route(
  door: SearchDoor,
  { name: collection, lexical }: CollectionSpec,
  via: Via,
  query: StoreQuery,
  filter: string,
  request: object,
): Promise<Ranked> {
  const withVectors = query.withVectors === true;
  const limit = Math.min(query.limit, maxHits);
  const pages = query.withPages === true && lexical === "bm25" ? [lexicalColumn] : [];
  const output_fields = [...chunkColumns, ...pages, ...(withVectors ? ["dense_vector"] : [])];
  const ask = async (): Promise<readonly Record<string, unknown>[]> => {
    const response = await door.call(`search collection "${collection}"`, (client) =>
      client.search({
        collection_name: collection,
        limit,
        filter,
        output_fields,
        consistency_level: strong,
        ...request,
        // The SDK's overloads tell kinds of search apart by key; `request` supplies exactly one route's keys.
      } as Parameters<typeof client.search>[0]),
    );
    return response.results;
  };
  let rows: readonly Record<string, unknown>[];
  try {
    rows = await ask();
  } catch (error) {
    if (!(error instanceof RagctlError) || error.code !== "STORE_FAILED") throw error;
    // Lite's BM25 divides by the mean length, which is 0 in an empty collection: no hits, not a failure.
    if (await door.isEmpty()) return none;
    // Lite was seen to fail a search right after it had been killed and started again, and to answer the next
    // one.
    await setTimeout(retryMs);
    rows = await ask();
  }
  const hits = rows.map((row): Hit => ({ chunk: toChunk(row), score: Number(row["score"]), via }));
  const astray = hits.find((hit) => !matches(query.filter, hit.chunk));
  if (astray !== undefined) {
    throw new RagctlError(
      "STORE_FAILED",
      `store "${door.id}" returned chunk ${astray.chunk.id}, which the filter excludes`,
      {
        hint: "this server does not keep to filters: do not use it for documents of several departments",
      },
    );
  }
  const vectors = withVectors
    ? rows.map((row): [string, Float32Array] => [
        String(row["id"]),
        Float32Array.from(numbers(row["dense_vector"])),
      ])
    : [];
  return { hits, vectors };
}

function denseRequest(kind: IndexKind, query: StoreQuery): object | undefined {
  if (query.dense === undefined) return undefined;
  const request = { data: Array.from(query.dense), anns_field: "dense_vector", metric_type: "IP" };
  return kind === "hnsw" ? { ...request, params: { ef: Math.max(64, query.limit) } } : request;
}

function lexicalRequest(spec: CollectionSpec, query: StoreQuery): object | undefined {
  if (spec.lexical === "bm25") {
    const text = query.text?.toWellFormed() ?? "";
    return text.trim() === ""
      ? undefined
      : { data: [text], anns_field: "sparse_vector", metric_type: "BM25" };
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
