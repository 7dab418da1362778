import type { SourceFile } from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Database } from "../database.ts";
import { type ContentRow, selectContents, type VersionRow } from "./document-rows.ts";
import { ownerSql } from "./owners.ts";
import { dropTables } from "./tables.ts";

/** One path under which a content can be found. */
export interface ContentPlace {
  readonly contentId: string;
  readonly documentId: string;
  readonly name: string;
  readonly path: string;
}

/** Where chunks were written. */
export interface WrittenStore {
  readonly instance: Instance;
  /** Name of the collection in the store. */
  readonly storeName: string;
}

/** Contents are the stored chunks of one or more versions. They are removed when no version needs them. */
export interface Contents {
  /**
   * A whole content equal to the file's, or one this owner is making; undefined when it must be made, as
   * where limits kept part of it out.
   */
  sameContent(
    file: SourceFile,
    where: {
      readonly collection: string;
      readonly department: string;
      readonly fingerprint: string;
      readonly versionId: string;
    },
  ): Promise<string | undefined>;
  /** Whether a content is whole in another version, or is being made by this owner for another one. */
  heldByAnother(contentId: string, versionId: string): Promise<boolean>;
  /**
   * Contents whose chunks must leave the store: of versions replaced and no longer kept, given up, forgotten,
   * and begun by a process that has ended, where no other version needs them. Claims them for this owner,
   * so that no other begins them again before `removed`.
   */
  stale(collection?: string): Promise<readonly string[]>;
  /** Drops versions whose chunks are out of the store, and documents that have no version left. */
  removed(contentIds: readonly string[]): Promise<void>;
  /** Of these contents, the visible ones. */
  liveVersions(contentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of these contents that belong to a version in the registry, whatever its state. */
  knownVersions(contentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of these contents that are complete: visible, or replaced and kept. */
  keptVersions(contentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Contents of a collection that are kept and not visible, newest first. */
  hidden(collection: string): Promise<readonly string[]>;
  /** Contents of a collection that were visible at a time (ISO 8601) and are still kept. */
  visibleAt(collection: string, at: string): Promise<readonly string[]>;
  /** How many chunks a content has that a document shows; 0 where none does. */
  chunksOf(contentId: string): Promise<number>;
  /** Where the visible documents of these contents are, the first path first. */
  places(contentIds: readonly string[]): Promise<readonly ContentPlace[]>;
  /** Contents of documents: the visible ones, those of one version each, or all that are kept. */
  contentsOf(documentIds: readonly string[], version?: number | "all" | "latest"): Promise<readonly string[]>;
  /** @throws REGISTRY_BUSY when the collection of the document is kept in another store, or instance */
  checkStore(documentId: string, written: WrittenStore): Promise<void>;
}

interface ContentsOptions {
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly keepVersions: number;
}

/** Of equal contents any will do, and the first ends the search: a document may have thousands of copies. */
const sameContentSql = `SELECT v.content_id FROM document_versions v JOIN documents d ON d.id = v.document_id
  WHERE v.sha256 = ? AND v.fingerprint = ? AND v.department = ? AND v.format = ? AND d.collection = ? AND v.version_id <> ? AND v.omitted = ''
    AND (v.state IN ('ready', 'superseded') OR (v.state = 'pending' AND ${ownerSql})) LIMIT 1`;

const heldSql = `SELECT 1 AS one FROM document_versions
  WHERE content_id = ? AND version_id <> ? AND (state IN ('ready', 'superseded') OR (state = 'pending' AND ${ownerSql} AND version_id = content_id)) LIMIT 1`;

const placesSql = `SELECT v.content_id AS contentId, d.id AS documentId, v.name, d.path FROM document_versions v JOIN documents d ON d.id = v.document_id
  WHERE v.state IN ('ready', 'superseded') AND v.content_id IN (SELECT value FROM json_each(?)) ORDER BY v.is_latest DESC, d.path`;

const hiddenSql = `SELECT v.content_id FROM document_versions v JOIN documents d ON d.id = v.document_id WHERE d.collection = ? AND v.state <> 'ready'
    AND NOT EXISTS (SELECT 1 FROM document_versions l WHERE l.content_id = v.content_id AND l.is_latest = 1)
  GROUP BY v.content_id ORDER BY max(v.ingested_at) DESC`;

const visibleAtSql = `SELECT DISTINCT v.content_id FROM version_log l JOIN documents d ON d.id = l.document_id
    JOIN document_versions v ON v.version_id = l.version_id AND v.state IN ('ready', 'superseded')
  WHERE d.collection = :collection AND l.version = (SELECT max(version) FROM version_log WHERE document_id = d.id AND at <= :at)
  ORDER BY v.content_id`;

const contentsSql = `SELECT content_id FROM document_versions WHERE document_id IN (SELECT value FROM json_each(:ids))
  AND state IN ('ready', 'superseded') AND (is_latest = 1 AND :which = 'latest' OR :which = 'all' OR version = :version)`;

/** Access to the contents of a registry. */
export function createContentRepository(database: Database, options: ContentsOptions): Contents {
  const { owner } = options;
  const among = (contentIds: readonly string[], condition: string) =>
    contentsAmong(database, contentIds, condition);
  return {
    async sameContent({ sha256, format }, { collection, department, fingerprint, versionId }) {
      const row = database.statement<ContentRow>(sameContentSql);
      return (await row.get(sha256, fingerprint, department, format, collection, versionId, owner))
        ?.content_id;
    },
    heldByAnother: async (contentId, versionId) =>
      (await database.statement(heldSql).get(contentId, versionId, owner)) !== undefined,
    stale: (collection) => claimStale(database, collection, options),
    removed: (contentIds) => dropContents(database, contentIds),
    liveVersions: (contentIds) => among(contentIds, "is_latest = 1 AND state = 'ready'"),
    knownVersions: (contentIds) => among(contentIds, "true"),
    keptVersions: (contentIds) => among(contentIds, "state IN ('ready', 'superseded')"),
    async chunksOf(contentId) {
      const row = database.statement<{ chunks: number }>(
        "SELECT chunks FROM document_versions WHERE content_id = ? AND is_latest = 1 LIMIT 1",
      );
      return (await row.get(contentId))?.chunks ?? 0;
    },
    places: (contentIds) =>
      database.statement<ContentPlace>(placesSql).all(JSON.stringify([...new Set(contentIds)])),
    hidden: (collection) => selectContents(database, hiddenSql, collection),
    visibleAt: (collection, at) => selectContents(database, visibleAtSql, { collection, at }),
    contentsOf: (documentIds, version = "latest") =>
      selectContents(database, contentsSql, {
        ids: JSON.stringify(documentIds),
        which: typeof version === "number" ? "one" : version,
        version: typeof version === "number" ? version : 0,
      }),
    checkStore: (documentId, written) => checkStore(database, documentId, written),
  };
}

async function dropContents(database: Database, contentIds: readonly string[]): Promise<void> {
  if (contentIds.length === 0) return;
  await database.write(async () => {
    const drop = database.statement<Pick<VersionRow, "document_id">>(
      "DELETE FROM document_versions WHERE content_id IN (SELECT value FROM json_each(?)) AND state = 'deleting' RETURNING document_id",
    );
    await dropEmptyDocuments(database, await drop.all(JSON.stringify(contentIds)));
    await dropTables(database, contentIds);
  });
}

async function claimStale(
  database: Database,
  collection: string | undefined,
  options: ContentsOptions,
): Promise<readonly string[]> {
  const find = () => staleVersions(database, collection, options);
  // Usually there are none; a read finds that out without blocking other writers.
  if ((await database.read(find)).length === 0) return [];
  return database.write(async () => {
    const rows = await find();
    if (rows.length === 0) return [];
    await database
      .statement(
        "UPDATE document_versions SET state = 'deleting', owner = ? WHERE version_id IN (SELECT value FROM json_each(?))",
      )
      .run(options.owner, JSON.stringify(rows.map((row) => row.version_id)));
    return dropShared(database, rows);
  });
}

/** Versions whose chunks are not needed under their own name; see `Contents.stale`. */
async function staleVersions(
  database: Database,
  collection: string | undefined,
  { owner, isAlive, keepVersions }: ContentsOptions,
): Promise<readonly VersionRow[]> {
  return (
    (
      await database
        .statement<VersionRow & { readonly age: number; readonly same: 0 | 1 }>(
          // Hidden versions are few and have a separate index.
          `WITH hidden AS MATERIALIZED (SELECT * FROM document_versions WHERE state <> 'ready')
         SELECT v.*, row_number() OVER (PARTITION BY v.document_id, v.state ORDER BY v.version DESC) AS age,
           EXISTS (SELECT 1 FROM document_versions l WHERE l.document_id = v.document_id AND l.is_latest = 1 AND l.sha256 = v.sha256) AS same
         FROM hidden v JOIN documents d ON d.id = v.document_id
         WHERE :collection IS NULL OR d.collection = :collection ORDER BY v.version_id`,
        )
        .all({ collection: collection ?? null })
    )
      // The same bytes under other settings are no version to go back to.
      .filter((row) =>
        row.state === "superseded"
          ? row.age > keepVersions || row.same === 1
          : !isAlive(row.owner) || (row.state === "deleting" && row.owner === owner),
      )
  );
}

/** Drops those of the stale versions whose content another version needs; the contents of the others. */
async function dropShared(database: Database, stale: readonly VersionRow[]): Promise<readonly string[]> {
  const contentIds = stale.map((row) => row.content_id);
  const needed = await contentsAmong(database, contentIds, "state <> 'deleting'");
  const shared = stale.filter((row) => needed.has(row.content_id));
  if (shared.length > 0) {
    await database
      .statement("DELETE FROM document_versions WHERE version_id IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify(shared.map((row) => row.version_id)));
    await dropEmptyDocuments(database, shared);
  }
  return [...new Set(contentIds)].filter((contentId) => !needed.has(contentId));
}

/** Drops those of the documents that have no version left. */
async function dropEmptyDocuments(
  database: Database,
  rows: readonly Pick<VersionRow, "document_id">[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = JSON.stringify([...new Set(rows.map((row) => row.document_id))]);
  const empty =
    "IN (SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM document_versions WHERE document_id = value))";
  await database.statement(`DELETE FROM version_log WHERE document_id ${empty}`).run(ids);
  await database.statement(`DELETE FROM documents WHERE id ${empty}`).run(ids);
}

/** Of these contents, those of versions that meet `condition`. */
async function contentsAmong(
  database: Database,
  contentIds: readonly string[],
  condition: string,
): Promise<ReadonlySet<string>> {
  const sql = `SELECT DISTINCT content_id FROM document_versions WHERE ${condition} AND content_id IN (SELECT value FROM json_each(?))`;
  return new Set(await selectContents(database, sql, JSON.stringify([...new Set(contentIds)])));
}

async function checkStore(database: Database, documentId: string, written: WrittenStore): Promise<void> {
  const row = await database
    .statement<WrittenStore & { readonly name: string }>(
      `SELECT c.name, c.instance, coalesce(nullif(c.store_name, ''), c.name) AS storeName
       FROM collections c JOIN documents d ON d.collection = c.name WHERE d.id = ?`,
    )
    .get(documentId);
  if (row === undefined) return;
  const { name, instance, storeName } = row;
  if (instance !== written.instance)
    throw new RagctlError(
      "REGISTRY_BUSY",
      `collection ${name} moved to the ${instance} instance while this run wrote to the ${written.instance} one`,
      { hint: "run the command again without --instance; it continues in the new place" },
    );
  if (storeName !== written.storeName)
    throw new RagctlError("REGISTRY_BUSY", `collection ${name} was re-embedded while this run wrote to it`, {
      hint: "run the command again; it continues with the new vectors",
    });
}
