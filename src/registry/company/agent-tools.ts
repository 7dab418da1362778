import type { Database } from "../database.ts";
import { parseRow, putRow } from "../rows.ts";
import { priority as prioritySchema } from "./definitions.ts";

/** A tool an agent may be given. */
export interface AgentTool {
  readonly toolId: string;
  readonly name: string;
  readonly type: string;
  /** Highest is asked first. */
  readonly priority: number;
  /** Whether this agent may use it; the tool's own row says whether anyone may. */
  readonly enabled: boolean;
}

/** Which agent is given which tool. Ids are those of existing rows. */
export interface AgentTools {
  /** Agent id → its tools by priority. */
  all(): Promise<ReadonlyMap<string, readonly AgentTool[]>>;
  of(agentId: string): Promise<readonly AgentTool[]>;
  /**
   * Gives the tool, or changes the named members where it is given; a new one without priority comes after
   * all others. @throws USAGE_INVALID
   */
  give(
    agentId: string,
    toolId: string,
    given?: { readonly priority?: number; readonly enabled?: boolean },
  ): Promise<void>;
  /** False where it was not given. */
  take(agentId: string, toolId: string): Promise<boolean>;
}

type Row = Omit<AgentTool, "enabled"> & { readonly agentId: string; readonly enabled: number };

const toolOf = ({ agentId: _, enabled, ...tool }: Row): AgentTool => ({ ...tool, enabled: enabled === 1 });

/** Access to the tools that the agents of a registry are given. */
export function createAgentToolRepository(database: Database): AgentTools {
  const select = `SELECT m.agent_id AS agentId, t.id AS toolId, t.name, t.type, m.priority, m.is_enabled AS enabled
    FROM agent_tools m JOIN tools t ON t.id = m.tool_id`;
  const order = "ORDER BY m.priority DESC, lower(t.name)";
  const of = async (agentId: string): Promise<readonly AgentTool[]> => {
    const rows = database.statement<Row>(`${select} WHERE m.agent_id = ? ${order}`);
    return (await rows.all(agentId)).map(toolOf);
  };
  return {
    of,
    async all() {
      const rows = await database.statement<Row>(`${select} ${order}`).all();
      const given = Map.groupBy(rows, ({ agentId }) => agentId);
      return new Map([...given].map(([agentId, tools]) => [agentId, tools.map(toolOf)]));
    },
    async give(agentId, toolId, { priority, enabled } = {}) {
      if (priority !== undefined) parseRow(prioritySchema, priority, "the priority");
      await database.write(async () => {
        const tools = await of(agentId);
        const known = tools.find((tool) => tool.toolId === toolId);
        const after =
          tools.length === 0 ? 10 : Math.max(-1000, Math.min(...tools.map((tool) => tool.priority)) - 10);
        await putRow(database, "agent_tools", ["agentId", "toolId"], {
          ...{ agentId, toolId, priority: priority ?? known?.priority ?? after },
          isEnabled: Number(enabled ?? known?.enabled ?? true),
        });
      });
    },
    async take(agentId, toolId) {
      const deletion = database.statement("DELETE FROM agent_tools WHERE agent_id = ? AND tool_id = ?");
      return (await deletion.run(agentId, toolId)).changes > 0;
    },
  };
}
