import type { AgentState, Turn } from "../../core/answers/agent.ts";
import type { AnswerEvent } from "../../core/answers/answer.ts";
import type { TraceEvent } from "../../core/answers/trace.ts";
import type { Context } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { GraphDrivers, Node, NodeName, Step } from "./node.ts";
import { assembleNode, flushNode, judgeNode } from "./nodes-answer.ts";
import { clarifyNode, directNode, intentNode, orchestrateNode, reflectNode } from "./nodes-question.ts";
import { executeNode, permitNode, routeNode, selectToolsNode } from "./nodes-tools.ts";

/**
 * Every node with its possible successors. The drawing in docs/explanation/agents.md is made from this table.
 */
export const nodes: Readonly<Record<NodeName, Node>> = {
  orchestrate: { to: ["reflect"], decide: orchestrateNode },
  reflect: { to: ["intent"], decide: reflectNode },
  intent: { to: ["route", "direct", "clarify"], decide: intentNode },
  direct: { to: ["finish"], write: directNode },
  clarify: { to: ["finish"], write: clarifyNode },
  route: { to: ["permit"], decide: routeNode },
  permit: { to: ["select_tools"], decide: permitNode },
  select_tools: { to: ["execute"], decide: selectToolsNode },
  execute: { to: ["assemble"], decide: executeNode },
  assemble: { to: ["judge"], write: assembleNode },
  judge: { to: ["finish"], decide: judgeNode },
  finish: { to: [], write: flushNode },
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
    finalResponse: "",
  };
}

/**
 * Walks the graph from the question to the final response. Every decision is emitted as it is made; text is
 * emitted as it is written and judged. An error of a node ends the walk: there is no partial answer.
 */
export async function* runGraph(
  query: string,
  chatHistory: readonly Turn[],
  drivers: GraphDrivers,
  run: Run,
): AsyncGenerator<AnswerEvent> {
  let state = initialState(query, chatHistory);
  const trace: TraceEvent[] = [];
  let name: NodeName | null = "orchestrate";
  while (name !== null) {
    run.signal.throwIfAborted();
    const node: Node = nodes[name];
    const since = performance.now();
    const step: Step =
      "write" in node
        ? yield* traced(node.write(state, drivers, run), trace, run)
        : await node.decide(state, drivers, run);
    if (step.next !== null && !node.to.includes(step.next))
      throw new TypeError(`${name} may not lead to ${step.next}`);
    state = { ...state, ...step.patch };
    const event: TraceEvent = {
      node: name,
      decided: step.decided,
      durationMs: performance.now() - since,
      details: step.details ?? {},
    };
    trace.push(event);
    // The decision may quote the question, which must not be logged.
    run.log.event("node", { node: name, duration_ms: event.durationMs });
    yield { type: "node-end", event };
    name = step.next;
  }
  yield { type: "answer-end", answer: answerOf(state, trace) };
}

/** A node that writes, with the steps that it takes itself in the trace. */
async function* traced(
  work: AsyncGenerator<AnswerEvent, Step>,
  trace: TraceEvent[],
  run: Run,
): AsyncGenerator<AnswerEvent, Step> {
  let next = await work.next();
  while (next.done !== true) {
    if (next.value.type === "node-end") {
      const { event } = next.value;
      trace.push(event);
      run.log.event("node", { node: event.node, duration_ms: event.durationMs });
    }
    yield next.value;
    next = await work.next();
  }
  return next.value;
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
    ...(draft?.draft === undefined ? {} : { draft: draft.draft }),
    agent: state.selectedAgent?.agent?.name ?? null,
    tools: state.toolResults,
    trace,
    // Time not spent in a search, tool or draft is the graph's own, so that the phases add up to the total.
    phases: [
      {
        phase: "agents",
        durationMs: Math.max(0, sum(trace) - sum(state.phases)),
        counts: { nodes: trace.length },
      },
      ...state.phases,
    ],
    unavailable: state.gathered?.unavailable ?? [],
  };
}
