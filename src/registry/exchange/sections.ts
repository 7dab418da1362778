import { lazyMap } from "../../core/lazy.ts";
import { createAgentToolRepository } from "../company/agent-tools.ts";
import { createAgentRepository } from "../company/agents.ts";
import { createPermissionRepository } from "../company/permissions.ts";
import { createPrincipalRepository } from "../company/principals.ts";
import { createProfileRepository } from "../company/profiles.ts";
import { createProviderRepository } from "../company/providers.ts";
import { createToolRepository } from "../company/tools.ts";
import type { Database } from "../database.ts";
import { type ExchangeItem, nameOf, type Section } from "./format.ts";

/** The rows of one section, as items of a file. */
export interface SectionRows<S extends Section> {
  /** @throws CONFIG_INVALID for a JSON column that cannot be read */
  items(): Promise<readonly ExchangeItem<S>[]>;
  /** Names by `nameOf`, also of rows that cannot be read. */
  names(): Promise<readonly string[]>;
  /** Writes the item as its row, which is new or not. */
  put(item: ExchangeItem<S>): Promise<unknown>;
  remove(name: string, item: ExchangeItem<S>): Promise<unknown>;
  /** Adds a row unless one of its name is there; of an agent, without its tools. */
  insertIfAbsent(item: ExchangeItem<S>): Promise<unknown>;
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
  const toolId = lazyMap(tools.idOf);
  const putTools = async (agentId: string, items: ExchangeItem<"agents">["tools"]): Promise<void> => {
    const kept = new Set(await Promise.all(items.map(({ tool }) => toolId(tool))));
    for (const { toolId: id } of await mappings.of(agentId))
      if (!kept.has(id)) await mappings.take(agentId, id);
    for (const { tool, priority, enabled } of items)
      await mappings.give(agentId, await toolId(tool), { priority, enabled });
  };
  return {
    ...agents,
    async items() {
      const rows = await agents.list();
      return rows.map(({ id: _, createdAt: __, providerConfig, tools: given, ...fields }) => ({
        ...fields,
        provider_config: providerConfig,
        tools: given.map((tool) => ({ tool: tool.name, priority: tool.priority, enabled: tool.enabled })),
      }));
    },
    async put({ provider_config: providerConfig, tools: items, ...agent }) {
      await agents.put({ ...agent, providerConfig });
      await putTools(await agents.idOf(agent.name), items);
    },
    insertIfAbsent: ({ tools: _, provider_config: providerConfig, ...agent }) =>
      agents.insertIfAbsent({ ...agent, providerConfig }),
  };
}

function collectionRows(database: Database): SectionRows<"collections"> {
  const profiles = createProfileRepository(database);
  return {
    names: async () => (await profiles.list()).map(({ name }) => name),
    items: profiles.list,
    put: profiles.put,
    remove: (name) => profiles.remove(name),
    async insertIfAbsent(item) {
      if ((await profiles.find(item.name)) === undefined) await profiles.put(item);
    },
  };
}

function principalRows(database: Database): SectionRows<"principals"> {
  const principals = createPrincipalRepository(database);
  return {
    ...principals,
    async put({ kind, ...principal }) {
      if (kind === "owner") await principals.set(principal.name, { departments: principal.departments });
      else await principals.put({ ...principal, kind });
    },
    async insertIfAbsent({ kind, ...principal }) {
      if (kind !== "owner") await principals.insertIfAbsent({ ...principal, kind });
    },
  };
}

function permissionRows(database: Database): SectionRows<"permissions"> {
  const permissions = createPermissionRepository(database);
  return {
    ...permissions,
    async names() {
      const rules = await permissions.items();
      return rules.map(nameOf.permissions);
    },
    remove: (_, { level: __, ...which }) => permissions.remove(which),
  };
}
