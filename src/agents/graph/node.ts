import type {
  AgentChoice,
  AgentProfile,
  AgentState,
  AllowedResources,
  Draft,
  Gathered,
  IntentDecision,
  Plan,
  Reflection,
  Turn,
} from "../../core/answers/agent.ts";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import type { AvailableTool, ToolCall, ToolResult } from "../../core/answers/tool.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";

export type NodeName =
  | "orchestrate"
  | "reflect"
  | "intent"
  | "direct"
  | "clarify"
  | "route"
  | "permit"
  | "select_tools"
  | "execute"
  | "assemble"
  | "judge"
  | "finish";

/** The outcome of a node: the state members it sets, one line for display, and the next node. */
export interface Step {
  readonly patch: Partial<AgentState>;
  readonly decided: string;
  readonly details?: JsonObject;
  readonly next: NodeName | null;
}

/** One node of the graph: it decides, or it writes text and then returns its decision. */
export type Node = { readonly to: readonly NodeName[] } & (
  | { decide(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> }
  | { write(state: AgentState, drivers: GraphDrivers, run: Run): AsyncGenerator<AnswerEvent, Step> }
);

/** External dependencies of the graph, supplied by the composition root. */
export interface GraphDrivers {
  reflect(question: string, history: readonly Turn[], run: Run): Promise<Reflection>;
  arithmetic(question: string): boolean;
  classify(question: string, history: readonly Turn[], run: Run): Promise<IntentDecision>;
  directReply(question: string, run: Run): Promise<string>;
  clarifyingQuestion(question: string, run: Run): Promise<string>;
  /** Enabled agents that the principal may use. */
  usableAgents(run: Run): Promise<readonly AgentProfile[]>;
  route(question: string, agents: readonly AgentProfile[], run: Run): Promise<AgentChoice>;
  /** Collections that both the principal and the agent may read. */
  allowed(agent: AgentProfile | null, run: Run): Promise<AllowedResources>;
  /** The agent's enabled tools that the principal may use, in order of preference. */
  tools(agent: AgentProfile | null, run: Run): Promise<readonly AvailableTool[]>;
  /** Chooses among the available tools of the state. */
  selectTools(state: AgentState, run: Run): Promise<readonly ToolCall[]>;
  plan(
    question: string,
    reflection: { readonly original: string; readonly rewritten: string | null },
    intent: IntentDecision,
  ): Plan;
  gather(plan: Plan, state: AgentState, run: Run): Promise<Gathered>;
  /** Runs every call except rag; permission is checked again before each. */
  runTools(calls: readonly ToolCall[], state: AgentState, run: Run): Promise<readonly ToolResult[]>;
  /**
   * Computes what a question asks of the retrieved documents: a measure of their statements, or a row or
   * total of their tables. Empty for other questions, and if the documents lack the data.
   */
  computeFrom(hits: readonly Hit[], state: AgentState, run: Run): Promise<readonly ToolResult[]>;
  /** Writes and judges an answer; text is emitted once it is judged. */
  synthesize(state: AgentState, run: Run): AsyncGenerator<AnswerEvent, Draft>;
}
