import type { DocumentSummary } from "../core/app.ts";
import type { Chunk } from "../core/chunk.ts";
import { RagctlError } from "../core/errors.ts";
import type { Filter, Instance, VectorStore } from "../core/retrieval.ts";
import type { Collections } from "../registry/collections.ts";
import type { DocumentRecord } from "../registry/document-rows.ts";
import type { Documents } from "../registry/documents.ts";

/** What reading and removing documents needs. */
export interface DocumentDrivers {
  readonly documents: Documents;
  readonly collections: Collections;
  readonly store: (instance: Instance) => Promise<VectorStore>;
}

/** A document's chunks in order. */
export async function showDocument(
  reference: string,
  drivers: DocumentDrivers,
): Promise<{ document: DocumentSummary; chunks: readonly Chunk[] }> {
  const document = drivers.documents.byReference(reference);
  const store = await drivers.store(document.instance);
  const chunks = await Array.fromAsync(store.list(document.collection, versionFilter([document.versionId])));
  return { document, chunks: chunks.sort((a, b) => a.ordinal - b.ordinal) };
}

/** Hides the documents at once, then removes their chunks; what a crash leaves is swept by the next ingest. */
export async function forgetDocuments(references: readonly string[], drivers: DocumentDrivers): Promise<readonly DocumentSummary[]> {
  const found = references.map((reference) => drivers.documents.byReference(reference));
  const records = [...new Map(found.map((record) => [record.id, record])).values()];
  for (const record of records) drivers.documents.forget(record.id);
  for (const collection of new Set(records.map((record) => record.collection))) await sweepCollection(collection, drivers);
  return records;
}

/** Removes a collection: first its documents become invisible, then the vectors go, then the name. */
export async function forgetCollection(name: string, drivers: DocumentDrivers): Promise<readonly DocumentSummary[]> {
  const collection = drivers.collections.get(name);
  const records: readonly DocumentRecord[] = drivers.documents.latest([name]);
  for (const record of records) drivers.documents.forget(record.id);
  const store = await drivers.store(collection.instance);
  if ((await store.collections()).some((spec) => spec.name === name)) await store.drop(name);
  drivers.documents.removed(drivers.documents.stale(name));
  drivers.collections.remove(name);
  return records;
}

/** Where a collection lives; a collection nobody ingested into is an error that lists the known ones. */
export function chosenCollections(names: readonly string[], collections: Collections) {
  const chosen = names.length === 0 ? collections.list() : names.map((name) => collections.get(name));
  if (chosen.length === 0) {
    throw new RagctlError("COLLECTION_EMPTY", "nothing has been ingested yet", { hint: "run: ragctl ingest PATH" });
  }
  return chosen;
}

async function sweepCollection(collection: string, drivers: DocumentDrivers): Promise<void> {
  const versions = drivers.documents.stale(collection);
  if (versions.length === 0) return;
  const store = await drivers.store(drivers.collections.get(collection).instance);
  await store.delete(collection, versionFilter(versions));
  drivers.documents.removed(versions);
}

function versionFilter(versions: readonly string[]): Filter {
  return { field: "versionId", in: versions };
}
