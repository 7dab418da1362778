import { createAgentToolRepository } from "../company/agent-tools.ts";
import { createAgentRepository } from "../company/agents.ts";
import { createPermissionRepository } from "../company/permissions.ts";
import { createPrincipalRepository } from "../company/principals.ts";
import { createProfileRepository } from "../company/profiles.ts";
import { createProviderRepository } from "../company/providers.ts";
import { createToolRepository } from "../company/tools.ts";
import type { Database } from "../database.ts";
import { type ExchangeItem, keyOf, nameOf, type Section } from "./format.ts";

/** The rows of one section, as items of a file. */
export interface SectionRows<S extends Section> {
  /** @throws CONFIG_INVALID for a JSON column that cannot be read */
  items(): readonly ExchangeItem<S>[];
  /** Names by `nameOf`, also of rows that cannot be read. */
  names(): readonly string[];
  /** Writes the item as its row, which is new or not. */
  put(item: ExchangeItem<S>): void;
  remove(name: string, item: ExchangeItem<S>): void;
  /** Adds a row unless one of its name is there; of an agent, without its tools. */
  insertIfAbsent(item: ExchangeItem<S>): void;
}

export type Sections = { readonly [S in Section]: SectionRows<S> };

/** Creates every section of a registry. */
export function createExchangeSections(database: Database): Sections {
  return {
    providers: createProviderRepository(database),
    tools: createToolRepository(database),
    agents: agentRows(database),
    collections: collectionRows(database),
    principals: principalRows(database),
    permissions: permissionRows(database),
  };
}

function agentRows(database: Database): SectionRows<"agents"> {
  const agents = createAgentRepository(database);
  const tools = createToolRepository(database);
  const mappings = createAgentToolRepository(database);
  const toolIds = new Map<string, string>();
  const toolId = (name: string): string => {
    const id = toolIds.get(keyOf(name)) ?? tools.idOf(name);
    toolIds.set(keyOf(name), id);
    return id;
  };
  const putTools = (agentId: string, items: ExchangeItem<"agents">["tools"]): void => {
    const kept = new Set(items.map(({ tool }) => toolId(tool)));
    for (const { toolId: id } of mappings.of(agentId)) if (!kept.has(id)) mappings.take(agentId, id);
    for (const { tool, priority, enabled } of items)
      mappings.give(agentId, toolId(tool), { priority, enabled });
  };
  return {
    ...agents,
    items() {
      const rows = agents.list();
      return rows.map(({ id: _, createdAt: __, providerConfig, tools: given, ...fields }) => ({
        ...fields,
        provider_config: providerConfig,
        tools: given.map((tool) => ({ tool: tool.name, priority: tool.priority, enabled: tool.enabled })),
      }));
    },
    put({ provider_config: providerConfig, tools: items, ...agent }) {
      agents.put({ ...agent, providerConfig });
      putTools(agents.idOf(agent.name), items);
    },
    insertIfAbsent: ({ tools: _, provider_config: providerConfig, ...agent }) =>
      agents.insertIfAbsent({ ...agent, providerConfig }),
  };
}

function collectionRows(database: Database): SectionRows<"collections"> {
  const profiles = createProfileRepository(database);
  return {
    names: () => profiles.list().map(({ name }) => name),
    items: profiles.list,
    put: profiles.put,
    remove: (name) => void profiles.remove(name),
    insertIfAbsent(item) {
      if (profiles.find(item.name) === undefined) profiles.put(item);
    },
  };
}

function principalRows(database: Database): SectionRows<"principals"> {
  const principals = createPrincipalRepository(database);
  return {
    ...principals,
    put({ kind, ...principal }) {
      if (kind === "owner") principals.set(principal.name, { departments: principal.departments });
      else principals.put({ ...principal, kind });
    },
    insertIfAbsent({ kind, ...principal }) {
      if (kind !== "owner") principals.insertIfAbsent({ ...principal, kind });
    },
  };
}

function permissionRows(database: Database): SectionRows<"permissions"> {
  const permissions = createPermissionRepository(database);
  return {
    ...permissions,
    names() {
      const rules = permissions.items();
      return rules.map(nameOf.permissions);
    },
    remove: (_, { level: __, ...which }) => permissions.remove(which),
  };
}
