import type { IngestRequest } from "../core/app.ts";
import type { SourceFile } from "../core/document.ts";
import { RagctlError } from "../core/errors.ts";
import type { Database } from "./database.ts";
import {
  ambiguous,
  type BegunVersion,
  type DocumentRecord,
  type DocumentRow,
  documentIdOf,
  hex,
  notFound,
  selectDocuments,
  summary,
  type VersionFacts,
} from "./document-rows.ts";
import { runs, thisProcess } from "./owner.ts";

export type { BegunVersion, DocumentRecord, VersionFacts } from "./document-rows.ts";

/** Where a version stands: only `ready` ones are visible, and a document has at most one. */
export type VersionState = "pending" | "ready" | "superseded" | "deleting";

/** The registry's documents; it alone decides which version a search may see. */
export interface Documents {
  /**
   * Registers a version before anything of it is stored. After a crash the same call gives the same ids.
   * @throws REGISTRY_BUSY while another process removes just this version
   */
  begin(file: SourceFile, request: Pick<IngestRequest, "collection" | "instance" | "department">, fingerprint: string): BegunVersion;
  /**
   * Makes the version visible and hides the older ones, in one transaction; false when a newer one is visible already.
   * @throws NOT_FOUND when the document was forgotten meanwhile
   */
  ready(versionId: string, facts: VersionFacts): boolean;
  /** Gives up a version that was begun here; its chunks become stale. */
  failed(versionId: string, reason?: string): void;
  /**
   * Versions whose chunks must leave the store: superseded, given up, forgotten, and begun by a process that has ended.
   * Claims them for this process, so that no other begins them anew before `removed`.
   */
  stale(collection?: string): readonly string[];
  /** Drops versions whose chunks are out of the store, and documents that have no version left. */
  removed(versionIds: readonly string[]): void;
  /** Hides a document at once; its versions become stale. False when there is none of that id. */
  forget(documentId: string): boolean;
  /** Of these versions, the visible ones. */
  liveVersions(versionIds: readonly string[]): ReadonlySet<string>;
  find(collection: string, path: string): DocumentRecord | undefined;
  /** Visible documents by collection and name; of every collection when none is named. */
  latest(collections?: readonly string[]): readonly DocumentRecord[];
  /** A visible document by id, unique prefix of an id (4 characters or more), path or name. @throws NOT_FOUND */
  byReference(reference: string): DocumentRecord;
}

