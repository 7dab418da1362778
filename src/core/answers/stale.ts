/** A cited passage whose words are no longer in its document. */
export interface StalePassage {
  readonly marker: number;
  readonly document: string;
  readonly collection: string;
  readonly state: "changed" | "gone";
  /** The quoted text. */
  readonly before: string;
  /** The nearest text in the present document; "" for none. */
  readonly after: string;
}

/** A past answer that cites such passages. */
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
