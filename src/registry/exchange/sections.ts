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
  read(): readonly ExchangeItem<S>[];
  /** Names by `nameOf`, also of rows that cannot be read. */
  names(): readonly string[];
  /** Writes the item as the row `name`, which is new or not. */
  put(name: string, item: ExchangeItem<S>, isNew: boolean): void;
  remove(name: string, item: ExchangeItem<S>): void;
  /** Adds a row unless one of its name is there; of an agent, without its tools. */
  insertIfAbsent(item: ExchangeItem<S>): void;
}

export type Sections = { readonly [S in Section]: SectionRows<S> };

/** Creates every section of a registry. */
export function createExchangeSections(database: Database): Sections {
  return {
    providers: providerRows(database),
    tools: toolRows(database),
    agents: agentRows(database),
    collections: collectionRows(database),
    principals: principalRows(database),
    permissions: permissionRows(database),
  };
}

function providerRows(database: Database): SectionRows<"providers"> {
  const providers = createProviderRepository(database);
  return {
    names: providers.names,
    read: () =>
      providers
        .list()
        // The check of a file says what a row of another provider or with strange members is lacking.
        .map(
          ({ component, provider, active, config }) =>
            ({ component, provider, enabled: active, config }) as ExchangeItem<"providers">,
        ),
    put(name, { component, provider, enabled, config }, isNew) {
      if (isNew) providers.add({ component, provider, config, active: enabled });
      else providers.set(name, { config, active: enabled });
    },
    remove: providers.remove,
    insertIfAbsent({ enabled, ...provider }) {
      providers.insertIfAbsent({ ...provider, active: enabled });
    },
  };
}

function toolRows(database: Database): SectionRows<"tools"> {
  const tools = createToolRepository(database);
  return {
    names: tools.names,
    read: () =>
      tools
        .list()
        .map(
          ({ name, type, enabled, config, permissions }) =>
            ({ name, type, enabled, config, permissions }) as ExchangeItem<"tools">,
        ),
    put(name, { name: newName, ...item }, isNew) {
      if (isNew) tools.add({ name: newName, ...item });
      else tools.set(name, item);
    },
    remove: tools.remove,
    insertIfAbsent: tools.insertIfAbsent,
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
    names: agents.names,
    read: () =>
      agents.list().map(({ id: _, createdAt: __, providerConfig, tools: given, ...fields }) => ({
        ...fields,
        provider_config: providerConfig,
        tools: given.map((tool) => ({ tool: tool.name, priority: tool.priority, enabled: tool.enabled })),
      })),
    put(name, { name: newName, provider_config: providerConfig, tools: items, ...fields }, isNew) {
      if (isNew) agents.add({ name: newName, ...fields, providerConfig });
      else agents.set(name, { ...fields, providerConfig });
      putTools(agents.idOf(isNew ? newName : name), items);
    },
    remove: agents.remove,
    insertIfAbsent({ tools: _, provider_config: providerConfig, ...agent }) {
      agents.insertIfAbsent({ ...agent, providerConfig });
    },
  };
}

function collectionRows(database: Database): SectionRows<"collections"> {
  const profiles = createProfileRepository(database);
  return {
    names: () => profiles.list().map(({ name }) => name),
    read: profiles.list,
    put: (_, item) => profiles.put(item),
    remove: (name) => void profiles.remove(name),
    insertIfAbsent(item) {
      if (profiles.find(item.name) === undefined) profiles.put(item);
    },
  };
}

function principalRows(database: Database): SectionRows<"principals"> {
  const principals = createPrincipalRepository(database);
  return {
    names: principals.names,
    read: () =>
      principals.list().map(({ name, kind, enabled, departments, roots }) => ({
        name,
        kind,
        enabled,
        departments: [...departments],
        roots: [...roots],
      })),
    put(name, { name: newName, kind, ...fields }, isNew) {
      if (kind === "owner") principals.set(name, { departments: fields.departments });
      else if (isNew) principals.add({ name: newName, kind, ...fields });
      else principals.set(name, { kind, ...fields });
    },
    remove: (name) => void principals.remove(name),
    insertIfAbsent({ kind, ...principal }) {
      if (kind !== "owner") principals.insertIfAbsent({ ...principal, kind });
    },
  };
}

function permissionRows(database: Database): SectionRows<"permissions"> {
  const permissions = createPermissionRepository(database);
  const ruleOf = (item: ExchangeItem<"permissions">) => ({
    subjectKind: item.subject_kind,
    subject: item.subject,
    effect: item.effect,
    resourceKind: item.resource_kind,
    resource: item.resource,
    instance: item.instance,
  });
  const read = (): readonly ExchangeItem<"permissions">[] =>
    permissions.list().map((grant) => ({
      subject_kind: grant.subjectKind,
      subject: grant.subject,
      effect: grant.effect,
      level: grant.level,
      resource_kind: grant.resourceKind,
      resource: grant.resource,
      instance: grant.instance,
    }));
  return {
    names: () => read().map(nameOf.permissions),
    read,
    put: (_, item) => void permissions.put({ ...ruleOf(item), level: item.level }),
    remove: (_, item) => void permissions.remove(ruleOf(item)),
    insertIfAbsent: (item) => void permissions.addIfAbsent({ ...ruleOf(item), level: item.level }),
  };
}
