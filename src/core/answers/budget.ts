/** The plan of an answer within a time limit; every member but `phases` is a limit. */
export interface AnswerPlan {
  /**
   * `write`: by the model; `quote`: sentences of the passages, where no model is installed or none would
   * finish in time.
   */
  readonly kind: "write" | "quote";
  /** Query formulations to search by. */
  readonly formulations: number;
  /** Passages the model reads; 0 where sentences are quoted. */
  readonly passages: number;
  /** Tokens each passage is cut to. */
  readonly passageTokens: number;
  /** Tokens of the whole prompt; 0 where sentences are quoted. */
  readonly promptTokens: number;
  /** Longest answer, in tokens; 0 where sentences are quoted. */
  readonly answerTokens: number;
  /** Expected time of each phase, in order. */
  readonly phases: readonly PlannedPhase[];
}

/** A phase with the time expected of it. */
export interface PlannedPhase {
  readonly phase: string;
  readonly durationMs: number;
}

/**
 * Where the rates of a plan are from: past runs of this machine (`measured`), a short generation just before
 * (`warm-up`), or cautious values where neither was to be had (`assumed`).
 */
export type RateSource = "measured" | "warm-up" | "assumed";

/** What became of the time an answer was given. */
export interface BudgetReport {
  readonly promisedMs: number;
  readonly usedMs: number;
  readonly rates: RateSource;
  readonly plan: AnswerPlan;
  /**
   * Parts that an answer without a limit would have had, one entry each; empty where nothing was left out.
   */
  readonly leftOut: readonly string[];
}
