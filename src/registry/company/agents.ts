import type { Database } from "../database.ts";
import { type JsonObject, jsonOf, nameTakenError, objectOf, parseRow } from "../rows.ts";
import { type AgentTool, createAgentToolRepository } from "./agent-tools.ts";
import { type AgentInput, agentSchema, type Capabilities, capabilitiesSchema } from "./definitions.ts";
import { type Columns, createNamedRepository } from "./named-rows.ts";

export interface Agent {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly department: string;
  readonly description: string;
  /** The tone of its answers, part of the fixed beginning of its prompts; "" for none. */
  readonly persona: string;
  /** Rules for its answers, one a line; "" for none. */
  readonly guidelines: string;
  readonly capabilities: Capabilities;
  /** `{ provider, model, … }`; empty: the active `llm` provider of `provider_configs`. */
  readonly providerConfig: JsonObject;
  readonly enabled: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** By priority, highest first; those of disabled mappings too. */
  readonly tools: readonly AgentTool[];
}

/** Fields to change; of `capabilities` only the named members. */
export type AgentPatch = Partial<Omit<AgentInput, "name">>;

export interface Agents {
  /** By name. @throws CONFIG_INVALID for a JSON column that cannot be read */
  list(): readonly Agent[];
  /** By id or name. @throws NOT_FOUND, CONFIG_INVALID */
  get(reference: string): Agent;
  /** Id of the agent of that id or name. @throws NOT_FOUND */
  idOf(reference: string): string;
  names(): readonly string[];
  /** @throws USAGE_INVALID that names the field, or for a name that is taken */
  add(agent: AgentInput): void;
  /** @throws NOT_FOUND, USAGE_INVALID that names the field */
  set(reference: string, patch: AgentPatch): void;
  /**
   * Removes the agent with what it was given and the rules about it, so that a later one of that name
   * inherits nothing; the tools stay. @throws NOT_FOUND
   */
  remove(reference: string): void;
  /** Adds an agent unless one of that name is there; true when it was added. @throws USAGE_INVALID */
  insertIfAbsent(agent: AgentInput): boolean;
}

interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly department: string;
  readonly description: string;
  readonly persona: string;
  readonly guidelines: string;
  readonly capabilities: string;
  readonly provider_config: string;
  readonly status: number;
  readonly created_at: string;
}

const storedCapabilities = capabilitiesSchema.loose();

function agentOf(
  { status, created_at, provider_config, capabilities, ...row }: AgentRow,
  tools: readonly AgentTool[],
): Agent {
  const place = (column: string, flags: string) => ({
    table: "agents",
    row: row.name,
    column,
    repair: `ragctl agents set "${row.name}" ${flags}`,
  });
  return {
    ...row,
    capabilities: capabilitiesOf(capabilities, row.name),
    providerConfig: objectOf(provider_config, place("provider_config", "--provider-config '{}'")),
    enabled: status === 1,
    createdAt: created_at,
    tools,
  };
}

function capabilitiesOf(text: string, name: string): Capabilities {
  const repair = `ragctl agents set "${name}" --topic "…" --example "…"`;
  return jsonOf(text, storedCapabilities, { table: "agents", row: name, column: "capabilities", repair });
}

const kind = {
  kind: "agent",
  table: "agents",
  rules: "resource_kind = 'agent' AND lower(resource) = (SELECT lower(name) FROM agents WHERE id = ?)",
};

/** Access to the agents of a registry. */
export function createAgentRepository(database: Database, now: () => Date = () => new Date()): Agents {
  const mappings = createAgentToolRepository(database);
  const rows = createNamedRepository<AgentRow>(database, kind, now);
  const insertIfAbsent = (input: AgentInput): boolean => {
    const agent = parseRow(agentSchema, input, `agent "${String(input.name)}"`);
    return database.write(
      () =>
        rows.insert({
          name: agent.name,
          department: agent.department,
          description: agent.description,
          persona: agent.persona,
          guidelines: agent.guidelines,
          capabilities: JSON.stringify(agent.capabilities),
          provider_config: JSON.stringify(agent.providerConfig),
          status: Number(agent.enabled),
        }) !== undefined,
    );
  };
  return {
    names: rows.names,
    list: () =>
      database.read(() => {
        const tools = mappings.all();
        return rows.all().map((row) => agentOf(row, tools.get(row.id) ?? []));
      }),
    get: (reference) =>
      database.read(() => {
        const row = rows.get(reference);
        return agentOf(row, mappings.of(row.id));
      }),
    idOf: (reference) => rows.get(reference).id,
    add(agent) {
      if (!insertIfAbsent(agent))
        throw nameTakenError("agent", agent.name, `ragctl agents set "${agent.name}" …`);
    },
    set: (reference, patch) => rows.change(reference, (row) => changedColumns(row, patch)),
    remove: rows.remove,
    insertIfAbsent,
  };
}

function changedColumns(row: AgentRow, patch: AgentPatch): Columns {
  const { name, department, description, persona, guidelines } = row;
  const { capabilities: changes } = patch;
  const next = parseRow(
    agentSchema,
    {
      name,
      department,
      description,
      persona,
      guidelines,
      ...patch,
      ...(changes === undefined ? {} : { capabilities: mergedCapabilities(row, changes) }),
    },
    `agent "${name}"`,
  );
  return {
    department: next.department,
    description: next.description,
    persona: next.persona,
    guidelines: next.guidelines,
    capabilities: changes === undefined ? row.capabilities : JSON.stringify(next.capabilities),
    provider_config:
      patch.providerConfig === undefined ? row.provider_config : JSON.stringify(next.providerConfig),
    status: patch.enabled === undefined ? row.status : Number(patch.enabled),
  };
}

/**
 * The capabilities with the members that are changed; a row that cannot be read is mended by naming them all.
 */
function mergedCapabilities(row: AgentRow, changes: NonNullable<AgentPatch["capabilities"]>) {
  const isWhole = changes.topics !== undefined && changes.examples !== undefined;
  return { ...(isWhole ? {} : capabilitiesOf(row.capabilities, row.name)), ...changes };
}
