import type { DocumentSummary } from "../app.ts";

/** A version of a document that was visible once. */
export interface VersionSummary {
  readonly version: number;
  readonly isLatest: boolean;
  /** Its chunks are still there: it can be shown, compared and restored. */
  readonly kept: boolean;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly name: string;
  readonly path: string;
  readonly pages: number;
  readonly chunks: number;
  readonly origin: "ingest" | "restore";
  /** ISO 8601: when it became visible. */
  readonly at: string;
}

export interface DocumentHistory {
  readonly document: DocumentSummary;
  /** Newest first. */
  readonly versions: readonly VersionSummary[];
}

/** What changed between the texts of two versions. */
export interface DocumentDiff {
  readonly document: DocumentSummary;
  readonly from: number;
  readonly to: number;
  readonly added: number;
  readonly removed: number;
  /** Unified diff by lines; "" when the texts are the same. */
  readonly patch: string;
}

export interface PruneReport {
  readonly dryRun: boolean;
  /** Questions and ingests, and ended jobs, older than `history.keepDays`; the owner alone removes them. */
  readonly history: { readonly runs: number; readonly jobs: number };
  readonly versions: readonly {
    readonly documentId: string;
    readonly collection: string;
    readonly name: string;
    readonly version: number;
    readonly chunks: number;
  }[];
}

/** Documents that say the same or nearly so. */
export interface DuplicateReport {
  /** One content, stored once, under several paths. */
  readonly exact: readonly {
    readonly sha256: string;
    readonly collection: string;
    readonly paths: readonly string[];
  }[];
  /** Estimated share of equal five-word runs, in [0, 1]. */
  readonly near: readonly {
    readonly similarity: number;
    readonly paths: readonly [string, string];
    readonly collection: string;
  }[];
}
