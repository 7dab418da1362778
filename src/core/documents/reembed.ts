import type { NamedBytes } from "../flow.ts";
import type { Instance } from "../retrieval.ts";
import type { PhaseMetrics } from "../run.ts";

/** Questions that new vectors have to pass before searches move to them. */
export interface ReembedGate {
  readonly questions: NamedBytes;
  /** How much the mean of the metric may fall, in [0, 1]. */
  readonly margin: number;
}

export interface ReembedRequest {
  readonly collection: string;
  /** Model id of the manifest. Default: the collection's own. */
  readonly model?: string;
  /** `all`: replaced versions that are kept come along. Default `latest`. */
  readonly scope?: "latest" | "all";
  /**
   * Go back to the vectors before the last swap instead; what came since is embedded by their model. Default
   * false.
   */
  readonly rollback?: boolean;
  /** Searches move to the new vectors only where they are not worse. */
  readonly gate?: ReembedGate;
}

export interface ReembedReport {
  readonly collection: string;
  readonly from: { readonly model: string; readonly store: string };
  readonly to: { readonly model: string; readonly store: string };
  /** Documents' contents embedded by this run; an earlier one that was ended may have done others. */
  readonly contents: number;
  readonly chunks: number;
  readonly embeddedFromCache: number;
  /** Chunks longer than the model reads: their ends are not in their vectors. */
  readonly truncated: number;
  /** The result of the gate; null where none was requested. */
  readonly gate: {
    readonly metric: string;
    readonly before: number;
    readonly after: number;
    /** `after` − `before`, with its 95 % bootstrap interval. */
    readonly difference: number;
    readonly low: number;
    readonly high: number;
    /** Two-sided, by approximate randomization over pairs. */
    readonly p: number;
    readonly margin: number;
    readonly questions: number;
    /** Lines of the file that say nothing about this collection. */
    readonly skipped: number;
  } | null;
  readonly phases: readonly PhaseMetrics[];
  readonly durationMs: number;
}

export type ReembedEvent =
  | {
      readonly type: "reembed-progress";
      readonly collection: string;
      readonly progress: Pick<ReembedReport, "contents" | "chunks"> & { readonly total: number };
    }
  | { readonly type: "reembed-end"; readonly report: ReembedReport };

/** Moves the vectors of a collection. Exactly one of `from` and `instance` is given. */
export interface MigrateRequest {
  readonly collection: string;
  /** Where its vectors are: an address, or `local` for the Milvus Lite of the home. */
  readonly from?: string;
  /** The instance it moves to. */
  readonly instance?: Instance;
}

export interface MigrateReport {
  readonly collection: string;
  /** Instance or address, as the request names it. */
  readonly from: string;
  readonly to: Instance;
  readonly chunks: number;
  /** Chunks that this run copied; an earlier one that was ended may have copied others. */
  readonly copied: number;
  /** Chunks that the copy had of contents the registry does not know, and that this run removed from it. */
  readonly removed: number;
  /** Chunks whose text and vectors were compared in both. */
  readonly compared: number;
  readonly durationMs: number;
}

export type MigrateEvent =
  | {
      readonly type: "migrate-progress";
      readonly collection: string;
      readonly progress: { readonly chunks: number; readonly total: number; readonly copied: number };
    }
  | { readonly type: "migrate-end"; readonly report: MigrateReport };
