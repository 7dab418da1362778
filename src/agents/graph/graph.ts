import type { AgentState, Turn } from "../../core/answers/agent.ts";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import type { TraceEvent } from "../../core/answers/trace.ts";
import type { Context } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { GraphDrivers, Node, NodeName, Step } from "./node.ts";
import { assemble, finish, judge, rewrite } from "./nodes-answer.ts";
import { clarify, direct, intent, orchestrate, reflect } from "./nodes-question.ts";
import { execute, permit, route, selectTools } from "./nodes-tools.ts";
import { sumPhases } from "./phases.ts";

/** Every node with where it may lead. The drawing in docs/agents.md is made of this. */
export const nodes: Readonly<Record<NodeName, Node>> = {
  orchestrate: { to: ["reflect"], decide: orchestrate },
  reflect: { to: ["intent"], decide: reflect },
  intent: { to: ["route", "direct", "clarify"], decide: intent },
  direct: { to: ["finish"], write: direct },
  clarify: { to: ["finish"], write: clarify },
  route: { to: ["permit"], decide: route },
  permit: { to: ["select_tools"], decide: permit },
  select_tools: { to: ["execute"], decide: selectTools },
  execute: { to: ["assemble", "finish"], decide: execute },
  assemble: { to: ["judge"], write: assemble },
  judge: { to: ["finish", "rewrite"], decide: judge },
  rewrite: { to: ["execute"], decide: rewrite },
  finish: { to: [], write: finish },
};

/** The graph as a Mermaid flowchart. */
export function drawGraph(): string {
  const edges = Object.entries(nodes).flatMap(([from, { to }]) => to.map((name) => `  ${from} --> ${name}`));
  return ["flowchart TD", ...edges].join("\n");
}

/** The state before the first node. */
export function initialState(query: string, chatHistory: readonly Turn[]): AgentState {
  return {
    query,
    chatHistory,
    clarifiedQuery: query,
    intent: null,
    plan: null,
    selectedAgent: null,
    permissions: null,
    availableTools: [],
    toolCalls: [],
    toolResults: [],
    gathered: null,
    draft: null,
    verdict: null,
    shown: "",
    phases: [],
    attempts: 0,
    finalResponse: "",
  };
}

/**
 * Walks the graph from the question to the final response. Every node's decision is an event as it falls; text comes as it is
 * written and judged. What a node raises ends the walk: nothing half-done is answered.
 */
export async function* runGraph(
  query: string,
  chatHistory: readonly Turn[],
  drivers: GraphDrivers,
  run: Run,
): AsyncGenerator<AnswerEvent> {
  let state = initialState(query, chatHistory);
  const trace: TraceEvent[] = [];
  let at: NodeName | null = "orchestrate";
  while (at !== null) {
    run.signal.throwIfAborted();
    const node: Node = nodes[at];
    const since = performance.now();
    const step: Step =
      "write" in node ? yield* node.write(state, drivers, run) : await node.decide(state, drivers, run);
    if (step.next !== null && !node.to.includes(step.next))
      throw new TypeError(`${at} may not lead to ${step.next}`);
    state = { ...state, ...step.patch };
    const event: TraceEvent = {
      node: at,
      decided: step.decided,
      durationMs: performance.now() - since,
      details: step.details ?? {},
    };
    trace.push(event);
    // What was decided can hold the question, which is not logged.
    run.log.event("node", { node: at, duration_ms: event.durationMs });
    yield { type: "node-end", event };
    at = step.next;
  }
  yield { type: "answer-end", answer: answerOf(state, trace) };
}

function answerOf(
  state: AgentState,
  trace: readonly TraceEvent[],
): Extract<AnswerEvent, { type: "answer-end" }>["answer"] {
  const { draft, verdict } = state;
  if (verdict === null) throw new TypeError("the graph ended without a verdict");
  const none: Context = {
    question: state.clarifiedQuery,
    passages: [],
    tokenCount: 0,
    dropped: { overBudget: 0, duplicate: 0 },
  };
  const phases = sumPhases(state.phases);
  const sum = (parts: readonly { readonly durationMs: number }[]): number =>
    parts.reduce((total, { durationMs }) => total + durationMs, 0);
  return {
    query: state.query,
    intent: state.intent?.intent ?? "retrieval",
    response: state.finalResponse,
    citations: draft?.citations ?? [],
    verdict,
    context: draft?.context ?? none,
    model: draft?.model ?? null,
    agent: state.selectedAgent?.agent?.name ?? null,
    tools: state.toolResults,
    trace,
    // What the searches, tools and drafts did not count themselves is the graph's own time, so that the phases add up to the whole.
    phases: [
      {
        phase: "agents",
        durationMs: Math.max(0, sum(trace) - sum(phases)),
        counts: { nodes: trace.length, attempts: state.attempts },
      },
      ...phases,
    ],
    unavailable: state.gathered?.unavailable ?? [],
  };
}
