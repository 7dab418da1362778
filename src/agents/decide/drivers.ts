import type { LanguageModel } from "../../core/answers/answer.ts";
import type { Purpose } from "../../core/documents/embedding.ts";

/** Dependencies of decisions: an embedder and, if one is installed, a model. */
export interface DecisionDrivers {
  /**
   * Unit vectors, shape [texts][dimensions], in the same order. The same texts recur on every call: the
   * caller caches their vectors.
   */
  embed(texts: readonly string[], purpose: Purpose): Promise<readonly Float32Array[]>;
  /** Null if no model is installed. */
  model(): Promise<LanguageModel | null>;
}
