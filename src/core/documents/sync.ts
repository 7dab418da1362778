import type { FileReport, IngestEvent } from "../app.ts";
import type { GivenMetadata } from "../metadata/metadata.ts";
import type { Instance } from "../retrieval.ts";
import type { PhaseMetrics } from "../run.ts";

/** What to sync; absent members come from the folder's mapping, else from the defaults. */
export interface SyncRequest {
  /** A folder, or the address of a page or a repository, which is fetched first. */
  readonly folder: string;
  /** Pages of an address: how many links away others are fetched too. Default: as before, else 0. */
  readonly depth?: number;
  /** Metadata added to new and changed documents. */
  readonly metadata?: GivenMetadata;
  readonly collection?: string;
  readonly instance?: Instance;
  readonly department?: string;
  /** Patterns as in .gitignore, relative to the folder; empty: every file. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Only report what would be done. Default false. */
  readonly dryRun?: boolean;
  /** Read every file, including those with unchanged size, time and inode. Default false. */
  readonly verify?: boolean;
  /** Retry what limits of time or memory left out. Default true. */
  readonly again?: boolean;
  /** Also remove documents whose file is there but left out by the patterns. Default false. */
  readonly deleteExcluded?: boolean;
  /** Continue where the folder holds no file and all its documents would be deleted. Default false. */
  readonly allowEmpty?: boolean;
}

export interface SyncFile extends Pick<FileReport, "path" | "name" | "code" | "reason" | "chunks"> {
  readonly state: "added" | "updated" | "moved" | "deleted" | "skipped" | "failed";
  /** Path a moved document had; else "". */
  readonly from: string;
}

export interface SyncReport {
  readonly runId: string;
  /** The folder, or the address it was fetched from. */
  readonly folder: string;
  readonly collection: string;
  readonly dryRun: boolean;
  /** Every file that is not unchanged. */
  readonly files: readonly SyncFile[];
  readonly counts: Readonly<Record<SyncFile["state"] | "unchanged", number>> & {
    /** Files whose content was hashed to decide; the others were recognized by size, time and inode. */
    readonly hashed: number;
    readonly chunks: number;
    readonly embeddedFromCache: number;
  };
  readonly phases: readonly PhaseMetrics[];
  readonly durationMs: number;
}

export type SyncEvent =
  | Extract<IngestEvent, { type: "file-end" }>
  | { readonly type: "document-moved"; readonly file: SyncFile }
  | { readonly type: "document-deleted"; readonly file: SyncFile }
  | { readonly type: "sync-end"; readonly report: SyncReport };

export type WatchEvent =
  | SyncEvent
  | { readonly type: "watch-ready"; readonly folder: string; readonly collection: string }
  /**
   * A sync that failed as a whole; the watch continues and retries with the next change, or after a pause.
   */
  | { readonly type: "sync-failed"; readonly code: string; readonly message: string };
