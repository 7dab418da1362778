import type { NamedBytes } from "../flow.ts";
import type { PhaseMetrics } from "../run.ts";
import type { VerdictStatus } from "./answer.ts";

/** A question with its known answer: one line of a file of questions (docs/reference/evaluation.md). */
export interface EvalQuestion {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly id: string;
  readonly question: string;
  /** Base name of the document that holds the answer; null for none. */
  readonly document: string | null;
  /** Accepted answers; empty if the file gives none. */
  readonly answers: readonly string[];
  readonly answerable: boolean;
  /** Pages of the evidence, 1-based; empty where they are not known. */
  readonly pages: readonly number[];
  /** Value of the field that questions are grouped by; "" where it is missing. */
  readonly group: string;
  /** Drafted by a model and not reviewed. */
  readonly draft: boolean;
}

/** A line or question that was not evaluated, and why. */
export interface ExcludedQuestion {
  readonly line: number;
  /** "" where it cannot be read. */
  readonly id: string;
  /** `line`: it cannot be read; `document`: its document is not there; `failed`: asking it failed. */
  readonly kind: "line" | "document" | "failed";
  readonly reason: string;
}

/** Where something was found or cited. */
export interface EvalPlace {
  /** Base name. */
  readonly document: string;
  readonly pages: readonly number[];
}

/** Metric → value for one question; a metric that says nothing about the question is missing. */
export type Scores = Readonly<Record<string, number>>;

/** One evaluated question. */
export interface EvalOutcome {
  readonly question: EvalQuestion;
  readonly scores: Scores;
  readonly hits: readonly EvalPlace[];
  /** Null where only retrieval was evaluated. */
  readonly answer: {
    readonly runId: string;
    readonly response: string;
    readonly status: VerdictStatus;
    readonly reason: string;
    readonly citations: readonly EvalPlace[];
  } | null;
}

/** The mean of a metric over the questions that it is defined for. */
export interface MetricSummary {
  readonly metric: string;
  readonly mean: number;
  /** Bounds of the 95 % bootstrap interval. */
  readonly low: number;
  readonly high: number;
  readonly questions: number;
}

/** Two runs on the same questions, by one metric. */
export interface PairedDifference {
  readonly metric: string;
  readonly before: number;
  readonly after: number;
  /** `after` − `before`, with its 95 % bootstrap interval. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** Two-sided p of the paired randomization test. */
  readonly p: number;
  /** Pairs: questions that both runs have the metric for; the means are over these. */
  readonly questions: number;
}

/** A question that another run scored otherwise. */
export interface ChangedQuestion {
  readonly id: string;
  readonly metric: string;
  readonly before: number;
  readonly after: number;
}

/** This run compared with an earlier one. */
export interface Comparison {
  readonly differences: readonly PairedDifference[];
  readonly changed: readonly ChangedQuestion[];
  /** Ids that only one of the runs has, or that ask something else. */
  readonly unmatched: readonly string[];
}

/** A search variant, compared with the complete search. */
export interface Ablation {
  readonly variant: string;
  readonly description: string;
  readonly metrics: readonly MetricSummary[];
  /** Against the complete search: what leaving something out costs. */
  readonly differences: readonly PairedDifference[];
}

/** A bound that a metric has to keep. */
export interface Gate {
  readonly metric: string;
  readonly operator: ">=" | "<=" | ">" | "<";
  readonly bound: number;
}

/** A gate with its measured value; `value` is null where the metric could not be computed. */
export interface GateResult extends Gate {
  readonly value: number | null;
  readonly passed: boolean;
  readonly reason: string;
}

/** The result of one question in an earlier run, as in its JSON. */
export interface EarlierOutcome {
  readonly id: string;
  readonly question: string;
  readonly scores: Scores;
}

export interface EvalRequest {
  /** The file of questions. */
  readonly source: NamedBytes;
  readonly groupBy: string;
  /** Passages of a search; an answer takes those of the setting `retrieve.topK`, as `ask` does. */
  readonly topK: number;
  readonly collections: readonly string[];
  /** False: retrieval alone. */
  readonly answers: boolean;
  readonly ablate: boolean;
  /** Relative tolerance of numbers. */
  readonly tolerance: number;
  readonly agent?: string;
  readonly gates: readonly Gate[];
  readonly earlier?: readonly EarlierOutcome[];
}

export interface EvalReport {
  readonly programVersion: string;
  readonly principal: string;
  readonly topK: number;
  readonly answers: boolean;
  /** Model that wrote answers; null where none did. */
  readonly model: string | null;
  readonly outcomes: readonly EvalOutcome[];
  readonly excluded: readonly ExcludedQuestion[];
  /** Evaluated questions that a model drafted and that were not reviewed. */
  readonly drafts: number;
  readonly metrics: readonly MetricSummary[];
  readonly groups: readonly { readonly group: string; readonly metrics: readonly MetricSummary[] }[];
  readonly ablations: readonly Ablation[];
  readonly comparison: Comparison | null;
  readonly gates: readonly GateResult[];
  readonly durationMs: number;
}

export type EvalEvent =
  | { readonly type: "eval-progress"; readonly done: number; readonly total: number; readonly id: string }
  | { readonly type: "eval-end"; readonly report: EvalReport };

/** A question drafted from a passage: a proposal, never truth. */
export interface DraftQuestion {
  readonly id: string;
  readonly question: string;
  readonly document: string;
  readonly answer: string;
  readonly pages: readonly number[];
  /** The passage it was drafted from. */
  readonly passage: string;
}

export interface DraftRequest {
  readonly count: number;
  readonly collections: readonly string[];
}

/** A passage that gave no usable question, and why. */
export interface DraftMiss {
  readonly document: string;
  readonly reason: string;
}

export type DraftEvent =
  | { readonly type: "draft"; readonly draft: DraftQuestion }
  | { readonly type: "draft-miss"; readonly miss: DraftMiss };

/** The phases of one question, by what ran. */
export interface EvalPhases {
  readonly search: readonly PhaseMetrics[];
  readonly answer: readonly PhaseMetrics[];
}
