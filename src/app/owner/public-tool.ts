import type { Agent } from "../../registry/company/agents.ts";
import type { Tool } from "../../registry/company/tools.ts";

/**
 * The tools that somebody may use, without where they reach: addresses, paths, programs and headers are their
 * operator's.
 */
export function publicTools(tools: readonly Tool[], mayUse: (tool: Tool) => boolean): readonly Tool[] {
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
 * Agents as somebody sees them who may use these tools: with no others, and without where their models are.
 */
export function publicAgents(
  agents: readonly Agent[],
  tools: readonly Tool[],
  mayUse: (tool: Tool) => boolean,
): readonly Agent[] {
  const toolIds = new Set(publicTools(tools, mayUse).map(({ id }) => id));
  return agents.map((agent) => ({
    ...agent,
    providerConfig: {},
    tools: agent.tools.filter(({ toolId }) => toolIds.has(toolId)),
  }));
}
