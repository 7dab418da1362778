import type { Change, CollectionView, Management } from "../../app/owner/registry.ts";
import type { Grant } from "../../core/permission.ts";
import { type AgentView, collectionsShape, schemaVersion } from "./shapes.ts";

type Agent = ReturnType<Management["agents"]["get"]>;
type Tool = ReturnType<Management["tools"]["get"]>;
type Provider = ReturnType<Management["providers"]["get"]>;

/** One member of `agents` in agents.schema.json: `tools` are the names of those it may use, by priority. */
export interface RegistryAgentView extends AgentView {
  readonly examples: readonly string[];
  readonly provider_config: Readonly<Record<string, unknown>>;
  readonly given_tools: readonly {
    readonly tool: string;
    readonly type: string;
    readonly priority: number;
    readonly enabled: boolean;
  }[];
}

/** What people see of an agent; its capabilities are the topics. */
export function agentView({
  name,
  department,
  description,
  capabilities,
  providerConfig,
  tools,
  enabled,
}: Agent): RegistryAgentView {
  return {
    name,
    department,
    description,
    capabilities: capabilities.topics,
    examples: capabilities.examples,
    tools: tools.filter((tool) => tool.enabled).map((tool) => tool.name),
    given_tools: tools.map((tool) => ({
      tool: tool.name,
      type: tool.type,
      priority: tool.priority,
      enabled: tool.enabled,
    })),
    provider_config: providerConfig,
    enabled,
  };
}

/** One member of `tools` in tools.schema.json. */
export function toolView({ name, type, config, permissions, enabled }: Tool) {
  return { name, type, config, permissions, enabled };
}

/** tools.schema.json. */
export function toolsShape(tools: readonly ReturnType<typeof toolView>[]) {
  return { schema_version: schemaVersion, tools };
}

/** One member of `providers` in providers.schema.json; `name` is what commands take. */
export function providerView({ component, provider, config, active }: Provider) {
  return { name: `${component}/${provider}`, component, provider, config, enabled: active };
}

/** providers.schema.json. */
export function providersShape(providers: readonly ReturnType<typeof providerView>[]) {
  return { schema_version: schemaVersion, providers };
}

const grantShape = ({ subjectKind, subject, effect, level }: Grant) => ({
  subject_kind: subjectKind,
  subject,
  effect,
  level,
});

/** collection.schema.json: `ingested` is null before the first ingest into it. */
export function collectionShape({ name, summary, profile, grants }: CollectionView) {
  const ingested = summary === null ? null : (collectionsShape([summary]).collections[0] ?? null);
  return {
    schema_version: schemaVersion,
    name,
    instance: summary?.instance ?? profile?.instance ?? "public",
    department: profile?.department ?? "",
    description: profile?.description ?? "",
    ingested,
    grants: grants.map(grantShape),
  };
}

/** collections.schema.json: what is ingested into, and apart from it what is only described so far. */
export function collectionListShape(views: readonly CollectionView[]) {
  const { collections } = collectionsShape(views.flatMap(({ summary }) => summary ?? []));
  const described = new Map(views.map(({ name, profile }) => [name, profile]));
  const about = (name: string) => ({
    department: described.get(name)?.department ?? "",
    description: described.get(name)?.description ?? "",
  });
  return {
    schema_version: schemaVersion,
    collections: collections.map((collection) => ({ ...collection, ...about(collection.name) })),
    planned: views
      .filter(({ summary }) => summary === null)
      .map(({ name, profile }) => ({ name, instance: profile?.instance ?? "public", ...about(name) })),
  };
}

/** changes.schema.json: what an import did or would do, or how a file differs. */
export function changesShape(changes: readonly Change[], applied: boolean) {
  const count = (wanted: Change["kind"]): number => changes.filter(({ kind }) => kind === wanted).length;
  return {
    schema_version: schemaVersion,
    applied,
    counts: { add: count("add"), change: count("change"), remove: count("remove"), keep: count("keep") },
    changes: changes.map(({ section, name, kind, fields }) => ({
      section,
      name,
      change: kind,
      fields: fields.map(({ field, before, after }) => ({
        field,
        before: before ?? null,
        after: after ?? null,
      })),
    })),
  };
}

/** seed.schema.json. */
export function seedShape({ added, leftOut }: ReturnType<Management["seed"]>) {
  const { agentTools, ...counts } = added;
  return { schema_version: schemaVersion, added: { ...counts, agent_tools: agentTools }, left_out: leftOut };
}

/** removed.schema.json: one row that is gone. */
export function removedShape(kind: "agent" | "tool" | "provider" | "collection", name: string) {
  return { schema_version: schemaVersion, removed: { kind, name } };
}

/** registry.schema.json: the registry as YAML, and the file it was written to. */
export function registryShape(yaml: string, file: string | null) {
  return { schema_version: schemaVersion, file, yaml };
}
