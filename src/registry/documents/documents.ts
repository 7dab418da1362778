import type { IngestRequest } from "../../core/app.ts";
import type { SourceFile } from "../../core/documents/document.ts";
import { documentNotFound } from "../../core/documents/reference.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Database } from "../database.ts";
import { type Contents, openContents, type VersionRow } from "./contents.ts";
import {
  type BegunVersion,
  type DocumentRecord,
  type DocumentRow,
  documentIdOf,
  hex,
  selectDocuments,
  summary,
  type VersionFacts,
} from "./document-rows.ts";
import { runs, thisProcess } from "./owner.ts";
import { nextVersion, publish, restoredVersion } from "./publish.ts";

export type { BegunVersion, DocumentRecord, VersionFacts } from "./document-rows.ts";

/** The registry's documents; it alone decides which version a search may see. */
export interface Documents extends Contents {
  /**
   * Registers a version before anything of it is stored. After a crash the same call gives the same ids. A version that was restored by
   * hand stays until the file is another one, or goes into another department.
   * @throws REGISTRY_BUSY while another process removes just this version
   */
  begin(
    file: SourceFile,
    request: Pick<IngestRequest, "collection" | "instance" | "department">,
    fingerprint: string,
  ): BegunVersion;
  /**
   * Makes the version visible and hides the older ones, in one transaction; false when a newer one is visible already.
   * @throws NOT_FOUND when the document was forgotten meanwhile, REGISTRY_BUSY when `storeName` no longer is the collection's store
   */
  ready(versionId: string, facts: VersionFacts, storeName?: string): boolean;
  /** Makes a shared version visible; the facts of its content, undefined while no version has that complete. */
  share(versionId: string): VersionFacts | undefined;
  /** Gives up a version that was begun here; its chunks become stale. */
  failed(versionId: string, reason?: string): void;
  /** Hides a document at once; its versions become stale. False when there is none of that id. */
  forget(documentId: string): boolean;
  /** Gives a document another place; its id, versions and chunks stay. False when another document has that place. */
  move(documentId: string, path: string, name: string): boolean;
  find(collection: string, path: string): DocumentRecord | undefined;
  /** Visible documents by collection and name; of every collection when none is named. */
  latest(collections?: readonly string[]): readonly DocumentRecord[];
  /** A visible document by id. @throws NOT_FOUND */
  get(documentId: string): DocumentRecord;
}

