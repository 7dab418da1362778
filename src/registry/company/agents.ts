import type { Database } from "../database.ts";
import { jsonObject } from "../rows.ts";
import { type AgentTool, createAgentToolRepository } from "./agent-tools.ts";
import { type AgentInput, agentSchema, capabilitiesSchema } from "./definitions.ts";
import { createRowRepository, type RowRepository } from "./repository.ts";
import { defineRow, type RowValue } from "./row.ts";

const storedCapabilities = capabilitiesSchema.loose();

/** Who answers; of `capabilities` a change names the members that it replaces. */
const agentRow = defineRow({
  name: "agent",
  table: "agents",
  schema: agentSchema,
  key: ["name"],
  columns: { enabled: "status" },
  json: {
    capabilities: { schema: storedCapabilities, repair: '--topic "…" --example "…"' },
    providerConfig: { schema: jsonObject, repair: "--provider-config '{}'" },
  },
  rules: "resource",
  settled(next, _, before) {
    const named = next.capabilities;
    if (before === undefined || named === undefined) return next;
    // A row that cannot be read is mended by naming all.
    const isWhole = named.topics !== undefined && named.examples !== undefined;
    const kept = isWhole ? named : storedCapabilities.parse(before("capabilities"));
    return { ...next, capabilities: { ...kept, ...named } };
  },
});

/** An agent, its tools by priority, highest first; those of disabled mappings too. */
export interface Agent extends RowValue<typeof agentRow> {
  readonly tools: readonly AgentTool[];
}

/** Fields to change; of `capabilities` only the named members. */
export type AgentPatch = Partial<Omit<AgentInput, "name">>;
export type Agents = RowRepository<Agent, AgentInput, AgentPatch>;

/** Access to the agents of a registry. */
export function createAgentRepository(database: Database): Agents {
  const mappings = createAgentToolRepository(database);
  const rows = createRowRepository(database, agentRow);
  const withTools = async (row: RowValue<typeof agentRow>): Promise<Agent> => ({
    ...row,
    tools: await mappings.of(row.id),
  });
  return {
    ...rows,
    list: (only) =>
      database.read(async () => {
        const tools = await mappings.all();
        return (await rows.list(only)).map((row) => ({ ...row, tools: tools.get(row.id) ?? [] }));
      }),
    async find(reference) {
      const row = await rows.find(reference);
      return row && (await withTools(row));
    },
    get: (reference) => database.read(async () => withTools(await rows.get(reference))),
    add: async (agent) => withTools(await rows.add(agent)),
    set: async (reference, patch) => withTools(await rows.set(reference, patch)),
  };
}
