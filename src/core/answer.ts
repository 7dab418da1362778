import type { Context } from "./retrieval.ts";
import type { PhaseMetrics } from "./run.ts";

export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
}

export type Generated =
  | { readonly type: "text-delta"; readonly text: string }
  | {
      readonly type: "generation-end";
      readonly reason: "stop" | "length";
      readonly promptTokens: number;
      /** Prompt tokens whose state was reused and not evaluated again. */
      readonly reusedTokens: number;
      readonly outputTokens: number;
      readonly prefillMs: number;
      readonly decodeMs: number;
    };

export interface GenerateOptions {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
  /** GBNF grammar the output must follow. */
  readonly grammar?: string;
}

export interface LanguageModel extends AsyncDisposable {
  readonly id: string;
  readonly contextTokens: number;
  /** e.g. `cpu`, `cuda`, `metal`, `vulkan`. */
  readonly provider: string;
  count(text: string): number;
  generate(messages: readonly Message[], options: GenerateOptions, signal: AbortSignal): AsyncIterable<Generated>;
}

export interface Citation {
  readonly marker: number;
  readonly chunkId: string;
  readonly sourceFile: string;
  readonly sourcePath: string;
  /** 1-based; empty where the format has none. */
  readonly pages: readonly number[];
  /** Heading path, ` › ` between levels. */
  readonly section: string;
  readonly collection: string;
  /** The sentence of the passage nearest to what was answered. */
  readonly quote: string;
}

/** `answered` by the model, `extractive` by sentences of the passages, `refused` for want of evidence. */
export type VerdictStatus = "answered" | "extractive" | "refused";

export interface Verdict {
  readonly status: VerdictStatus;
  readonly reason: string;
  /** The evidence score of the best passage and the threshold it was held against, both in [0, 1]. */
  readonly evidence: number;
  readonly threshold: number;
}

export interface Answer {
  readonly query: string;
  readonly intent: "retrieval";
  readonly response: string;
  readonly citations: readonly Citation[];
  readonly verdict: Verdict;
  readonly context: Context;
  readonly model: string | null;
  readonly phases: readonly PhaseMetrics[];
}

export type AnswerEvent =
  | { readonly type: "context-ready"; readonly context: Context }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "answer-end"; readonly answer: Answer };
