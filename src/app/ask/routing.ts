import { routeAgent } from "../../agents/decide/route.ts";
import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { AgentChoice, AgentProfile, AgentState } from "../../core/answers/agent.ts";
import type { AvailableTool } from "../../core/answers/tool.ts";
import { generalDepartment } from "../../core/decide.ts";
import type { Run } from "../../core/run.ts";
import { documentsInQuestion } from "../../language/asking/document-names.ts";
import { notesFor } from "../../language/notes/notes.ts";
import { agentsNamed, toolsOf, toolsWithoutAgent, usableAgents } from "./agent-profiles.ts";
import { type AskHome, agentOf, decisionDrivers, type QuestionContext } from "./question.ts";
import { isSpreadsheetQuery, spreadsheetsOf } from "./sheets.ts";
import type { QuestionSight } from "./visibility.ts";

/** Which agent answers, and what it may read and use. */
export function openRoutingDrivers(
  { request, sight, budget, through }: QuestionContext,
  home: Pick<
    AskHome,
    "access" | "agents" | "tools" | "documents" | "routingVectors" | "languageModels" | "rates" | "settings"
  >,
): Pick<GraphDrivers, "usableAgents" | "route" | "allowed" | "tools"> {
  const seesBeyond = (agent: AgentProfile | null): agent is AgentProfile =>
    agent !== null && sight.readableBy(agent).length < sight.readableBy(through(agent)).length;
  return {
    async usableAgents(run) {
      if (request.agent !== undefined) return agentsNamed(request.agent, home, run);
      // An agent that may read none of the collections in question cannot answer.
      return usableAgents(home, run).filter((agent) => sight.readableBy(agent).length > 0);
    },
    async route(question, agents, run) {
      const [only] = agents;
      if (request.agent !== undefined && only !== undefined)
        return { agent: only, scores: [], reason: "chosen in the request" };
      const readers = readersOfNamed(question, agents, { request, sight }, home);
      const choice = await routeAgent(question, readers, decisionDrivers(home, { budget }, run), run);
      const chosen =
        choice.agent !== null && choice.agent.department !== generalDepartment
          ? choice
          : widestReader(choice, readers, sight);
      const { agent } = chosen;
      // A provider of the agent's own must not see what the agent may not read.
      return seesBeyond(agent) ? { ...chosen, agent: { ...agent, providerConfig: {} } } : chosen;
    },
    async allowed(agent) {
      const collections = sight.readableBy(through(agent));
      return { collections, withheld: sight.searched().length - collections.length };
    },
    async tools(agent, run) {
      const row = home.agents.list().find(({ id }) => id === agent?.id);
      const own = row === undefined ? toolsWithoutAgent : toolsOf(row, home.tools.list());
      const tools = seesBeyond(agent) ? searchingHere(own) : own;
      const sheets = spreadsheetsOf(sight.readableBy(through(agent)), home).length > 0;
      return tools.filter(
        (tool) =>
          home.access.tool(run, agent, tool).effect === "allow" && (sheets || !isSpreadsheetQuery(tool)),
      );
    },
  };
}

/** Tools with a search of the stores of the home, where an agent has none or one of other stores. */
function searchingHere(tools: readonly AvailableTool[]): readonly AvailableTool[] {
  const isSearch = ({ type }: AvailableTool): boolean => type === "rag";
  const all = tools.some(isSearch) ? tools : [...toolsWithoutAgent.filter(isSearch), ...tools];
  return all.map((tool) => {
    const { milvus_public_uri: _, milvus_private_uri: __, ...config } = tool.config;
    return isSearch(tool) ? { ...tool, config } : tool;
  });
}

/**
 * The agents that can read a document which the request or the question names, where the principal may read
 * it; all where it names none, or none that any of them can read.
 */
function readersOfNamed(
  question: string,
  agents: readonly AgentProfile[],
  { request, sight }: Pick<QuestionContext, "request" | "sight">,
  { documents }: Pick<AskHome, "documents">,
): readonly AgentProfile[] {
  const versions = typeof request.versions === "object" ? request.versions : "latest";
  const held = documents.asOf(sight.searched(), versions);
  const ids = new Set(request.documents ?? []);
  const named = ids.size > 0 ? held.filter(({ id }) => ids.has(id)) : documentsInQuestion(question, held);
  const collections = new Set(named.map(({ collection }) => collection));
  const readers = agents.filter((agent) => sight.readableBy(agent).some((name) => collections.has(name)));
  return readers.length > 0 ? readers : agents;
}

/**
 * The collections not searched because the answering agent may not read them although the principal may, and
 * how to include them; undefined for none. Not shown in a room, where others read the reply.
 */
export function listUnsearchedCollections(
  state: AgentState,
  { sight, memory }: Pick<QuestionContext, "sight" | "memory">,
  home: Pick<AskHome, "access" | "agents">,
  run: Run,
): string | undefined {
  const agent = agentOf(state);
  const count = state.permissions?.withheld ?? 0;
  if (agent === null || count === 0 || memory !== null) return undefined;
  const own = sight.readableBy(agent).length;
  const [widest] = usableAgents(home, run)
    .map(({ name, ...other }) => ({ name, reads: sight.readableBy({ name, ...other }).length }))
    .filter(({ reads }) => reads > own)
    .toSorted((one, two) => two.reads - one.reads);
  const { unsearched, askAgent } = notesFor(state.clarifiedQuery).reasons;
  const lack = unsearched(agent.name, count);
  return widest === undefined ? lack : `${lack}; ${askAgent(widest.name)}`;
}

/** No specialist fits, so the agent that reads most of what the principal may read is the best choice. */
function widestReader(
  choice: AgentChoice,
  agents: readonly AgentProfile[],
  sight: QuestionSight,
): AgentChoice {
  const [widest] = agents
    .map((agent) => ({ agent, count: sight.readableBy(agent).length }))
    .toSorted((a, b) => b.count - a.count);
  const chosenCount = choice.agent === null ? 0 : sight.readableBy(choice.agent).length;
  if (widest === undefined || widest.count <= chosenCount) return choice;
  const reason = `${choice.reason}; ${widest.agent.name} can read more of the permitted collections`;
  return { ...choice, agent: widest.agent, reason };
}
