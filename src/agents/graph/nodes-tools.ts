import type { AgentState } from "../../core/answers/agent.ts";
import { plural } from "../../core/plural.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import type { GraphDrivers, Step } from "./node.ts";

/** Chooses only among the agents the principal may use. */
export async function routeNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const choice = await drivers.route(state.clarifiedQuery, await drivers.usableAgents(run), run);
  return {
    patch: { selectedAgent: choice },
    decided: choice.agent === null ? "no agent" : choice.agent.name,
    details: { reason: choice.reason, scores: choice.scores.slice(0, 5) },
    next: "permit",
  };
}

/**
 * Determines what both the principal and the agent may read, and the tools both may use. An empty list means
 * nothing, never everything.
 */
export async function permitNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const agent = state.selectedAgent?.agent ?? null;
  const [permissions, availableTools] = await Promise.all([
    drivers.allowed(agent, run),
    drivers.tools(agent, run),
  ]);
  const withheld = permissions.withheld === 0 ? "" : `, ${permissions.withheld} withheld`;
  return {
    patch: { permissions, availableTools },
    decided: `may read ${plural(permissions.collections.length, "collection")}${withheld}, use ${availableTools.map((tool) => tool.name).join(", ") || "no tool"}`,
    details: { ...permissions, tools: availableTools.map(({ name }) => name) },
    next: "select_tools",
  };
}

/** Selects the tools this question needs; document text has no influence. */
export async function selectToolsNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const toolCalls = await drivers.selectTools(state, run);
  const original = state.query.trim();
  const rewritten = state.clarifiedQuery === original ? null : state.clarifiedQuery;
  const plan =
    state.intent !== null && toolCalls.some(({ type }) => type === "rag")
      ? drivers.plan(original, { original, rewritten }, state.intent)
      : null;
  return {
    patch: { toolCalls, plan },
    decided:
      toolCalls.length === 0
        ? "no tool"
        : toolCalls.map(({ tool, reason }) => `${tool} (${reason})`).join(", "),
    details: { calls: toolCalls, ...(plan === null ? {} : { plan }) },
    next: "execute",
  };
}

/** Runs the searches and the other tools concurrently. A failing tool is reported; the others continue. */
export async function executeNode(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const { plan, permissions } = state;
  const others = state.toolCalls.filter(({ type }) => type !== "rag");
  const since = performance.now();
  const [gathered, called] = await Promise.all([
    plan === null || permissions === null || permissions.collections.length === 0
      ? null
      : drivers.gather(plan, state, run),
    drivers.runTools(others, state, run),
  ]);
  const { hits = [], phases = [], failure } = gathered ?? {};
  const succeeded = called.filter(({ status }) => status === "ok");
  if (failure !== undefined && succeeded.length === 0) throw failure;
  const isComputed = succeeded.some(({ call }) => call.type === "database_query");
  const computed = gathered === null || isComputed ? [] : await drivers.computeFrom(hits, state, run);
  const toolResults = [...called, ...computed];
  const searching = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  // Tools run during the search: only the time beyond it counts as theirs.
  const toolPhase: PhaseMetrics = {
    phase: "tools",
    durationMs: Math.max(0, performance.now() - since - searching),
    counts: { calls: toolResults.length },
  };
  const summary =
    gathered === null ? "no search" : `${hits.length} hits by ${plan?.queries.length ?? 0} queries`;
  const tools = toolResults.map(({ call, status, message }) => `${call.tool} ${status}: ${message}`);
  return {
    patch: {
      gathered,
      toolResults,
      phases: [...phases, ...(toolResults.length > 0 ? [toolPhase] : [])],
    },
    decided: [summary, ...tools].join("; "),
    details: {
      queries: plan?.queries ?? [],
      hits: hits.length,
      reranked: hits.filter(({ via }) => via === "reranked").length,
      tools: toolResults.map(({ call, status, code, durationMs }) => ({
        tool: call.tool,
        status,
        code,
        duration_ms: durationMs,
      })),
    },
    next: "assemble",
  };
}
