import { setTimeout } from "node:timers/promises";
import { RagctlError } from "../../core/errors.ts";
import type {
  CollectionSpec,
  Hit,
  LexicalIndex,
  StoreQuery,
  StoreResult,
  Via,
} from "../../core/retrieval.ts";
import { abortable } from "../../core/run.ts";
import { conditionExpression, matches, normalise } from "./filter.ts";
import type { Connection } from "./milvus-connection.ts";
import { type consistencyLevels, idIn, queryRows } from "./milvus-read.ts";
import type { DenseIndex } from "./milvus-schema.ts";
import { chunkColumns, lexicalColumn, sparseRow, toChunk } from "./rows.ts";

/** How collections are searched. */
export interface SearchOptions {
  /** Candidates of HNSW, at least as many as requested. Default 64. */
  readonly ef: number;
  /** Clusters that IVF_FLAT looks at. Default 16. */
  readonly nprobe: number;
  /** Which of the last writes a search may miss. Default `session`: none that ragctl made. */
  readonly consistency: keyof typeof consistencyLevels;
}
/** Most hits any Milvus returns for one search. */
const maxHits = 16_384;

/** The parts of a store that a search needs. */
export interface SearchStore {
  /** Store id, for messages. */
  readonly id: string;
  readonly call: Connection["call"];
  readonly options: Pick<SearchOptions, "ef" | "nprobe">;
  /** ConsistencyLevel of the protocol. */
  readonly consistencyLevel: number;
  readonly denseIndex: DenseIndex;
  /** The words of the collection, where its server cannot search by words. */
  readonly words: LexicalIndex | undefined;
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
  store: SearchStore,
  spec: CollectionSpec,
  query: StoreQuery,
  signal: AbortSignal,
): Promise<StoreResult> {
  const condition = normalise(query.filter);
  if (condition.kind === "nothing" || query.limit < 1) return { dense: [], lexical: [], vectors: new Map() };
  const expression = conditionExpression(condition);
  const dense = denseRequest(store, query);
  const lexical = store.words === undefined ? lexicalRequest(spec, query) : undefined;
  const work = Promise.all([
    dense ? route(store, spec, "dense", query, expression, dense) : none,
    lexical ? route(store, spec, "lexical", query, expression, lexical) : none,
    store.words === undefined ? none : searchWords(store, store.words, spec, query, expression),
  ]);
  // The SDK cannot cancel a call.
  const [byDense, byLexical, byWords] = await abortable(work, signal);
  return {
    dense: byDense.hits,
    lexical: [...byLexical.hits, ...byWords.hits],
    vectors: new Map([...byDense.vectors, ...byLexical.vectors, ...byWords.vectors]),
  };
}

/** Wait before a failed search is retried, ms. */
const retryMs = 200;

async function route(
  store: SearchStore,
  spec: CollectionSpec,
  via: Via,
  query: StoreQuery,
  filter: string,
  request: object,
): Promise<Ranked> {
  const limit = Math.min(query.limit, maxHits);
  const ask = async (): Promise<readonly StoredRow[]> => {
    const response = await store.call(`search collection "${spec.name}"`, (client) =>
      client.search({
        collection_name: spec.name,
        limit,
        filter,
        output_fields: columnsOf(spec, query),
        consistency_level: store.consistencyLevel,
        ...request,
        // The SDK's overloads distinguish kinds of search by key; `request` supplies exactly one route's
        // keys.
      } as Parameters<typeof client.search>[0]),
    );
    return response.results;
  };
  let rows: readonly StoredRow[];
  try {
    rows = await ask();
  } catch (error) {
    if (!(error instanceof RagctlError) || error.code !== "STORE_FAILED") throw error;
    // Lite's BM25 divides by the mean length, which is 0 in an empty collection: no hits, not a failure.
    if (await store.isEmpty()) return none;
    // Lite was seen to fail a search right after it had been killed and started again, and to answer the next
    // one.
    await setTimeout(retryMs);
    rows = await ask();
  }
  const isBm25 = via === "lexical" && spec.lexical === "bm25";
  return ranked(
    store,
    query,
    // BM25 is never negative: milvus-lite 3 gives a distance, the score with its sign turned.
    rows.map((row) => ({ row, score: isBm25 ? Math.abs(Number(row["score"])) : Number(row["score"]) })),
    via,
  );
}

/** Ids read with one request. */
const idsAtOnce = 1_000;

/**
 * The lexical route for a server without one: the index ranks, and the server returns the chunks under the
 * same filter. A chunk that the server does not have is not a hit.
 */
async function searchWords(
  store: SearchStore,
  words: LexicalIndex,
  spec: CollectionSpec,
  query: StoreQuery,
  expression: string,
): Promise<Ranked> {
  const text = query.text ?? "";
  if (text.trim() === "") return none;
  const limit = Math.min(query.limit, maxHits);
  const best = words.search(spec, { text, filter: query.filter, limit });
  const rows = new Map<string, StoredRow>();
  for (let start = 0; start < best.length; start += idsAtOnce) {
    const within = idIn(best.slice(start, start + idsAtOnce).map(({ id }) => id));
    const filter = expression === "" ? within : `(${within}) and (${expression})`;
    const found = await queryRows(store, spec.name, filter, columnsOf(spec, query), store.consistencyLevel);
    for (const row of found) rows.set(String(row["id"]), row);
  }
  const present = best.flatMap(({ id, score }) => {
    const row = rows.get(id);
    return row === undefined ? [] : [{ row, score }];
  });
  return ranked(store, query, present, "lexical");
}

type StoredRow = Readonly<Record<string, unknown>>;

const columnsOf = ({ lexical }: CollectionSpec, { withVectors, withPages }: StoreQuery): string[] => [
  ...chunkColumns,
  ...(withPages === true && lexical === "bm25" ? [lexicalColumn] : []),
  ...(withVectors === true ? ["dense_vector"] : []),
];

/** Rows as hits. @throws STORE_FAILED for a row that the filter excludes */
function ranked(
  store: SearchStore,
  query: StoreQuery,
  rows: readonly { readonly row: StoredRow; readonly score: number }[],
  via: Via,
): Ranked {
  const hits = rows.map(({ row, score }): Hit => ({ chunk: toChunk(row), score, via }));
  const astray = hits.find((hit) => !matches(query.filter, hit.chunk));
  if (astray !== undefined) {
    throw new RagctlError(
      "STORE_FAILED",
      `store "${store.id}" returned chunk ${astray.chunk.id}, which the filter excludes`,
      {
        hint: "this server does not apply filters correctly; do not use it for documents of several departments",
      },
    );
  }
  const vectors = query.withVectors
    ? rows.map(({ row }): [string, Float32Array] => [
        String(row["id"]),
        Float32Array.from(numbers(row["dense_vector"])),
      ])
    : [];
  return { hits, vectors };
}

function denseRequest(
  { denseIndex: { kind, metric }, options: { ef, nprobe } }: SearchStore,
  query: StoreQuery,
): object | undefined {
  if (query.dense === undefined) return undefined;
  const request = { data: Array.from(query.dense), anns_field: "dense_vector", metric_type: metric };
  if (kind === "hnsw") return { ...request, params: { ef: Math.max(ef, query.limit) } };
  return kind === "ivf_flat" ? { ...request, params: { nprobe } } : request;
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
