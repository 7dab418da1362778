import { RagctlError } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import type { Documents } from "../../registry/documents/documents.ts";

/** Contents counted by one request; stores take filters of ten thousand values. */
const countedTogether = 5_000;

/**
 * Visible contents of a collection whose chunks are missing from its store, wholly or in part, as after
 * restoring a registry without its stores or copying during an ingest. Where nothing is lost this takes one
 * count for every 5 000 documents; otherwise a bisection.
 */
export async function findMissingVectors(
  collection: string,
  documents: readonly Pick<DocumentRecord, "versionId" | "chunks">[],
  store: Pick<VectorStore, "count">,
): Promise<ReadonlySet<string>> {
  const chunks = new Map(documents.map(({ versionId, chunks: of }) => [versionId, of]));
  const lostAmong = async (contents: readonly string[]): Promise<readonly string[]> => {
    const expected = contents.reduce((sum, content) => sum + (chunks.get(content) ?? 0), 0);
    if (expected === 0) return [];
    const held = await store.count(collection, { field: "versionId", in: contents }).catch(noneWithout);
    if (held >= expected) return [];
    if (held === 0 || contents.length === 1)
      return contents.filter((content) => (chunks.get(content) ?? 0) > 0);
    const middle = Math.ceil(contents.length / 2);
    return [...(await lostAmong(contents.slice(0, middle))), ...(await lostAmong(contents.slice(middle)))];
  };
  const lost = new Set<string>();
  const all = [...chunks.keys()];
  for (let start = 0; start < all.length; start += countedTogether)
    for (const content of await lostAmong(all.slice(start, start + countedTogether))) lost.add(content);
  return lost;
}

/** A store without the collection holds none of its chunks. */
function noneWithout(error: unknown): number {
  if (error instanceof RagctlError && error.code === "NOT_FOUND") return 0;
  throw error;
}

/**
 * Finds contents that a store has lost, or of which no table was kept, as an ingest comes across them: both
 * are made again under the ids they have.
 */
export interface LostLookup {
  /** The lost contents of these documents. */
  among(documents: readonly DocumentRecord[]): Promise<ReadonlySet<string>>;
  /** Whether a content that some document shows is lost. */
  has(contentId: string): Promise<boolean>;
}

/**
 * Creates the lookup of an ingest. The first content is counted alone, so that a job of one document counts no
 * other; the second one checks the whole collection, with one request for 5 000 documents. An unreachable
 * store counts as complete here, and is reported where it is needed.
 */
export function createMissingVectorLookup(
  collection: string,
  documents: Pick<Documents, "latest" | "chunksOf" | "withoutTables">,
  openStore: () => Promise<Pick<VectorStore, "count">>,
): LostLookup {
  const store: Pick<VectorStore, "count"> = {
    count: async (...parameters) => (await openStore()).count(...parameters),
  };
  const among = async (
    some: readonly Pick<DocumentRecord, "versionId" | "chunks">[],
  ): Promise<ReadonlySet<string>> => {
    try {
      return await findMissingVectors(collection, some, store);
    } catch (error) {
      if (isUnavailable(error)) return new Set();
      throw error;
    }
  };
  const all = lazy(async () => among(await documents.latest([collection])));
  let first: string | undefined;
  return {
    async among(some) {
      const untold = await documents.withoutTables(some.map(({ versionId }) => versionId));
      return untold.union(await among(some));
    },
    async has(contentId) {
      if ((await documents.withoutTables([contentId])).has(contentId)) return true;
      first ??= contentId;
      if (first !== contentId) return (await all()).has(contentId);
      const chunks = await documents.chunksOf(contentId);
      return (await among([{ versionId: contentId, chunks }])).has(contentId);
    },
  };
}
