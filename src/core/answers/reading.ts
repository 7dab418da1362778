/**
 * How a model answered a question about passages: `silent` wrote nothing, `invented` is neither right nor a
 * refusal.
 */
export type ReadingOutcome = "right" | "refused" | "invented" | "silent";

/** How a model answered questions about passages whose answers are known, counted. */
export interface Reading {
  /** Questions whose answer is in the passages, and the number answered correctly. */
  readonly answerable: number;
  readonly right: number;
  /** Questions whose answer is not in the passages, and the number refused. */
  readonly absent: number;
  readonly refused: number;
  /** Of all questions, those answered with something that is not in the passages. */
  readonly invented: number;
  /**
   * Of all questions, those answered at all, and those of them whose every sentence ends with its passages'
   * numbers.
   */
  readonly written: number;
  readonly cited: number;
}

/** A share with its 95 % interval. */
export interface Share {
  readonly count: number;
  readonly of: number;
  /** In [0, 1]; 0 where `of` is. */
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/**
 * What a question requires; `orders`: the passages contain instructions, `absent`: the passages lack the
 * answer.
 */
export type ReadingKind = "fact" | "table" | "reckoning" | "list" | "orders" | "absent";

/** One question of a probe, and the model's answer. */
export interface ProbedQuestion {
  /** Two letters. */
  readonly language: string;
  readonly kind: ReadingKind;
  readonly question: string;
  readonly answer: string;
  readonly outcome: ReadingOutcome;
  /** Whether every sentence ends with numbers of its passages; false where there is no answer. */
  readonly cited: boolean;
}

/** How much text a model can handle: a small one is misled by more than the nearest lines. */
export type ReaderLevel = "small" | "able";

/**
 * `score`: of all questions those answered or refused rightly; the others are its parts, as `Reading` counts
 * them.
 */
export type ReadingFigure = "score" | "right" | "rightly_refused" | "invented" | "cited_in_form";

/** The level of a model. */
export interface ReaderVerdict {
  readonly level: ReaderLevel;
  /** Why it is of that level. */
  readonly why: string;
}
