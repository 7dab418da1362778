import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

/** A statement that is held against passages, and the question it answers. */
export interface Claim {
  readonly asked: Question;
  readonly cited: readonly Witness[];
  /** All passages, cited or not. */
  readonly everywhere: readonly Witness[];
  /** The markers of those passages, for reasons. */
  readonly where: string;
  /** Without an opening yes or no. */
  readonly text: string;
  /** Without its dates. */
  readonly rest: string;
  readonly terms: readonly string[];
  readonly names: readonly string[];
}
