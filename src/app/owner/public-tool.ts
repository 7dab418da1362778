import type { Agent } from "../../registry/company/agents.ts";
import type { ToolDefinition } from "../../registry/company/tools.ts";

/**
 * The tools that a principal may use, without addresses, paths, programs and headers, which only their
 * operator sees.
 */
export function publicTools(
  tools: readonly ToolDefinition[],
  mayUse: (tool: ToolDefinition) => boolean,
): readonly ToolDefinition[] {
  const usable = tools.filter((tool) => tool.enabled && mayUse(tool));
  return usable.map(({ config: { description, examples }, ...tool }) => {
    const config = {
      ...(description === undefined ? {} : { description }),
      ...(examples === undefined ? {} : { examples }),
    };
    return { ...tool, config };
  });
}

/**
 * Agents as seen by a principal with these tools: without other tools, and without the locations of their
 * models.
 */
export function publicAgents(
  agents: readonly Agent[],
  tools: readonly ToolDefinition[],
  mayUse: (tool: ToolDefinition) => boolean,
): readonly Agent[] {
  const toolIds = new Set(publicTools(tools, mayUse).map(({ id }) => id));
  return agents.map((agent) => ({
    ...agent,
    providerConfig: {},
    tools: agent.tools.filter(({ toolId }) => toolIds.has(toolId)),
  }));
}
