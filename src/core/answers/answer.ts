import type { Chunk } from "../documents/chunk.ts";
import type { JsonObject } from "../json.ts";
import type { Context, UnavailableCollection } from "../retrieval.ts";
import type { PhaseMetrics } from "../run.ts";
import type { BudgetReport } from "./budget.ts";
import type { ToolResult } from "./tool.ts";
import type { TraceEvent } from "./trace.ts";

/** A call of a tool as a model wrote it. */
export interface ModelToolCall {
  /** Unique within the conversation; made up where the server gives none. */
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it, which may be invalid. */
  readonly arguments: string;
}

/** A tool that is offered to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: JsonObject;
}

/** `tool`: the result of the call that `toolCallId` names. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  /** Calls that an assistant's message makes; absent for none. */
  readonly toolCalls?: readonly ModelToolCall[];
  /** Of a tool's message; absent for others. */
  readonly toolCallId?: string;
}

export type Generated =
  | { readonly type: "text-delta"; readonly text: string }
  | {
      readonly type: "generation-end";
      /** `stop`: the model was done; `length`, `deadline`: it was cut by one of the options. */
      readonly reason: "stop" | "length" | "deadline";
      /** Tools it calls, in order; absent for none. */
      readonly toolCalls?: readonly ModelToolCall[];
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
  /** JSON Schema of the output, for servers that take one and no grammar. */
  readonly schema?: JsonObject;
  /**
   * Tools the model may call instead of answering. Where a server knows no tools, the driver offers them as a
   * JSON schema of the output.
   */
  readonly tools?: readonly ModelTool[];
  /** `none`: the tools stay in the prompt, so that it is kept, but none may be called. Default: `auto`. */
  readonly toolChoice?: "auto" | "none";
  /**
   * Receives the number of other callers' generations ahead of this one whenever it changes, and 0 when its
   * turn has come.
   */
  readonly onWait?: (ahead: number) => void;
  /**
   * Makes sampling the same each time, with the same model on the same machine; remote models may not take
   * one. Default: another each time.
   */
  readonly seed?: number;
  /**
   * The system message is the same for other questions and holds nothing of documents: a model of this
   * machine may keep what it evaluated of it on disk. Default: false.
   */
  readonly keepSystem?: boolean;
  /**
   * `performance.now()` at which reading and writing end; the text written by then is returned. Default:
   * never.
   */
  readonly until?: number;
}

export interface LanguageModel extends AsyncDisposable {
  readonly id: string;
  readonly contextTokens: number;
  /** e.g. `cpu`, `cuda`, `metal`, `vulkan`. */
  readonly provider: string;
  count(text: string): number;
  generate(
    messages: readonly Message[],
    options: GenerateOptions,
    signal: AbortSignal,
  ): AsyncIterable<Generated>;
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
  /**
   * Cells of a spreadsheet that the quotes are from, e.g. `Pumps!C7`; absent for other formats, and in older
   * records.
   */
  readonly cells?: readonly string[];
  readonly collection: string;
  /** The sentence of the passage that supports the first sentence citing it. */
  readonly quote: string;
  /** The same for every sentence that cites it, in their order, each once. */
  readonly quotes: readonly string[];
}

/**
 * `retrieval` is the default whenever unsure; `direct` needs no search; `multi_part` is several questions;
 * `clarify` asks back.
 */
export const intents = ["retrieval", "direct", "multi_part", "clarify"] as const;
export type Intent = (typeof intents)[number];

/**
 * The kind of a question, by its form; `fact` where the form shows no other. `total`: a figure computed from
 * several; `holdings`: what there is to ask; `mentions`: which documents mention something; `contents`: the
 * parts of a document; `follow_up`: depends on an earlier question.
 */
export const questionKinds = [
  "fact",
  "number",
  "yes_no",
  "list",
  "comparison",
  "total",
  "definition",
  "procedure",
  "summary",
  "holdings",
  "mentions",
  "contents",
  "follow_up",
] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** Parts of a document that a question counts or lists. */
export const structureParts = [
  "pages",
  "slides",
  "headings",
  "chapters",
  "sections",
  "appendices",
  "tables",
  "figures",
] as const;
export type ContentPart = (typeof structureParts)[number];

/** How to treat sentences that the passages do not support: remove, mark, or keep. */
export const groundedModes = ["strict", "prefer", "off"] as const;
export type GroundedMode = (typeof groundedModes)[number];

/**
 * Whether a model writes answers: an able one, while a small one quotes; a small one too, below its quotes;
 * or none.
 */
