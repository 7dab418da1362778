import type { JsonObject } from "../json.ts";
import type { ActingAgent } from "../permission.ts";
import type { Context, Hit, UnavailableCollection } from "../retrieval.ts";
import type { PhaseMetrics } from "../run.ts";
import type { Citation, ContentPart, Intent, Verdict, WrittenDraft } from "./answer.ts";
import type { ReaderVerdict } from "./reading.ts";
import type { AvailableTool, ToolCall, ToolResult } from "./tool.ts";

/** An agent as a question sees it. */
export interface AgentProfile extends ActingAgent {
  readonly id: string;
  readonly description: string;
  /** The tone of its answers, in its operator's words; "" or absent for none. */
  readonly persona?: string;
  readonly guidelines?: string;
  /** Topics it answers about. */
  readonly topics: readonly string[];
  /** Questions it answers, as the registry lists them. */
  readonly examples: readonly string[];
  /** Provider, model, temperature and limits of this agent; empty: those of the settings. */
  readonly providerConfig: JsonObject;
}

/** One earlier turn of a conversation, oldest first in a history. */
export interface Turn {
  readonly role: "user" | "assistant";
  /** Principal, or the agent that answered. */
  readonly author: string;
  readonly text: string;
}

export interface IntentDecision {
  readonly intent: Intent;
  /**
   * `rule`: by form; `router`: by embedding; `model`: asked because the router was unsure; `default`: unsure
   * and no model.
   */
  readonly via: "rule" | "router" | "model" | "default";
  /** Cosine in [-1, 1] of the nearest utterances of each class, `other` included; empty for a rule. */
  readonly scores: Readonly<Record<string, number>>;
  readonly reason: string;
}

export interface Reflection {
  /** The question made self-contained; null where it already is. */
  readonly rewritten: string | null;
  /**
   * `none`: needs nothing of the history; `spelling`: only a misspelt name of a document was mended; `rule`:
   * by carrying terms of the last turns; `model`.
   */
  readonly via: "none" | "spelling" | "rule" | "model";
  readonly reason: string;
}

export interface AgentChoice {
  /** Null: no agent is there or may be used; the principal's own permissions hold alone. */
  readonly agent: AgentProfile | null;
  /** Cosine of each agent that could be used, best first. */
  readonly scores: readonly { readonly agent: string; readonly score: number }[];
  readonly reason: string;
}

/** One formulation to search by. */
export interface PlannedQuery {
  readonly text: string;
  readonly purpose: "question" | "rewrite" | "key_terms" | "part";
  /** Hits to take. */
  readonly limit: number;
}

export interface Plan {
  readonly queries: readonly PlannedQuery[];
  readonly reason: string;
}

/** The resources that pass the permission check: every readable collection, by name. */
export interface AllowedResources {
  readonly collections: readonly string[];
  /** Number of collections that the principal may read but the agent may not; tells of no others. */
  readonly withheld: number;
}

/** The same, and the tools that both principal and agent may use, in order of preference. */
export interface PermittedResources extends AllowedResources {
  readonly tools: readonly AvailableTool[];
}

/** The calls of tools that a question needs, and the plan of its searches; null where it needs none. */
export interface ToolChoice {
  readonly calls: readonly ToolCall[];
  readonly plan: Plan | null;
}

/** What searches and tools gave. */
export interface Found extends ToolChoice {
  /** Null where nothing was searched. */
  readonly gathered: Gathered | null;
  readonly results: readonly ToolResult[];
  readonly phases: readonly PhaseMetrics[];
}

/** The combined hits of the searches of a plan, best first. */
export interface Gathered {
  readonly hits: readonly Hit[];
  /** The hits are one whole document, cut down to the sentences that carry it; else absent. */
  readonly isWhole?: boolean;
  /** The document name in the question, where no searched document has it; there are no hits then. */
  readonly unnamed?: string;
  /** Empty forms, where nothing else was found; there are no hits of documents then. */
  readonly forms?: readonly Hit[];
  /** The question with the document's name for a word that refers to it; absent where it is read as typed. */
  readonly readAs?: string;
  /** The hits are all passages found with words of a subject; absent for hits of a search. */
  readonly mentions?: MentionSearch;
  /** The hits are all chunks of the document whose parts the question wants; absent for hits of a search. */
  readonly contents?: ContentSearch;
  /** Best cosine of any passage; absent where no dense route ran. */
  readonly cosine?: number;
  readonly phases: readonly PhaseMetrics[];
  /** Collections that could not be searched. */
  readonly unavailable: readonly UnavailableCollection[];
  /** Why none could be; the end of the question unless a tool has a result. */
  readonly failure?: Error;
}

/** A search for the documents that mention something. */
export interface MentionSearch {
  readonly subject: string;
  /** Documents that were searched. */
  readonly documents: number;
  /** Agent for whom fewer collections were searched than the principal may read; absent where all were. */
  readonly narrowedBy?: string;
  /** Whether there are more passages than were looked at. */
  readonly isCut: boolean;
}

/** A lookup of the parts of a document. */
export interface ContentSearch {
  readonly part: ContentPart;
  /** Null where it is unclear which document the question means. */
  readonly document: { readonly name: string; readonly pages: number } | null;
  /** Documents that may be meant. */
  readonly documents: number;
}

/** A written answer before and after judgement. */
export interface Draft {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly verdict: Verdict;
  /** Null where no model was asked. */
  readonly model: string | null;
  /** How well that model reads; absent where no model was used, and where it was not determined. */
  readonly reader?: ReaderVerdict;
  /** Below quotes, with `answer.write: always`; absent otherwise. */
  readonly draft?: WrittenDraft;
  /** The passages the answer was written from. */
  readonly context: Context;
  readonly phases: readonly PhaseMetrics[];
}
