import type { AgentProfile } from "../../core/answers/agent.ts";
import type { AvailableTool } from "../../core/answers/tool.ts";
import { toolTypeOf } from "../../core/answers/tool.ts";
import type { Run } from "../../core/run.ts";
import type { Agent } from "../../registry/company/agents.ts";
import type { ToolDefinition } from "../../registry/company/tools.ts";
import { unknownNameError } from "../../registry/rows.ts";
import type { Home } from "../home.ts";

/** A registry row as a question sees it. */
function profileOf({ capabilities, createdAt: _, tools: __, ...row }: Agent): AgentProfile {
  const { topics, examples } = capabilities;
  return { ...row, topics: texts(topics), examples: texts(examples) };
}

/** The agents that the run's principal may use. */
export const usableAgents = async (
  { access, agents }: Pick<Home, "access" | "agents">,
  run: Run,
): Promise<readonly AgentProfile[]> => (await access.agents(run, await agents.list())).map(profileOf);

/**
 * The agents that a request names by name or id, of those its principal may use.
 * @throws NOT_FOUND, suggesting among them
 */
export async function agentsNamed(
  reference: string,
  home: Pick<Home, "access" | "agents">,
  run: Run,
): Promise<readonly AgentProfile[]> {
  const usable = await usableAgents(home, run);
  const matches = usable.filter(
    ({ name, id }) => name.toLowerCase() === reference.toLowerCase() || id === reference,
  );
  if (matches.length > 0) return matches;
  throw unknownNameError(
    "agent",
    reference,
    usable.map(({ name }) => name),
  );
}

/** The tools an agent may use: its enabled tools, the preferred first. */
export function toolsOf(agent: Agent, tools: readonly ToolDefinition[]): readonly AvailableTool[] {
  const rows = new Map(tools.filter(({ enabled }) => enabled).map((tool) => [tool.id, tool]));
  return agent.tools
    .filter(({ enabled }) => enabled)
    .flatMap(({ toolId, priority }) => available(rows.get(toolId), priority))
    .sort((a, b) => b.priority - a.priority);
}

/** Without an agent: the search and the calculator, which read only what the principal may. */
export const toolsWithoutAgent: readonly AvailableTool[] = (
  ["rag", "calculator", "database_query"] as const
).map((type, at) => ({
  name: { rag: "RAG Search", calculator: "Calculator", database_query: "Spreadsheet Query" }[type],
  type,
  config: {},
  permissions: {},
  priority: 30 - at * 10,
}));

function available(row: ToolDefinition | undefined, priority: number): readonly AvailableTool[] {
  if (row === undefined) return [];
  const { name, type, config, permissions } = row;
  return [{ name, type: toolTypeOf(type), config, permissions, priority }];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
