import { rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { App, DocumentSummary, SearchRequest } from "../../core/app.ts";
import { type Chunk, versionIdOf } from "../../core/documents/chunk.ts";
import { baseName, resolveDocument } from "../../core/documents/reference.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { filterByMetadata } from "../../core/metadata/conditions.ts";
import type { Filter } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { toNfc } from "../../core/text.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import { notFoundError } from "../access.ts";
import type { Home } from "../home.ts";
import { recordRemoval } from "../records.ts";
import { redactPaths, resolveReferencePath, uploadFolder } from "../roots.ts";

type DocumentHome = Pick<
  Home,
  | "documents"
  | "collections"
  | "access"
  | "collectionStore"
  | "runs"
  | "process"
  | "registry"
  | "programVersion"
  | "settings"
>;

/** Visible documents of collections; no names at all means none, where the registry would take it for all. */
const documentsIn = async (names: readonly string[], { documents }: Pick<Home, "documents">) =>
  names.length === 0 ? [] : await documents.latest(names);

/** Every document that the run's principal may read. */
export async function readableDocuments(
  home: Pick<Home, "documents" | "access">,
  run: Run,
): Promise<readonly DocumentRecord[]> {
  return documentsIn((await home.access.allowed(run, null, "read")).collections, home);
}

/** The document that the caller names, also by a path from its own folder. @throws NOT_FOUND */
export const documentNamed = <
  Document extends Pick<DocumentSummary, "id" | "path" | "name" | "title" | "collection">,
>(
  reference: string,
  visible: readonly Document[],
  isExact = false,
): Document => resolveDocument(reference, visible, { isExact, place: resolveReferencePath(reference) });

/** The stored documents that the run's principal may see. */
export function createDocumentsApi(home: DocumentHome): Pick<
  App,
  "documents" | "show" | "forget" | "forgetCollection" | "collections"
> & {
  /** A document with the place of its file, which is for opening it and not for showing. @throws NOT_FOUND */
  source(reference: string, run: Run): Promise<DocumentSummary>;
} {
  const { collections, access } = home;
  const source = async (reference: string, run: Run): Promise<DocumentRecord> =>
    documentNamed(reference, await readableDocuments(home, run));
  return {
    source,
    async documents(names, run) {
      const chosen = names.length === 0 ? null : await access.chosen(run, null, names);
      const documents =
        chosen === null
          ? await readableDocuments(home, run)
          : await documentsIn(
              chosen.map(({ name }) => name),
              home,
            );
      return documents.map(await redactPaths(run, access));
    },
    async show(reference, run) {
      const document = await source(reference, run);
      return {
        document: (await redactPaths(run, access))(document),
        chunks: await chunksOf(document, home, run),
      };
    },
    async forget(references, run) {
      const visible = await readableDocuments(home, run);
      const matches = references.map((reference) => documentNamed(reference, visible, true));
      const records = [...new Map(matches.map((record) => [record.id, record])).values()];
      const names = [...new Set(records.map(({ collection }) => collection))].sort();
      for (const name of names) await access.collection(run, "write", name);
      const tally = { deleted: 0 };
      const sofar = () => ({ collection: names.join(", "), department: "", counts: { ...tally } });
      const removed = await recordRemoval(() => forgetDocuments(records, home, tally), sofar, home, run);
      return removed.map(await redactPaths(run, access));
    },
    async forgetCollection(name, run) {
      await access.collection(run, "admin", name);
      const tally = { deleted: 0, collections_deleted: 0 };
      const sofar = () => ({ collection: name, department: "", counts: { ...tally } });
      return recordRemoval(() => forgetCollection(name, home, tally), sofar, home, run);
    },
    async collections(run) {
      const names = new Set((await access.allowed(run, null, "read")).collections);
      return (await collections.list()).filter((each) => names.has(each.name));
    },
  };
}

/** A document's chunks in order, checked again after the store has answered. */
async function chunksOf(document: DocumentRecord, home: DocumentHome, run: Run): Promise<readonly Chunk[]> {
  const store = await home.collectionStore(document.instance);
  const chunks = await Array.fromAsync(store.list(document.collection, versionFilter([document.versionId])));
  const hits = chunks.map((chunk) => ({ chunk }));
  return (await home.access.keep(hits, run, null))
    .map(({ chunk }) => chunk)
    .toSorted((a, b) => a.ordinal - b.ordinal);
}

/** A passage by the id of its chunk. @throws NOT_FOUND, also for one of a version that was replaced */
export async function passageOf(chunkId: string, home: DocumentHome, run: Run) {
  const versionId = versionIdOf(chunkId);
  const document = (await readableDocuments(home, run)).find((each) => each.versionId === versionId);
  const chunks = document === undefined ? [] : await chunksOf(document, home, run);
  const chunk = chunks.find(({ id }) => id === chunkId);
  if (document === undefined || chunk === undefined) throw notFoundError("passage", chunkId, []);
  return { document: (await redactPaths(run, home.access))(document), chunk };
}

/**
 * A request with Unicode-composed texts and document ids in place of references: id, beginning of an id, name
 * or path. Documents that may not be read are skipped, and so are those that do not match `since` or
 * `metadata`.
 * @throws NOT_FOUND when none is left, USAGE_INVALID for a version number without documents, and for metadata
 * that no document has
 */
export async function withDocumentIds<
  T extends Pick<SearchRequest, "collections" | "documents" | "since" | "metadata" | "versions">,
>(asking: T, home: Pick<Home, "documents" | "access">, run: Run): Promise<T> {
  // Paths keep their bytes, which distinguish two files whose names differ only in Unicode normalization.
  const { documents: references } = asking;
  const request = { ...toNfc(asking), ...(references === undefined ? {} : { documents: references }) };
  const { since, metadata, versions } = request;
  if (typeof versions === "number" && request.documents === undefined)
    throw new RagctlError(
      "USAGE_INVALID",
      `version ${versions} requires documents: each document numbers its own versions`,
      { hint: "name the documents too (`--document` on the command line), or search all versions" },
    );
  if (request.documents === undefined && since === undefined && metadata === undefined) return request;
  const collections = (await home.access.allowed(run, null, "read")).collections;
  if (collections.length === 0) return request;
  const visible = await home.documents.latest(collections);
  const asked = visible.filter(({ collection }) => request.collections?.includes(collection) === true);
  const described = filterByMetadata(asked.length === 0 ? visible : asked, metadata ?? []);
  const admitted = metadata === undefined ? visible : described;
  const fitting = new Set(
    admitted.filter(({ ingestedAt }) => since === undefined || ingestedAt >= since).map(({ id }) => id),
  );
  if (request.documents === undefined) return { ...request, documents: [...fitting] };
  const { since: _, metadata: __, ...named } = request;
  const ids = idsOf(request.documents, asked, visible, run).filter((id) => fitting.has(id));
  // Without `since` and `metadata` the documents are those named.
  return { ...(named as T), documents: ids };
}

const referencesTo = (documents: readonly DocumentRecord[]): ReadonlySet<string> =>
  new Set(
    documents.flatMap((document) => toNfc([document.id, document.name, document.path, baseName(document)])),
  );

/**
 * Ids of documents by id, beginning of an id, name or path; where several match a name, the one in the
 * requested collections is taken. Missing ones are skipped with a warning. @throws NOT_FOUND where none is
 * left
 */
function idsOf(
  references: readonly string[],
  asked: readonly DocumentRecord[],
  visible: readonly DocumentRecord[],
  run: Run,
): readonly string[] {
  const nearby = referencesTo(asked);
  const missing: unknown[] = [];
  const ids = references.flatMap((reference) => {
    try {
      return [documentNamed(reference, nearby.has(toNfc(reference)) ? asked : visible).id];
    } catch (error) {
      missing.push(error);
      return [];
    }
  });
  if (ids.length === 0 && missing.length > 0) throw missing[0];
  for (const error of missing)
    run.log.warn(`${asRagctlError(error).message}; searching the other collections`);
  return ids;
}

/**
 * Hides the documents at once, then removes their chunks; the next ingest sweeps the leftovers of a crash.
 * @throws DISK_FULL where only the chunks are left
 */
async function forgetDocuments(
  records: readonly DocumentRecord[],
  home: DocumentHome,
  tally: { deleted: number },
): Promise<readonly DocumentSummary[]> {
  await hideDocuments(records, home, tally);
  for (const collection of new Set(records.map((record) => record.collection)))
    await deleteOrphanedChunks(collection, home).catch((error: unknown) => {
      throw asRagctlError(error).code === "DISK_FULL"
        ? vectorsLeft(records.length, collection, error)
        : error;
    });
  return records;
}

function vectorsLeft(count: number, collection: string, cause: unknown): RagctlError {
  const what =
    count === 1
      ? "the document was removed, but its vectors"
      : "the documents were removed, but their vectors";
  return new RagctlError("DISK_FULL", `${what} could not be deleted: ${asRagctlError(cause).message}`, {
    hint: `free some space; the next ingest into "${collection}" or the next forget deletes them`,
    cause,
  });
}

/** Removes a collection: first its documents become invisible, then the vectors go, then the name. */
async function forgetCollection(
  name: string,
  home: DocumentHome,
  tally: { deleted: number; collections_deleted: number },
): Promise<readonly DocumentSummary[]> {
  const collection = await home.collections.get(name);
  const records: readonly DocumentRecord[] = await home.documents.latest([name]);
  await hideDocuments(records, home, tally);
  const store = await home.collectionStore(collection.instance);
  if ((await store.collections()).some((spec) => spec.name === name)) await store.drop(name);
  await using documents = home.documents.forRun();
  await documents.removed(await documents.stale(name));
  await home.collections.remove(name);
  tally.collections_deleted = 1;
  return records;
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** Makes documents invisible, and deletes those of their files that were uploaded: no other file. */
async function hideDocuments(
  records: readonly DocumentRecord[],
  { documents, settings }: Pick<Home, "documents" | "settings">,
  tally: { deleted: number },
): Promise<void> {
  for (const { id, path, collection, instance } of records) {
    const folder = uploadFolder(settings.home, { name: collection, instance });
    const isUpload = path === join(folder, basename(path));
    // As soon as the document is gone, another file may be uploaded under its name, and nothing may come between
    // the look at that and the removal.
    const inode = isUpload ? inodeOf(path) : undefined;
    if (await documents.forget(id)) tally.deleted += 1;
    if (isUpload && inodeOf(path) === inode) rmSync(path, { force: true });
  }
}

/** Removes the chunks of hidden versions from the store. */
export async function deleteOrphanedChunks(
  collection: string,
  home: Pick<Home, "documents" | "collections" | "collectionStore">,
): Promise<void> {
  await using documents = home.documents.forRun();
  const versions = await documents.stale(collection);
  if (versions.length === 0) return;
  const store = await home.collectionStore((await home.collections.get(collection)).instance);
  await store.delete(collection, versionFilter(versions));
  await documents.removed(versions);
}

function versionFilter(versions: readonly string[]): Filter {
  return { field: "versionId", in: versions };
}
