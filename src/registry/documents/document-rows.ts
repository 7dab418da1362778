import { createHash } from "node:crypto";
import type { DocumentSummary } from "../../core/app.ts";
import type { VersionFacts } from "../../core/documents/readiness.ts";
import { type GivenMetadata, type Metadata, mergeMetadata } from "../../core/metadata/metadata.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { updateRow } from "../rows.ts";

/** A visible document with the facts that decide whether it must be ingested again. */
export interface DocumentRecord extends DocumentSummary {
  /** The chunks' `versionId` in the store; documents of the same content share it. */
  readonly versionId: string;
  readonly fingerprint: string;
  readonly tokens: number;
  /** Parts left out by limits of time or memory; "" for none. */
  readonly omitted: string;
}

/** A version of a document, once visible. */
export interface VersionRecord {
  readonly documentId: string;
  readonly version: number;
  readonly versionId: string;
  /** The chunks' `versionId` in the store; "" where they are gone. */
  readonly contentId: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly name: string;
  readonly path: string;
  readonly format: string;
  readonly pages: number;
  readonly chunks: number;
  readonly origin: "ingest" | "restore";
  /** ISO 8601: when it became visible. */
  readonly at: string;
  readonly isLatest: boolean;
}

/** The state of a version: only `ready` ones are visible, and a document has at most one. */
export type VersionState = "pending" | "ready" | "superseded" | "deleting";

/** A row of document_versions. */
export interface VersionRow {
  readonly version_id: string;
  readonly content_id: string;
  readonly document_id: string;
  readonly version: number;
  readonly sha256: string;
  readonly fingerprint: string;
  readonly department: string;
  readonly state: VersionState;
  readonly owner: string;
  readonly title: string;
  readonly pages: number;
  readonly chunks: number;
  readonly tokens: number;
  readonly omitted: string;
  /** JSON of the properties of its file. */
  readonly properties: string;
  /** Why it is being removed; "" where it is not. */
  readonly reason: string;
}

/** A content by one of its versions. */
export type ContentRow = Pick<VersionRow, "content_id">;

/** The contents that a statement selects. */
export async function selectContents(
  database: Database,
  sql: string,
  parameters: unknown,
): Promise<readonly string[]> {
  return (await database.statement<ContentRow>(sql).all(parameters)).map((row) => row.content_id);
}

/** A visible document as `selectDocuments` finds it: the properties of its file, and what it was given by hand, as JSON. */
export type DocumentRow = Omit<DocumentRecord, "metadata"> & {
  readonly properties: string;
  readonly given: string;
};

/** SQL for the instance of a row's collection, which may have moved since; its own before there is one. */
export const instanceOf = (row: "d" | "sources"): string =>
  `coalesce((SELECT c.instance FROM collections c WHERE c.name = ${row}.collection), ${row}.instance)`;

/**
 * SQL for the documents that meet `condition` (`d`: documents, `v`: versions), each in the one version that
 * `version` names. Default: the visible one.
 */
export function selectDocuments(condition: string, version = "v.is_latest = 1"): string {
  return `SELECT d.id, v.content_id AS versionId, v.version, d.collection, ${instanceOf("d")} AS instance, v.department, v.name, d.path, v.format, v.title, v.size_bytes AS sizeBytes, v.sha256,
      v.fingerprint, v.pages, v.chunks, v.tokens, v.omitted, v.ingested_at AS ingestedAt,
      v.properties, d.metadata AS given
    FROM documents d JOIN document_versions v ON v.document_id = d.id AND ${version}
    WHERE ${condition} ORDER BY d.collection, v.name, d.path`;
}

/** A row with its metadata, those given by hand first. */
export const toSummary = ({ properties, given, ...row }: DocumentRow): DocumentRecord => ({
  ...row,
  metadata: { ...metadataOf(properties), ...metadataOf(given) },
});

/** Metadata as a column has it. */
const metadataOf = (json: string): Metadata => (json === "{}" ? {} : storedMetadata.parse(JSON.parse(json)));

const storedMetadata = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);

/** Facts about a version that another one of the same content shares. */
export const factsOf = ({ title, pages, chunks, tokens, omitted, properties }: VersionRow): VersionFacts => ({
  title,
  pages,
  chunks,
  tokens,
  omitted,
  properties: metadataOf(properties),
});

