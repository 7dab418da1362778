/** How a passage relates to a sentence: the label that the model finds likeliest. */
export interface EntailmentVerdict {
  /** Whether that label is the one for entailment. */
  readonly entailed: boolean;
  /** As the model names it, e.g. `neutral`. */
  readonly label: string;
  /** Of that label, in [0, 1]. */
  readonly probability: number;
}

/** Judges whether a sentence follows from a passage (natural language inference). */
export interface Entailment extends AsyncDisposable {
  /** Model id of the manifest, or a folder with the user's own model. */
  readonly id: string;
  judge(passage: string, sentence: string, signal: AbortSignal): Promise<EntailmentVerdict>;
}