export interface DocumentsOptions {
  /** Says whose unfinished versions are whose. Default: this process. */
  readonly owner?: string;
  /** Whether an owner may still finish what it began. Default: its process runs; one on another machine counts as running. */
  readonly isAlive?: (owner: string) => boolean;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

interface VersionRow {
  readonly version_id: string;
  readonly document_id: string;
  readonly version: number;
  readonly state: VersionState;
  readonly owner: string;
}

/** Opens the documents of a registry. */
export function openDocuments(database: Database, options: DocumentsOptions = {}): Documents {
  const { owner = thisProcess, isAlive = runs, now = () => new Date() } = options;
  const versionRow = (versionId: string): VersionRow | undefined =>
    database
      .statement<VersionRow>("SELECT version_id, document_id, version, state, owner FROM document_versions WHERE version_id = ?")
      .get(versionId);
  const nextVersion = (documentId: string): number => {
    const row = database
      .statement<{ last_version: number }>("UPDATE documents SET last_version = last_version + 1 WHERE id = ? RETURNING last_version")
      .get(documentId);
    return row?.last_version ?? 1;
  };
  const isVisible = (documentId: string): boolean =>
    database.statement<{ found: 1 }>("SELECT 1 AS found FROM document_versions WHERE document_id = ? AND is_latest = 1").get(documentId) !==
    undefined;

  return {
    begin(file, { collection, instance, department }, fingerprint) {
      const documentId = documentIdOf(collection, file.path);
      const versionId = hex(20, documentId, file.sha256, fingerprint, department);
      const ids = { documentId, versionId, collection, department };
      return database.write((): BegunVersion => {
        const time = now().toISOString();
        database
          .statement(
            "INSERT INTO documents (id, collection, instance, path, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
          )
          .run(documentId, collection, instance, file.path, time);
        const known = versionRow(versionId);
        if (known?.state === "ready") return { ...ids, version: known.version, state: "unchanged" };
        if (known?.state === "deleting" && isAlive(known.owner)) {
          throw new RagctlError("REGISTRY_BUSY", `an earlier ${file.name} with the same content is being removed right now`, {
            hint: "run the command again in a moment",
          });
        }
        // A version that was begun and not finished goes on under its number; one that was replaced comes back as the newest.
        const version = known?.state === "pending" ? known.version : nextVersion(documentId);
        database
          .statement(
            `INSERT INTO document_versions (version_id, document_id, version, sha256, fingerprint, department, name, format, size_bytes, state, owner, ingested_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)
             ON CONFLICT (version_id) DO UPDATE SET version = excluded.version, name = excluded.name, format = excluded.format, size_bytes = excluded.size_bytes,
               state = 'pending', is_latest = 0, reason = '', owner = excluded.owner, ingested_at = excluded.ingested_at`,
          )
          .run(versionId, documentId, version, file.sha256, fingerprint, department, file.name, file.format, file.sizeBytes, owner, time);
        return { ...ids, version, state: isVisible(documentId) ? "updated" : "added" };
      });
    },

    ready(versionId, { title, pages, chunks, tokens }) {
      return database.write(() => {
        const row = versionRow(versionId);
        if (row === undefined || row.state === "deleting") {
          throw new RagctlError("NOT_FOUND", `version ${versionId} was removed from the registry while it was being ingested`, {
            hint: "run the command again if the document shall be kept",
          });
        }
        if (row.state !== "pending") return row.state === "ready";
        const newer = database
          .statement<{ found: 1 }>("SELECT 1 AS found FROM document_versions WHERE document_id = ? AND is_latest = 1 AND version > ?")
          .get(row.document_id, row.version);
        const visible = newer === undefined;
        if (visible) {
          database
            .statement(
              "UPDATE document_versions SET state = 'superseded', is_latest = 0, owner = '' WHERE document_id = ? AND is_latest = 1",
            )
            .run(row.document_id);
        }
        database
          .statement(
            "UPDATE document_versions SET state = ?, is_latest = ?, owner = '', title = ?, pages = ?, chunks = ?, tokens = ?, ingested_at = ? WHERE version_id = ?",
          )
          .run(visible ? "ready" : "superseded", visible ? 1 : 0, title, pages, chunks, tokens, now().toISOString(), versionId);
        return visible;
      });
    },

    failed(versionId, reason = "failed") {
      database.write(() =>
        database
          .statement(
            "UPDATE document_versions SET state = 'deleting', owner = '', reason = ? WHERE version_id = ? AND state = 'pending' AND owner = ?",
          )
          .run(reason, versionId, owner),
      );
    },

    stale(collection) {
      return database.write(() => {
        const rows = database
          .statement<VersionRow>(
            `SELECT version_id, document_id, version, state, v.owner FROM document_versions v JOIN documents d ON d.id = v.document_id
             WHERE v.state <> 'ready' AND (:collection IS NULL OR d.collection = :collection) ORDER BY version_id`,
          )
          .all({ collection: collection ?? null })
          .filter((row) => row.state === "superseded" || !isAlive(row.owner) || (row.state === "deleting" && row.owner === owner));
        const claim = database.statement("UPDATE document_versions SET state = 'deleting', owner = ? WHERE version_id = ?");
        for (const row of rows) claim.run(owner, row.version_id);
        return rows.map((row) => row.version_id);
      });
    },

    removed(versionIds) {
      database.write(() => {
        const drop = database.statement<{ document_id: string }>(
          "DELETE FROM document_versions WHERE version_id = ? AND state = 'deleting' RETURNING document_id",
        );
        const touched = new Set(versionIds.flatMap((versionId) => drop.all(versionId).map((row) => row.document_id)));
        const tidy = database.statement(
          "DELETE FROM documents WHERE id = ? AND NOT EXISTS (SELECT 1 FROM document_versions WHERE document_id = documents.id)",
        );
        for (const documentId of touched) tidy.run(documentId);
      });
    },

    forget(documentId) {
      return database.write(() => {
        // A claim of another process stays: it is removing those chunks already.
        const { changes } = database
          .statement(
            "UPDATE document_versions SET state = 'deleting', is_latest = 0, owner = '', reason = 'forgotten' WHERE document_id = ? AND state <> 'deleting'",
          )
          .run(documentId);
        return changes > 0;
      });
    },

    liveVersions(versionIds) {
      const wanted = JSON.stringify([...new Set(versionIds)]);
      const live = database.statement<{ version_id: string }>(
        "SELECT version_id FROM document_versions WHERE is_latest = 1 AND state = 'ready' AND version_id IN (SELECT value FROM json_each(?))",
      );
      return database.read(() => new Set(live.all(wanted).map((row) => row.version_id)));
    },

    find(collection, path) {
      const row = database.read(() => database.statement<DocumentRow>(selectDocuments("d.id = ?")).get(documentIdOf(collection, path)));
      return row === undefined ? undefined : summary(row);
    },

    latest(collections = []) {
      const sql = selectDocuments(collections.length === 0 ? "? IS NOT NULL" : "d.collection IN (SELECT value FROM json_each(?))");
      return database.read(() => database.statement<DocumentRow>(sql).all(JSON.stringify(collections)).map(summary));
    },

    byReference(reference) {
      return database.read(() => {
        const exact = database
          .statement<DocumentRow>(selectDocuments("d.id = :reference OR d.path = :reference OR v.name = :reference"))
          .all({ reference });
        const prefix = /^[0-9a-f]{4,15}$/.test(reference);
        const rows =
          exact.length > 0 || !prefix
            ? exact
            : database.statement<DocumentRow>(selectDocuments("substr(d.id, 1, length(:reference)) = :reference")).all({ reference });
        const [row] = rows;
        if (row === undefined) throw notFound(reference, database);
        if (rows.length > 1) throw ambiguous(reference, rows);
        return summary(row);
      });
    },
  };
}
