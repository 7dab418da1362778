import { randomUUID } from "node:crypto";
import type { Database } from "../database.ts";
import { checked, type JsonObject, jsonOf, objectOf, taken, unknown } from "../rows.ts";
import { type AgentTool, openAgentTools } from "./agent-tools.ts";
import { type AgentInput, agentSchema, type Capabilities, capabilitiesSchema } from "./definitions.ts";

export interface Agent {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly department: string;
  readonly description: string;
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
  /** Removes the agent with what it was given and the rules about it, so that a later one of that name inherits nothing; the tools stay. @throws NOT_FOUND */
  remove(reference: string): void;
  /** Adds an agent unless one of that name is there; true when it was added. @throws USAGE_INVALID */
  insertIfAbsent(agent: AgentInput): boolean;
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

/** Opens the agents of a registry. */
export function openAgents(database: Database, now: () => Date = () => new Date()): Agents {
  const mappings = openAgentTools(database);
  const names = () =>
    database
      .read(() => database.statement<{ name: string }>("SELECT name FROM agents ORDER BY name").all())
      .map(({ name }) => name);
  const rowOf = (reference: string): AgentRow => {
    const row = database.read(() =>
      database
        .statement<AgentRow>("SELECT * FROM agents WHERE id = lower(:reference) OR name = :reference LIMIT 1")
        .get({ reference: reference.normalize("NFC") }),
    );
    if (row === undefined) throw unknown("agent", reference, names());
    return row;
  };
  const insertIfAbsent = (input: AgentInput): boolean => {
    const agent = checked(agentSchema, input, `agent "${String(input.name)}"`);
    const values = [
      agent.name,
      agent.department,
      agent.description,
      JSON.stringify(agent.capabilities),
      JSON.stringify(agent.providerConfig),
    ];
    const insert = `INSERT INTO agents (id, name, department, description, capabilities, provider_config, status, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`;
    return database.write(
      () =>
        database.statement(insert).run(randomUUID(), ...values, Number(agent.enabled), now().toISOString())
          .changes > 0,
    );
  };
  return {
    names,
    list: () =>
      database.read(() => {
        const tools = mappings.all();
        return database
          .statement<AgentRow>("SELECT * FROM agents ORDER BY name")
          .all()
          .map((row) => agentOf(row, tools.get(row.id) ?? []));
      }),
    get: (reference) =>
      database.read(() => {
        const row = rowOf(reference);
        return agentOf(row, mappings.of(row.id));
      }),
    idOf: (reference) => rowOf(reference).id,
    add(agent) {
      if (!insertIfAbsent(agent)) throw taken("agent", agent.name, `ragctl agents set "${agent.name}" …`);
    },
    set(reference, patch) {
      database.write(() => {
        const row = rowOf(reference);
        const given = patch.capabilities;
        const whole = given?.topics !== undefined && given.examples !== undefined;
        const before = given === undefined || whole ? {} : capabilitiesOf(row.capabilities, row.name);
        const merged = given === undefined ? {} : { capabilities: { ...before, ...given } };
        const { name, department, description } = row;
        const next = checked(
          agentSchema,
          { name, department, description, ...patch, ...merged },
          `agent "${name}"`,
        );
        database
          .statement(
            "UPDATE agents SET department = ?, description = ?, capabilities = ?, provider_config = ?, status = ? WHERE id = ?",
          )
          .run(
            next.department,
            next.description,
            given === undefined ? row.capabilities : JSON.stringify(next.capabilities),
            patch.providerConfig === undefined ? row.provider_config : JSON.stringify(next.providerConfig),
            patch.enabled === undefined ? row.status : Number(patch.enabled),
            row.id,
          );
      });
    },
    remove(reference) {
      database.write(() => {
        const { id, name } = rowOf(reference);
        database
          .statement("DELETE FROM permissions WHERE resource_kind = 'agent' AND resource = ?")
          .run(name);
        database.statement("DELETE FROM agents WHERE id = ?").run(id);
      });
    },
    insertIfAbsent,
  };
}
