import { openAgentTools } from "../company/agent-tools.ts";
import { openAgents } from "../company/agents.ts";
import { openPermissions } from "../company/permissions.ts";
import { openPrincipals } from "../company/principals.ts";
import { openProfiles } from "../company/profiles.ts";
import { openProviders } from "../company/providers.ts";
import { openTools } from "../company/tools.ts";
import type { Database } from "../database.ts";
import { type Item, keyOf, type Section } from "./format.ts";

/** A change that has been checked: `item` is one of `section`'s, as it is to be or, where it is removed, as it was. */
interface Checked {
  readonly section: Section;
  readonly name: string;
  readonly kind: "add" | "change" | "remove" | "keep";
  readonly item: unknown;
}

interface Writer<S extends Section> {
  put(name: string, item: Item<S>, isNew: boolean): void;
  remove(name: string, item: Item<S>): void;
}

/** Writes checked changes; within a `write` of the caller, so all or nothing. Rows that others name come first and go last. */
export function applyChanges(database: Database, changes: readonly Checked[]): void {
  const writers: { readonly [S in Section]: Writer<S> } = {
    providers: providerWriter(database),
    tools: toolWriter(database),
    agents: agentWriter(database),
    collections: collectionWriter(database),
    principals: principalWriter(database),
    permissions: permissionWriter(database),
  };
  // The reader checked each item by its section; TypeScript does not follow the pair.
  const writer = (section: Section) => writers[section] as unknown as Writer<Section>;
  for (const { section, name, kind, item } of changes) {
    if (kind === "add" || kind === "change") writer(section).put(name, item as Item<Section>, kind === "add");
  }
  for (const { section, name, kind, item } of [...changes].reverse()) {
    if (kind === "remove") writer(section).remove(name, item as Item<Section>);
  }
}

function providerWriter(database: Database): Writer<"providers"> {
  const providers = openProviders(database);
  return {
    put(name, { component, provider, enabled, config }, isNew) {
      if (isNew) providers.add({ component, provider, config, active: enabled });
      else providers.set(name, { config, active: enabled });
    },
    remove: providers.remove,
  };
}

function toolWriter(database: Database): Writer<"tools"> {
  const tools = openTools(database);
  return {
    put(name, { name: stated, ...item }, isNew) {
      if (isNew) tools.add({ name: stated, ...item });
      else tools.set(name, item);
    },
    remove: tools.remove,
  };
}

function agentWriter(database: Database): Writer<"agents"> {
  const [agents, tools, given] = [openAgents(database), openTools(database), openAgentTools(database)];
  const toolIds = new Map<string, string>();
  const toolId = (name: string): string => {
    const id = toolIds.get(keyOf(name)) ?? tools.idOf(name);
    toolIds.set(keyOf(name), id);
    return id;
  };
  return {
    put(name, { name: stated, provider_config, tools: wanted, ...fields }, isNew) {
      if (isNew) agents.add({ name: stated, ...fields, providerConfig: provider_config });
      else agents.set(name, { ...fields, providerConfig: provider_config });
      const id = agents.idOf(isNew ? stated : name);
      const keep = new Set(wanted.map(({ tool }) => toolId(tool)));
      for (const tool of isNew ? [] : given.of(id)) if (!keep.has(tool.toolId)) given.take(id, tool.toolId);
      for (const { tool, priority, enabled } of wanted) given.give(id, toolId(tool), { priority, enabled });
    },
    remove: agents.remove,
  };
}

function collectionWriter(database: Database): Writer<"collections"> {
  const profiles = openProfiles(database);
  return { put: (_, item) => profiles.put(item), remove: (name) => void profiles.remove(name) };
}

function principalWriter(database: Database): Writer<"principals"> {
  const principals = openPrincipals(database);
  return {
    put(name, { name: stated, kind, enabled, departments, roots }, isNew) {
      if (kind === "owner") principals.set(name, { departments });
      else if (isNew) principals.add({ name: stated, kind, enabled, departments, roots });
      else principals.set(name, { kind, enabled, departments, roots });
    },
    remove: (name) => void principals.remove(name),
  };
}

function permissionWriter(database: Database): Writer<"permissions"> {
  const permissions = openPermissions(database);
  const ruleOf = ({
    subject_kind,
    subject,
    effect,
    resource_kind,
    resource,
    instance,
  }: Item<"permissions">) =>
    ({
      subjectKind: subject_kind,
      subject,
      effect,
      resourceKind: resource_kind,
      resource,
      instance,
    }) as const;
  return {
    put: (_, item) => void permissions.put({ ...ruleOf(item), level: item.level }),
    remove: (_, item) => void permissions.remove(ruleOf(item)),
  };
}
