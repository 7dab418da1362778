import { RagctlError } from "../../core/errors.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";

/** Contents counted by one request; stores take filters of ten thousand values. */
const countedTogether = 5_000;

/**
 * Visible contents of a collection whose chunks its store does not hold, or not all: what a registry restored
 * without its stores, or a copy made in mid-ingest, leaves. Where nothing is lost this is one count for every
 * 5 000 documents; else it is looked for by halves.
 */
export async function lostContents(
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
 * The same for an ingest; a store that cannot be asked now loses nothing by it, and is reported where it is
 * needed.
 */
export async function lostOrNone(
  ...parameters: Parameters<typeof lostContents>
): Promise<ReadonlySet<string>> {
  try {
    return await lostContents(...parameters);
  } catch (error) {
    if (isUnavailable(error)) return new Set();
    throw error;
  }
}
