import type { VersionRow } from "./contents.ts";
import type { Database } from "./database.ts";
import type { VersionFacts } from "./document-rows.ts";

/** The next number of a document's versions; numbers are never given twice. */
export function nextVersion(database: Database, documentId: string): number {
  const row = database
    .statement<{ last_version: number }>("UPDATE documents SET last_version = last_version + 1 WHERE id = ? RETURNING last_version")
    .get(documentId);
  return row?.last_version ?? 1;
}

/** Makes a version visible, hides the older ones and notes it in the log; part of a `write`. False when a newer one is visible already. */
export function publish(
  database: Database,
  row: Pick<VersionRow, "document_id" | "version_id" | "version">,
  { title, pages, chunks, tokens }: VersionFacts,
  origin: "ingest" | "restore",
  now: Date,
): boolean {
  const newer = database
    .statement<{ found: 1 }>("SELECT 1 AS found FROM document_versions WHERE document_id = ? AND is_latest = 1 AND version > ?")
    .get(row.document_id, row.version);
  const visible = newer === undefined;
  const time = now.toISOString();
  if (visible) {
    database
      .statement("UPDATE document_versions SET state = 'superseded', is_latest = 0, owner = '' WHERE document_id = ? AND is_latest = 1")
      .run(row.document_id);
  }
  database
    .statement(
      "UPDATE document_versions SET state = ?, is_latest = ?, owner = '', title = ?, pages = ?, chunks = ?, tokens = ?, ingested_at = ? WHERE version_id = ?",
    )
    .run(visible ? "ready" : "superseded", visible ? 1 : 0, title, pages, chunks, tokens, time, row.version_id);
  database
    .statement(
      `INSERT OR REPLACE INTO version_log SELECT document_id, version, version_id, sha256, size_bytes, name,
         (SELECT path FROM documents WHERE id = document_id), pages, chunks, ?, ? FROM document_versions WHERE version_id = ?`,
    )
    .run(origin, time, row.version_id);
  return visible;
}
