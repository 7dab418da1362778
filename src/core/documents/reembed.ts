import type { PhaseMetrics } from "../run.ts";

export interface ReembedRequest {
  readonly collection: string;
  /** Model id of the manifest. Default: the collection's own. */
  readonly model?: string;
  /** `all`: replaced versions that are kept come along. Default `latest`. */
  readonly scope?: "latest" | "all";
  /** Go back to the vectors before the last swap instead; what came since is embedded by their model. Default false. */
  readonly rollback?: boolean;
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
