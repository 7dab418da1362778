/** A cited passage whose words are not in its document any more. */
export interface StalePassage {
  readonly marker: number;
  readonly document: string;
  readonly collection: string;
  readonly state: "changed" | "gone";
  /** What was quoted. */
  readonly before: string;
  /** What the document has now that is nearest to it; "" for nothing. */
  readonly after: string;
}

/** A past answer that rests on such passages. */
export interface StaleAnswer {
  readonly runId: string;
  readonly question: string;
  /** ISO 8601. */
  readonly askedAt: string;
  readonly passages: readonly StalePassage[];
}

export interface StaleReport {
  /** Newest first. */
  readonly answers: readonly StaleAnswer[];
  /** Answers that were looked at: the last one to each question. */
  readonly checked: number;
}
