import { filterAsync } from "../../core/flow.ts";
import type { Agent } from "../../registry/company/agents.ts";
import type { ToolDefinition } from "../../registry/company/tools.ts";

/**
 * The tools that a principal may use, without addresses, paths, programs and headers, which only their
 * operator sees.
 */
export async function publicTools(
  tools: readonly ToolDefinition[],
  mayUse: (tool: ToolDefinition) => Promise<boolean>,
): Promise<readonly ToolDefinition[]> {
  const usable = await filterAsync(tools, async (tool) => tool.enabled && (await mayUse(tool)));
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
export async function publicAgents(
  agents: readonly Agent[],
  tools: readonly ToolDefinition[],
  mayUse: (tool: ToolDefinition) => Promise<boolean>,
): Promise<readonly Agent[]> {
  const toolIds = new Set((await publicTools(tools, mayUse)).map(({ id }) => id));
  return agents.map((agent) => ({
    ...agent,
    providerConfig: {},
    tools: agent.tools.filter(({ toolId }) => toolIds.has(toolId)),
  }));
}
