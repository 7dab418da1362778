import type { AgentState, Gathered } from "../../core/answers/agent.ts";
import { counted } from "../../core/counted.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import type { GraphDrivers, Step } from "./node.ts";
import { isEmpty } from "./nodes-answer.ts";

/** Chooses among the agents the principal may use, and no others. */
export async function route(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const choice = await drivers.route(state.clarifiedQuery, await drivers.usableAgents(run), run);
  return {
    patch: { selectedAgent: choice },
    decided: choice.agent === null ? "no agent" : choice.agent.name,
    details: { reason: choice.reason, scores: choice.scores.slice(0, 5) },
    next: "permit",
  };
}

/** What the principal and the agent may both read, and the tools both may use. Nothing allowed is nothing, never everything. */
export async function permit(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const agent = state.selectedAgent?.agent ?? null;
  const [permissions, availableTools] = await Promise.all([
    drivers.allowed(agent, run),
    drivers.tools(agent, run),
  ]);
  const withheld = permissions.withheld === 0 ? "" : `, ${permissions.withheld} withheld`;
  return {
    patch: { permissions, availableTools },
    decided: `may read ${counted(permissions.collections.length, "collection")}${withheld}, use ${availableTools.map((tool) => tool.name).join(", ") || "no tool"}`,
    details: { ...permissions, tools: availableTools.map(({ name }) => name) },
    next: "select_tools",
  };
}

/** Which of the tools this question needs; document text has no say. */
export async function selectTools(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const toolCalls = await drivers.selectTools(state.clarifiedQuery, state.availableTools, run);
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

/** Runs the searches and the other tools at once. A tool that fails is reported, the others go on. */
export async function execute(state: AgentState, drivers: GraphDrivers, run: Run): Promise<Step> {
  const { plan, permissions } = state;
  const others = state.attempts === 0 ? state.toolCalls.filter(({ type }) => type !== "rag") : [];
  const since = performance.now();
  const [gathered, ran] = await Promise.all([
    plan === null || permissions === null || permissions.collections.length === 0
      ? null
      : drivers.gather(plan, state, run),
    drivers.runTools(others, state, run),
  ]);
  const toolResults = [...state.toolResults, ...ran];
  const searching = (gathered?.phases ?? []).reduce((sum, { durationMs }) => sum + durationMs, 0);
  // Tools run while it is searched: only what they take longer is their own time.
  const waited: PhaseMetrics = {
    phase: "tools",
    durationMs: Math.max(0, performance.now() - since - searching),
    counts: { calls: ran.length },
  };
  const found =
    gathered === null ? "no search" : `${gathered.hits.length} hits by ${plan?.queries.length ?? 0} queries`;
  const tools = ran.map(({ call, status, message }) => `${call.tool} ${status}: ${message}`);
  return {
    patch: {
      gathered,
      toolResults,
      phases: [...state.phases, ...(gathered?.phases ?? []), ...(ran.length > 0 ? [waited] : [])],
    },
    decided: [found, ...tools].join("; "),
    details: {
      queries: plan?.queries ?? [],
      hits: gathered?.hits.length ?? 0,
      tools: ran.map(({ call, status, code, durationMs }) => ({
        tool: call.tool,
        status,
        code,
        duration_ms: durationMs,
      })),
    },
    // Other words that lead to the same passages would only be answered the same way again, unless nothing was written.
    next:
      state.draft !== null && !isEmpty(state.draft) && !bringsNew(gathered, state) ? "finish" : "assemble",
  };
}

/** Passages of an attempt that a model reads; what lies below them is not looked at. */
const read = 5;

function bringsNew(gathered: Gathered | null, { draft, gathered: before }: AgentState): boolean {
  const seen = new Set(
    [...(draft?.context.passages ?? []), ...(before?.hits.slice(0, read) ?? [])].map(({ chunk }) => chunk.id),
  );
  return (gathered?.hits ?? []).slice(0, read).some(({ chunk }) => !seen.has(chunk.id));
}
