import type { Instance } from "../retrieval.ts";

/** Exactly one of `from` and `instance` is given. */
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
