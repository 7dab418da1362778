import { randomUUID } from "node:crypto";
import type { Database } from "./database.ts";
import { type JsonObject, named, objectOf } from "./rows.ts";

export interface Agent {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly department: string;
  readonly description: string;
  /** `{ topics: string[] }` as seeded; operators may add members. */
  readonly capabilities: JsonObject;
  /** `{ provider, model, … }`; empty: the provider of `provider_configs`. */
  readonly providerConfig: JsonObject;
  readonly enabled: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** By priority, highest first; those of disabled mappings too. */
  readonly tools: readonly AgentTool[];
}

/** A tool an agent may be given. */
export interface AgentTool {
  readonly toolId: string;
  readonly name: string;
  readonly type: string;
  readonly priority: number;
  readonly enabled: boolean;
}

export interface Agents {
  /** By name. */
  list(): readonly Agent[];
  /** By id or name. @throws NOT_FOUND */
  get(reference: string): Agent;
  /** Adds an agent unless one of that name is there; true when it was added. */
  insertIfAbsent(agent: Pick<Agent, "name" | "department" | "description" | "capabilities" | "providerConfig">): boolean;
  /** Maps a tool to an agent unless it is mapped; true when it was added. Both must exist. */
  giveIfAbsent(agentId: string, toolId: string, priority: number): boolean;
}

interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly department: string;
  readonly description: string;
  readonly capabilities: string;
  readonly provider_config: string;
  readonly status: number;
  readonly created_at: string;
}

type MappingRow = Omit<AgentTool, "enabled"> & { readonly agentId: string; readonly enabled: number };

/** Opens the agents of a registry. */
export function openAgents(database: Database, now: () => Date = () => new Date()): Agents {
  const list = (): readonly Agent[] =>
    database.read(() => {
      const mappings = database
        .statement<MappingRow>(
          `SELECT m.agent_id AS agentId, t.id AS toolId, t.name, t.type, m.priority, m.is_enabled AS enabled
           FROM agent_tools m JOIN tools t ON t.id = m.tool_id ORDER BY m.priority DESC, t.name`,
        )
        .all();
      const rows = database.statement<AgentRow>("SELECT * FROM agents ORDER BY name").all();
      return rows.map(({ status, created_at, provider_config, capabilities, ...row }) => ({
        ...row,
        capabilities: objectOf(capabilities),
        providerConfig: objectOf(provider_config),
        enabled: status === 1,
        createdAt: created_at,
        tools: mappings
          .filter(({ agentId }) => agentId === row.id)
          .map(({ agentId: _, enabled, ...tool }) => ({ ...tool, enabled: enabled === 1 })),
      }));
    });
  return {
    list,
    get: (reference) => named("agent", reference, list()),
    insertIfAbsent({ name, department, description, capabilities, providerConfig }) {
      return database.write(
        () =>
          database
            .statement(
              `INSERT INTO agents (id, name, department, description, capabilities, provider_config, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (name) DO NOTHING`,
            )
            .run(
              randomUUID(),
              name,
              department,
              description,
              JSON.stringify(capabilities),
              JSON.stringify(providerConfig),
              now().toISOString(),
            ).changes > 0,
      );
    },
    giveIfAbsent(agentId, toolId, priority) {
      return database.write(
        () =>
          database
            .statement("INSERT INTO agent_tools (agent_id, tool_id, priority) VALUES (?, ?, ?) ON CONFLICT (agent_id, tool_id) DO NOTHING")
            .run(agentId, toolId, priority).changes > 0,
      );
    },
  };
}
