import { createHash } from "node:crypto";
import type { DocumentSummary } from "../../core/app.ts";

/** A visible document with what tells whether it must be ingested again. */
export interface DocumentRecord extends DocumentSummary {
  /** The chunks' `versionId` in the store; documents of the same content share it. */
  readonly versionId: string;
  readonly fingerprint: string;
  readonly tokens: number;
  /** What limits of time or memory kept out; "" where nothing. */
  readonly omitted: string;
}

/** Answer to `begin`: the ids the chunks must carry, and what the version will be once it is ready. */
export interface BegunVersion {
  readonly documentId: string;
  readonly versionId: string;
  /** What the chunks carry as their `versionId`; another version's where that has the same content. */
  readonly contentId: string;
  readonly version: number;
  readonly collection: string;
  readonly department: string;
  readonly state: "added" | "updated" | "unchanged";
  /** What limits kept out of the visible version of the same content, which is tried again; absent where nothing. */
  readonly again?: string;
  /** Whether the chunks need not be made: another version has them, or is being made by this process. */
  readonly shared: boolean;
  /** Whether an earlier version stays visible because it was restored and the file is as it was then: its content is not the file's. */
  readonly restored: boolean;
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

export interface VersionFacts {
  readonly title: string;
  readonly pages: number;
  readonly chunks: number;
  readonly tokens: number;
  /** What limits of time or memory kept out, e.g. `pages 3, 7`; absent where nothing. */
  readonly omitted?: string;
}

/** A visible document as the registry's tables hold it. */
export interface DocumentRow {
  readonly id: string;
  readonly version_id: string;
  readonly version: number;
  readonly collection: string;
  readonly instance: DocumentSummary["instance"];
  readonly department: string;
  readonly name: string;
  readonly path: string;
  readonly format: string;
  readonly title: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly fingerprint: string;
  readonly pages: number;
  readonly chunks: number;
  readonly tokens: number;
  readonly omitted: string;
  readonly ingested_at: string;
}

/** SQL for the visible documents that meet `condition` (`d`: documents, `v`: versions). */
export function selectDocuments(condition: string): string {
  return `SELECT d.id, v.content_id AS version_id, v.version, d.collection, d.instance, v.department, v.name, d.path, v.format, v.title, v.size_bytes, v.sha256,
      v.fingerprint, v.pages, v.chunks, v.tokens, v.omitted, v.ingested_at
    FROM documents d JOIN document_versions v ON v.document_id = d.id AND v.is_latest = 1
    WHERE ${condition} ORDER BY d.collection, v.name, d.path`;
}

/** A row under the names of the core. */
export function summary({ version_id, size_bytes, ingested_at, ...row }: DocumentRow) {
  return { ...row, versionId: version_id, sizeBytes: size_bytes, ingestedAt: ingested_at };
}

/** The first hex characters of the sha256 over all parts. */
export const hex = (length: number, ...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, length);

/** Id of the logical document: stays the same when the file is edited. 16 hex characters. */
export function documentIdOf(collection: string, path: string): string {
  return hex(16, collection, path);
}
