import type { SentenceVerdict } from "../../../core/answers/answer.ts";
import type { Value } from "./values.ts";

/** What a passage has in place of a value of a statement. */
export interface Contradiction {
  /** The value, as the statement gives it. */
  readonly value: string;
  readonly marker: number;
  /** The sentence or row with the other value, verbatim. */
  readonly quote: string;
}

/** A contradiction in an answer. */
export interface FoundContradiction extends Contradiction {
  /** Index of the sentence that is contradicted. */
  readonly sentence: number;
}

/** A value that no cited passage has and that does not follow from what they have. */
export interface UntiedValue {
  /** Index of its sentence. */
  readonly sentence: number;
  readonly value: Value;
  /** Markers of passages that have it, although its sentence does not cite them. */
  readonly elsewhere: readonly number[];
  /** Whether the cited passages have the number, but with another unit. */
  readonly isOtherUnit: boolean;
}

/** An answer's sentences, each held against all passages that it cites. Nothing is removed. */
export interface Checked {
  readonly text: string;
  readonly sentences: readonly SentenceVerdict[];
  readonly contradictions: readonly FoundContradiction[];
  readonly untied: readonly UntiedValue[];
}
