import type { StoreQuery } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { catchUnavailable, partition, toUnavailableCollection } from "../../pipeline/retrieve/unavailable.ts";
import { documentNamed, readableDocuments } from "../documents/documents.ts";
import { redactPaths } from "../roots.ts";
import type { Parts } from "../surface.ts";

/** Passages of a document that stand for it, at most. */
const mostPassages = 1000;
/** Passages that are found for each document that is wanted: the nearest ones may be of a few documents. */
const passagesEach = 10;
/** Pages that are named of each document. */
const pagesEach = 5;

/** The direction of the mean of vectors. */
function directionOf(vectors: Iterable<Float32Array>, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value;
  const length = Math.hypot(...sum);
  return sum.map((value) => value / (length || 1));
}

/**
 * The readable documents that have passages nearest to the mean of a document's own, best first, in these
 * collections or in all; only those whose vectors are of the same model can be compared. @throws NOT_FOUND
 */
export async function similarDocuments(
  reference: string,
  { collections, limit }: { readonly collections: readonly string[]; readonly limit: number },
  { home, retrieval }: Parts,
  run: Run,
) {
  const record = documentNamed(reference, await readableDocuments(home, run));
  const document = (await redactPaths(run, home.access))(record);
  const { targets } = retrieval.drivers(run, null, "dense");
  const within = (names: readonly string[]) => targets({ collections: names, topK: limit, mode: "dense" });
  const [own] = await within([record.collection]);
  const none = { document, similar: [], unavailable: [] };
  if (own === undefined) return none;
  const itself = { field: "documentId", in: [record.id] } as const;
  const { dimensions } = own.spec;
  // Only a search gives vectors back; within one document it finds every passage, whatever it looks for.
  const anything = new Float32Array(dimensions).fill(1);
  const listing: StoreQuery = { dense: anything, limit: mostPassages, filter: itself };
  const { vectors } = await own.store.search(own.spec.name, { ...listing, withVectors: true }, run.signal);
  if (vectors.size === 0) return none;
  const dense = directionOf(vectors.values(), dimensions);
  const models = new Map((await home.collections.list()).map(({ name, embedder }) => [name, embedder]));
  const comparable = (await within(collections)).flatMap(({ spec, collection = spec.name, store }) =>
    models.get(collection) === models.get(record.collection) ? [{ spec, collection, store }] : [],
  );
  const query: StoreQuery = { dense, limit: limit * passagesEach, filter: { not: itself } };
  const searched = await Promise.all(
    comparable.map(({ spec, store }) =>
      catchUnavailable(() => store.search(spec.name, query, run.signal), run),
    ),
  );
  const { answered, lost } = partition(
    searched,
    comparable.map(({ collection }) => collection),
  );
  const hits = answered.flatMap((result) => result.dense).toSorted((one, other) => other.score - one.score);
  const groups = Map.groupBy(hits, ({ chunk }) => chunk.documentId);
  const similar = [...groups].slice(0, limit).flatMap(([documentId, [first, ...others]]) => {
    if (first === undefined) return [];
    const { collection, sourceName: name } = first.chunk;
    const pages = [...new Set([first, ...others].flatMap(({ chunk }) => chunk.pages))].slice(0, pagesEach);
    return [{ documentId, document: name, collection, score: first.score, pages }];
  });
  const unavailable = lost.map(({ collection, error }) => toUnavailableCollection(collection, error));
  return { document, similar, unavailable };
}