export interface DocumentsOptions {
  /** Says whose unfinished versions are whose. Default: this process. */
  readonly owner?: string;
  /** Whether an owner may still finish what it began. Default: its process runs; one on another machine counts as running. */
  readonly isAlive?: (owner: string) => boolean;
  /** Replaced versions of a document whose chunks stay in the store, hidden, so that they can be restored at once. Default 0. */
  readonly keepVersions?: number;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/** Opens the documents of a registry. */
export function openDocuments(database: Database, options: DocumentsOptions = {}): Documents {
  const { owner = thisProcess, isAlive = runs, keepVersions = 0, now = () => new Date() } = options;
  const contents = openContents(database, { owner, isAlive, keepVersions });
  const versionRow = (versionId: string): VersionRow | undefined =>
    database.statement<VersionRow>("SELECT * FROM document_versions WHERE version_id = ?").get(versionId);
  const isVisible = (documentId: string): boolean =>
    database
      .statement<{ found: 1 }>(
        "SELECT 1 AS found FROM document_versions WHERE document_id = ? AND is_latest = 1",
      )
      .get(documentId) !== undefined;

  /** The visible version of a document, where it was made of the same bytes in the same way. */
  const sameVisible = (
    documentId: string,
    file: SourceFile,
    fingerprint: string,
    department: string,
  ): VersionRow | undefined =>
    database
      .statement<VersionRow>(
        "SELECT * FROM document_versions WHERE document_id = ? AND is_latest = 1 AND state = 'ready' AND sha256 = ? AND fingerprint = ? AND department = ?",
      )
      .get(documentId, file.sha256, fingerprint, department);

  /** The document at a place; a new one takes an id of its own even where a moved one still has the id of its first place. */
  const documentAt = (file: SourceFile, collection: string, instance: string, time: string): string => {
    const known = database
      .statement<{ id: string }>("SELECT id FROM documents WHERE collection = ? AND path = ?")
      .get(collection, file.path);
    if (known !== undefined) return known.id;
    const insert = database.statement(
      "INSERT INTO documents (id, collection, instance, path, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    );
    for (let turn = 0; ; turn++) {
      const id =
        turn === 0 ? documentIdOf(collection, file.path) : hex(16, collection, file.path, String(turn));
      if (insert.run(id, collection, instance, file.path, time).changes === 1) return id;
    }
  };

  const makeReady = (row: VersionRow, facts: VersionFacts): boolean =>
    publish(database, row, facts, "ingest", now());

  return {
    ...contents,
    begin(file, { collection, instance, department }, fingerprint) {
      return database.write((): BegunVersion => {
        const time = now().toISOString();
        const documentId = documentAt(file, collection, instance, time);
        const visible = sameVisible(documentId, file, fingerprint, department);
        const place = { documentId, collection, department };
        if (visible?.omitted === "") {
          const { version_id: versionId, content_id: contentId, version } = visible;
          return {
            ...place,
            versionId,
            contentId,
            version,
            state: "unchanged",
            shared: false,
            restored: false,
          };
        }
        const chosen = restoredVersion(database, documentId, { collection, path: file.path });
        if (chosen !== undefined && chosen.file_sha256 === file.sha256 && chosen.department === department) {
          const { version_id: versionId, content_id: contentId, version } = chosen;
          return {
            ...place,
            versionId,
            contentId,
            version,
            state: "unchanged",
            shared: false,
            restored: true,
          };
        }
        // What limits kept out is tried again beside the visible version, which stays until the new one is whole.
        const versionId = hex(
          20,
          documentId,
          file.sha256,
          fingerprint,
          department,
          ...(visible === undefined ? [] : [visible.version_id]),
        );
        const again = visible === undefined ? {} : { again: visible.omitted };
        const ids = { ...place, versionId, ...again };
        const known = versionRow(versionId);
        if (known?.state === "deleting" && isAlive(known.owner)) {
          throw new RagctlError(
            "REGISTRY_BUSY",
            `an earlier ${file.name} with the same content is being removed right now`,
            {
              hint: "run the command again in a moment",
            },
          );
        }
        // A version that was begun and not finished goes on under its number; one that was replaced comes back as the newest.
        const version = known?.state === "pending" ? known.version : nextVersion(database, documentId);
        // A version that has a content keeps it: chunks under the old id would have no owner left.
        const found =
          known?.content_id ?? contents.sameContent(file, { collection, department, fingerprint, versionId });
        const contentId = found ?? versionId;
        const shared =
          found !== undefined &&
          (known?.state === "superseded" || contents.heldByAnother(contentId, versionId));
        database
          .statement(
            `INSERT INTO document_versions (version_id, document_id, version, sha256, fingerprint, department, name, format, size_bytes, content_id, state, owner, ingested_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (version_id) DO UPDATE SET version = excluded.version, name = excluded.name, format = excluded.format, size_bytes = excluded.size_bytes,
               content_id = excluded.content_id, state = excluded.state, is_latest = 0, reason = '', owner = excluded.owner, ingested_at = excluded.ingested_at`,
          )
          .run(
            ...[
              versionId,
              documentId,
              version,
              file.sha256,
              fingerprint,
              department,
              file.name,
              file.format,
              file.sizeBytes,
              contentId,
            ],
            // A replaced version keeps its state: its chunks are whole, and `share` finds them.
            ...[known?.state === "superseded" ? "superseded" : "pending", owner, time],
          );
        return {
          ...ids,
          contentId,
          version,
          state: isVisible(documentId) ? "updated" : "added",
          shared,
          restored: false,
        };
      });
    },

    ready(versionId, facts, storeName) {
      return database.write(() => {
        const row = versionRow(versionId);
        if (row === undefined || row.state === "deleting") {
          throw new RagctlError(
            "NOT_FOUND",
            `version ${versionId} was removed from the registry while it was being ingested`,
            {
              hint: "run the command again if the document shall be kept",
            },
          );
        }
        if (row.state !== "pending") return row.state === "ready";
        if (storeName !== undefined) contents.checkStore(row.document_id, storeName);
        return makeReady(row, facts);
      });
    },

    share(versionId) {
      return database.write(() => {
        const row = versionRow(versionId);
        if (row === undefined || row.state === "ready") return row;
        const whole = database
          .statement<VersionRow>(
            "SELECT * FROM document_versions WHERE content_id = ? AND state IN ('ready', 'superseded') LIMIT 1",
          )
          .get(row.content_id);
        if (whole === undefined || row.state === "deleting") return undefined;
        makeReady(row, whole);
        return whole;
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

    move(documentId, path, name) {
      return database.write(() => {
        const { changes } = database
          .statement(
            "UPDATE documents SET path = :path WHERE id = :id AND NOT EXISTS (SELECT 1 FROM documents o WHERE o.collection = documents.collection AND o.path = :path AND o.id <> :id)",
          )
          .run({ path, id: documentId });
        if (changes === 1)
          database
            .statement("UPDATE document_versions SET name = ? WHERE document_id = ? AND is_latest = 1")
            .run(name, documentId);
        return changes === 1;
      });
    },

    find(collection, path) {
      const row = database.read(() =>
        database
          .statement<DocumentRow>(selectDocuments("d.collection = ? AND d.path = ?"))
          .get(collection, path),
      );
      return row === undefined ? undefined : summary(row);
    },

    latest(collections = []) {
      const sql = selectDocuments(
        collections.length === 0 ? "? IS NOT NULL" : "d.collection IN (SELECT value FROM json_each(?))",
      );
      return database.read(() =>
        database.statement<DocumentRow>(sql).all(JSON.stringify(collections)).map(summary),
      );
    },

    get(documentId) {
      const row = database.read(() =>
        database.statement<DocumentRow>(selectDocuments("d.id = ?")).get(documentId),
      );
      if (row === undefined) throw documentNotFound(documentId, []);
      return summary(row);
    },
  };
}