/** Gives a document metadata by hand. @throws USAGE_INVALID for too many keys */
export async function setManualMetadata(
  database: Database,
  documentId: string,
  given: GivenMetadata,
): Promise<void> {
  const row = await database
    .statement<{ metadata: string }>("SELECT metadata FROM documents WHERE id = ?")
    .get(documentId);
  const before = row?.metadata ?? "{}";
  const after = JSON.stringify(mergeMetadata(metadataOf(before), given));
  if (after === before) return;
  await updateRow(database, "documents", documentId, { metadata: after });
  await bumpRevision(database, documentId);
}

/** Notes that a collection shows a document otherwise than before; part of every `write` that does so. */
export async function bumpRevision(database: Database, documentId: string): Promise<void> {
  await database
    .statement(
      "UPDATE collections SET revision = revision + 1 WHERE name = (SELECT collection FROM documents WHERE id = ?)",
    )
    .run(documentId);
}

/** The first hex characters of the sha256 over all parts. */
export const shortHash = (length: number, ...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, length);

/** Id of the logical document: stays the same when the file is edited. 16 hex characters. */
export function documentIdOf(collection: string, path: string): string {
  return shortHash(16, collection, path);
}

/** SQL of the contents that are whole in `:collection`: visible, and with `all` those replaced and kept too. */
export const wholeContents = (scope: "latest" | "all"): string =>
  `SELECT DISTINCT v.content_id FROM document_versions v JOIN documents d ON d.id = v.document_id
   WHERE d.collection = :collection AND v.state IN (${scope === "all" ? "'ready', 'superseded'" : "'ready'"})`;

/** The next number of a document's versions; numbers are never given twice. */
export async function nextVersion(database: Database, documentId: string): Promise<number> {
  const row = await database
    .statement<{ last_version: number }>(
      "UPDATE documents SET last_version = last_version + 1 WHERE id = ? RETURNING last_version",
    )
    .get(documentId);
  return row?.last_version ?? 1;
}

/**
 * Makes a version visible, hides the older ones and notes it in the log; part of a `write`. False when a
 * newer one is visible already.
 */
export async function publish(
  database: Database,
  row: Pick<VersionRow, "document_id" | "version_id" | "version">,
  { title, pages, chunks, tokens, omitted = "", properties = {} }: VersionFacts,
  origin: "ingest" | "restore",
  now: Date,
): Promise<boolean> {
  const newer = database.statement(
    "SELECT 1 FROM document_versions WHERE document_id = ? AND is_latest = 1 AND version > ?",
  );
  const visible = (await newer.get(row.document_id, row.version)) === undefined;
  const time = now.toISOString();
  await bumpRevision(database, row.document_id);
  if (visible) {
    await database
      .statement(
        "UPDATE document_versions SET state = 'superseded', is_latest = 0, owner = '' WHERE document_id = ? AND is_latest = 1",
      )
      .run(row.document_id);
  }
  await database
    .statement(
      `UPDATE document_versions SET state = :state, is_latest = :isLatest, owner = '', title = :title, pages = :pages, chunks = :chunks,
         tokens = :tokens, omitted = :omitted, properties = :properties, ingested_at = :time WHERE version_id = :id`,
    )
    .run({
      ...{ title, pages, chunks, tokens, omitted, time, id: row.version_id },
      ...(visible ? { state: "ready", isLatest: 1 } : { state: "superseded", isLatest: 0 }),
      properties: JSON.stringify(properties),
    });
  await database
    .statement(
      `INSERT INTO version_log SELECT document_id, version, version_id, sha256, size_bytes, name,
         (SELECT path FROM documents WHERE id = document_id), pages, chunks, ?, ? FROM document_versions WHERE version_id = ?
       ON CONFLICT (document_id, version) DO UPDATE SET version_id = excluded.version_id, sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
         name = excluded.name, path = excluded.path, pages = excluded.pages, chunks = excluded.chunks, origin = excluded.origin, at = excluded.at`,
    )
    .run(origin, time, row.version_id);
  return visible;
}

/**
 * The visible version of a document where it was restored by hand, with the sha256 of the file when it was
 * last ingested; else undefined.
 */
export async function restoredVersion(
  database: Database,
  documentId: string,
  { collection, path }: { collection: string; path: string },
) {
  return database
    .statement<
      Pick<VersionRow, "version_id" | "content_id" | "version" | "department"> & {
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
