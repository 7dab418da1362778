import type { Answer } from "../../core/answers/answer.ts";
import type { TraceEvent } from "../../core/answers/trace.ts";
import { z } from "../../core/schema.ts";
import { traceSchema, traceShape } from "../../shapes/answer.ts";

/** Role of each node, in the terms of a team of agents; other nodes keep their names. */
const agents: Readonly<Record<string, string>> = {
  intent: "router",
  select_tools: "planner",
  execute: "retriever",
  assemble: "synthesizer",
  rewrite: "query-rewriter",
};

/** An event `agent` of the short routes. */
export const agentEvent = traceSchema.extend({
  agent: z.string().describe("Component that decided: router, planner, retriever, synthesizer, judge, …"),
  needsRetrieval: z.boolean().describe("Whether documents are searched, if known yet."),
  steps: z.array(z.string()).describe("The plan, if known yet."),
});

const plannedSchema = z.object({
  plan: z.object({ queries: z.array(z.object({ text: z.string(), purpose: z.string() })) }),
});

/** The queries that a node planned; undefined where it planned none. */
const plannedBy = ({ details }: TraceEvent) => plannedSchema.safeParse(details).data?.plan.queries;

/** The known steps once this node has decided. */
function stepsOf(event: TraceEvent): { readonly needsRetrieval?: boolean; readonly steps?: string[] } {
  const intent = event.details["intent"];
  if (event.node === "intent") return { needsRetrieval: intent === "retrieval" || intent === "multi_part" };
  if (event.node !== "select_tools") return {};
  const searches = plannedBy(event)?.map(({ text }) => `retrieve: ${text}`) ?? [];
  return { needsRetrieval: searches.length > 0, steps: ["route", ...searches, "synthesize", "judge"] };
}

/** Returns the data of each event in turn, with the steps known by then. */
export function createAgentEventMapper(): (event: TraceEvent) => z.output<typeof agentEvent> {
  let known = { needsRetrieval: true, steps: ["route"] };
  return (event) => {
    known = { ...known, ...stepsOf(event) };
    return { ...traceShape(event), agent: agents[event.node] ?? event.node, ...known };
  };
}

/** Why the router decided so, and the questions it made of one. */
export function describeRouting({ trace }: Answer) {
  const reason = trace.find(({ node }) => node === "intent")?.details["reason"];
  const queries = trace.flatMap((event) => plannedBy(event) ?? []);
  const subQueries = queries.filter(({ purpose }) => purpose === "part").map(({ text }) => text);
  return { reasoning: typeof reason === "string" ? reason : "", sub_queries: subQueries };
}
