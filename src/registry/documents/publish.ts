import type { Database } from "../database.ts";
import type { VersionRow } from "./contents.ts";
import type { VersionFacts } from "./document-rows.ts";

/** The next number of a document's versions; numbers are never given twice. */
export function nextVersion(database: Database, documentId: string): number {
  const row = database
    .statement<{ last_version: number }>(
      "UPDATE documents SET last_version = last_version + 1 WHERE id = ? RETURNING last_version",
    )
    .get(documentId);
  return row?.last_version ?? 1;
}

/** Makes a version visible, hides the older ones and notes it in the log; part of a `write`. False when a newer one is visible already. */
export function publish(
  database: Database,
  row: Pick<VersionRow, "document_id" | "version_id" | "version">,
  { title, pages, chunks, tokens, omitted = "" }: VersionFacts,
  origin: "ingest" | "restore",
  now: Date,
): boolean {
  const newer = database
    .statement<{ found: 1 }>(
      "SELECT 1 AS found FROM document_versions WHERE document_id = ? AND is_latest = 1 AND version > ?",
    )
    .get(row.document_id, row.version);
  const visible = newer === undefined;
  const time = now.toISOString();
  if (visible) {
    database
      .statement(
        "UPDATE document_versions SET state = 'superseded', is_latest = 0, owner = '' WHERE document_id = ? AND is_latest = 1",
      )
      .run(row.document_id);
  }
  database
    .statement(
      "UPDATE document_versions SET state = ?, is_latest = ?, owner = '', title = ?, pages = ?, chunks = ?, tokens = ?, omitted = ?, ingested_at = ? WHERE version_id = ?",
    )
    .run(
      visible ? "ready" : "superseded",
      visible ? 1 : 0,
      title,
      pages,
      chunks,
      tokens,
      omitted,
      time,
      row.version_id,
    );
  database
    .statement(
      `INSERT OR REPLACE INTO version_log SELECT document_id, version, version_id, sha256, size_bytes, name,
         (SELECT path FROM documents WHERE id = document_id), pages, chunks, ?, ? FROM document_versions WHERE version_id = ?`,
    )
    .run(origin, time, row.version_id);
  return visible;
}

/** The visible version of a document where it was restored by hand, with the sha256 of the file as it was last taken; else undefined. */
export function restoredVersion(
  database: Database,
  documentId: string,
  { collection, path }: { collection: string; path: string },
) {
  return database
    .statement<
      Pick<VersionRow, "version_id" | "content_id" | "version"> & {
        department: string;
        file_sha256: string | null;
      }
    >(
      `SELECT v.version_id, v.content_id, v.version, v.department,
         coalesce((SELECT s.sha256 FROM seen_files s WHERE s.collection = :collection AND s.path = :path AND s.outcome = 'ready'),
           (SELECT l.sha256 FROM version_log l WHERE l.document_id = v.document_id AND l.origin = 'ingest' ORDER BY l.version DESC LIMIT 1)) AS file_sha256
       FROM document_versions v JOIN version_log r ON r.document_id = v.document_id AND r.version = v.version AND r.origin = 'restore'
       WHERE v.document_id = :documentId AND v.is_latest = 1`,
    )
    .get({ documentId, collection, path });
}