export type WriteMode = "auto" | "always" | "never";

/** One sentence of an answer, held against the passages it cites. */
export interface SentenceVerdict {
  readonly text: string;
  readonly markers: readonly number[];
  readonly support: "supported" | "partial" | "unsupported";
  /** What is missing, e.g. `14 does not appear in [2]`; "" when supported. */
  readonly reason: string;
  /**
   * Id of the tie or rule that decided, of a supported one the tie that holds it; `judge/rules.ts` lists
   * them.
   */
  readonly rule: string;
  /**
   * How its numbers that are in no passage were computed, e.g. `5.9 - 4.1`; absent where all are in passages.
   */
  readonly derivation?: string;
}

/** What a small model wrote below the quotes of an answer. */
export interface WrittenDraft {
  readonly model: string;
  readonly text: string;
  /** Its sentences, held against the passages. */
  readonly sentences: readonly SentenceVerdict[];
}

/**
 * `answered`: by the model; `extractive`: with sentences of the passages; `refused`: for lack of evidence;
 * `direct`: without a search; `clarify`: with a question back; `unverified`: the last attempt left sentences
 * that no passage supports.
 */
export type VerdictStatus = "answered" | "extractive" | "refused" | "direct" | "clarify" | "unverified";

export interface Verdict {
  readonly status: VerdictStatus;
  readonly reason: string;
  /** The evidence score of the best passage and the threshold it was held against, both in [0, 1]. */
  readonly evidence: number;
  readonly threshold: number;
  readonly grounded: GroundedMode;
  /** Every sentence of the answer, written or quoted, those removed too. */
  readonly sentences: readonly SentenceVerdict[];
  /** Sentences taken out because nothing supports them. */
  readonly removed: number;
}

/**
 * The sources of a response: only those who may read all of them may read it. Sources of its tools are in
 * `Answer.tools`.
 */
export interface Origins {
  /** Passages, messages and tool results whose words or names may be in it. */
  readonly chunks: readonly Chunk[];
  /** Collections whose names, counts or titles it mentions, or that a tool read. */
  readonly collections: readonly string[];
  /** Agents it names. */
  readonly agents: readonly string[];
}

/** A passage that was found and did not answer. */
export interface NearPassage {
  readonly chunk: Chunk;
  /** Its sentence nearest to the question; "" where it has none to show. */
  readonly quote: string;
}

/** The scope of the search for a refused answer; counts cover only what the asker may read. */
export interface Searched {
  readonly documents: number;
  readonly pages: number;
  /** Files that the last ingest of them failed to read. */
  readonly unreadDocuments: number;
  /** Pages without text in the documents searched, as recorded by the ingests in the history. */
  readonly unreadPages: number;
  /** Best first, three at most. */
  readonly nearest: readonly NearPassage[];
}

export interface Answer {
  readonly query: string;
  readonly intent: Intent;
  readonly response: string;
  readonly citations: readonly Citation[];
  readonly verdict: Verdict;
  readonly context: Context;
  readonly model: string | null;
  /** What a small model wrote below its quotes; absent where it was not to write. */
  readonly draft?: WrittenDraft;
  /** Agent that answered; null where the registry has none that may be used. */
  readonly agent: string | null;
  /** Calls of tools other than the search, with their results. */
  readonly tools: readonly ToolResult[];
  /** Absent where unknown: the response is then kept for the asker only. */
  readonly origins?: Origins;
  readonly trace: readonly TraceEvent[];
  readonly phases: readonly PhaseMetrics[];
  /** Collections that could not be searched: the answer uses only the others. */
  readonly unavailable: readonly UnavailableCollection[];
  /** Of a refusal; absent otherwise. */
  readonly searched?: Searched;
  /** Absent where the time was not limited. */
  readonly budget?: BudgetReport;
  /** Run that recorded it, for `ragctl logs` and `ragctl replay`; absent where none did, as in a replay. */
  readonly runId?: string;
}

export type AnswerEvent =
  | { readonly type: "node-end"; readonly event: TraceEvent }
  /** `usualMs`: what writing usually takes here; absent where no model writes, or none did so far. */
  | { readonly type: "context-ready"; readonly context: Context; readonly usualMs?: number | undefined }
  /** `sentences`: those that end with this piece of text, as judged; absent where none was. */
  | {
      readonly type: "text-delta";
      readonly text: string;
      readonly sentences?: readonly SentenceVerdict[];
    }
  | { readonly type: "answer-end"; readonly answer: Answer };
