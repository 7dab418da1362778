import { routeAgent } from "../../agents/decide/route.ts";
import type { GraphDrivers } from "../../agents/graph/node.ts";
import type { AgentChoice, AgentProfile } from "../../core/answers/agent.ts";
import type { AvailableTool } from "../../core/answers/tool.ts";
import { generalDepartment } from "../../core/decide.ts";
import { agentsNamed, toolsOf, toolsWithoutAgent, usableAgents } from "./agent-profiles.ts";
import { type AskHome, decisionDrivers, type Question } from "./question.ts";
import { spreadsheetsOf } from "./sheets.ts";
import type { QuestionSight } from "./sight.ts";

/** Which agent answers, and what it may read and use. */
export function routing(
  { request, sight, budget }: Question,
  home: Pick<AskHome, "access" | "agents" | "tools" | "documents" | "routingVectors" | "languageModels">,
): Pick<GraphDrivers, "usableAgents" | "route" | "allowed" | "tools"> {
  return {
    async usableAgents(run) {
      if (request.agent !== undefined) return agentsNamed(request.agent, home, run);
      // An agent that may read nothing of what is asked about can answer nothing.
      return usableAgents(home, run).filter((agent) => sight.readableBy(agent).length > 0);
    },
    async route(question, agents, run) {
      const [only] = agents;
      if (request.agent !== undefined && only !== undefined)
        return { agent: only, scores: [], reason: "named in the request" };
      const choice = await routeAgent(question, agents, decisionDrivers(home, { budget }, run), run);
      return choice.agent !== null && choice.agent.department !== generalDepartment
        ? choice
        : widestReader(choice, agents, sight);
    },
    async allowed(agent) {
      const collections = sight.readableBy(agent);
      return { collections, withheld: sight.searched().length - collections.length };
    },
    async tools(agent, run) {
      const row = home.agents.list().find(({ id }) => id === agent?.id);
      const tools = row === undefined ? toolsWithoutAgent : toolsOf(row, home.tools.list());
      const sheets = spreadsheetsOf(sight.readableBy(agent), home).length > 0;
      return tools.filter(
        (tool) => home.access.tool(run, agent, tool).effect === "allow" && (sheets || !asksSheets(tool)),
      );
    },
  };
}

/** No specialist suits, so the agent that reads the most of what the principal may read answers best. */
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
  const reason = `${choice.reason}; ${widest.agent.name} reads more of what may be read`;
  return { ...choice, agent: widest.agent, reason };
}

/** Whether a database tool has no database of its own and asks the ingested spreadsheets. */
const asksSheets = ({ type, config }: AvailableTool): boolean =>
  type === "database_query" && ["path", "url", "url_secret"].every((key) => config[key] === undefined);
