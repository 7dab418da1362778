import type { NamedBytes } from "../flow.ts";
import type { Instance } from "../retrieval.ts";

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

/** Moves the vectors of a collection. Exactly one of `from` and `instance` is given. */
export interface MigrateRequest {
  readonly collection: string;
  /** Where its vectors are: an address, or `local` for the Milvus Lite of the home. */
  readonly from?: string;
  /** The instance it moves to. */
  readonly instance?: Instance;
}
