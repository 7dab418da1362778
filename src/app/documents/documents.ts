import type { App, DocumentSummary } from "../../core/app.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { documentByReference } from "../../core/documents/reference.ts";
import type { Filter, Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { Collections } from "../../registry/documents/collections.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import type { Access } from "../access.ts";

/** What reading and removing documents needs. */
export interface DocumentDrivers {
  readonly documents: Documents;
  readonly collections: Collections;
  readonly access: Access;
  readonly store: (instance: Instance) => Promise<VectorStore>;
}

/** What is stored, as far as the run's principal may see it. */
export function openLibrary(
  drivers: DocumentDrivers,
): Pick<App, "documents" | "show" | "forget" | "forgetCollection" | "collections"> {
  const { documents, collections, access, store } = drivers;
  /** Visible documents of collections that may be read; no names at all means none, where the registry would take it for all. */
  const within = (names: readonly string[]): readonly DocumentRecord[] =>
    names.length === 0 ? [] : documents.latest(names);
  const readable = (run: Run): readonly DocumentRecord[] =>
    within(access.allowed(run, null, "read").collections);
  return {
    async documents(names, run) {
      if (names.length === 0) return readable(run);
      return within(access.chosen(run, null, names).map(({ name }) => name));
    },
    async show(reference, run) {
      const document = documentByReference(reference, readable(run));
      const source = await store(document.instance);
      const chunks = await Array.fromAsync(
        source.list(document.collection, versionFilter([document.versionId])),
      );
      const kept: readonly Chunk[] = access
        .keep(
          chunks.map((chunk) => ({ chunk })),
          run,
          null,
        )
        .map(({ chunk }) => chunk);
      return { document, chunks: kept.toSorted((a, b) => a.ordinal - b.ordinal) };
    },
    async forget(references, run) {
      const visible = readable(run);
      const found = references.map((reference) => documentByReference(reference, visible));
      const records = [...new Map(found.map((record) => [record.id, record])).values()];
      for (const collection of new Set(records.map((record) => record.collection)))
        access.collection(run, "write", collection);
      return forgetDocuments(records, drivers);
    },
    async forgetCollection(name, run) {
      access.collection(run, "admin", name);
      return forgetCollection(name, drivers);
    },
    async collections(run) {
      const names = new Set(access.allowed(run, null, "read").collections);
      return collections.list().filter((each) => names.has(each.name));
    },
  };
}

/** Hides the documents at once, then removes their chunks; what a crash leaves is swept by the next ingest. */
async function forgetDocuments(
  records: readonly DocumentRecord[],
  drivers: DocumentDrivers,
): Promise<readonly DocumentSummary[]> {
  for (const record of records) drivers.documents.forget(record.id);
  for (const collection of new Set(records.map((record) => record.collection)))
    await sweepCollection(collection, drivers);
  return records;
}

/** Removes a collection: first its documents become invisible, then the vectors go, then the name. */
async function forgetCollection(name: string, drivers: DocumentDrivers): Promise<readonly DocumentSummary[]> {
  const collection = drivers.collections.get(name);
  const records: readonly DocumentRecord[] = drivers.documents.latest([name]);
  for (const record of records) drivers.documents.forget(record.id);
  const store = await drivers.store(collection.instance);
  if ((await store.collections()).some((spec) => spec.name === name)) await store.drop(name);
  drivers.documents.removed(drivers.documents.stale(name));
  drivers.collections.remove(name);
  return records;
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
