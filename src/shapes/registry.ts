import { components } from "../core/answers/provider.ts";
import { accessLevels } from "../core/permission.ts";
import { z } from "../core/schema.ts";
import type { Agent } from "../registry/company/agents.ts";
import type { ProviderConfig } from "../registry/company/providers.ts";
import type { ExchangeChange } from "../registry/exchange/exchange.ts";
import { count, instance, milliseconds, openObject, ordinal } from "./members.ts";
import { derive, documentSchema, printer, type Source } from "./shape.ts";

const names = z.array(z.string());
const agentMembers = z.looseObject({
  name: z.string(),
  department: z.string(),
  description: z.string(),
  persona: z.string().describe("How it speaks; empty if not set.").optional(),
  guidelines: z.string().describe("Rules for its answers; empty if not set.").optional(),
  capabilities: names.describe("Topics."),
  examples: names.describe("Questions it answers.").optional(),
  tools: names.describe("By priority."),
  given_tools: z
    .array(z.object({ tool: z.string(), type: z.string(), priority: z.int(), enabled: z.boolean() }))
    .describe("Every tool assigned to it, by priority.")
    .optional(),
  provider_config: openObject.describe("Its provider; empty means the registry's.").optional(),
  enabled: z.boolean(),
});
/** An agent as printed: its capabilities are the topics, its tools those that it may use. */
const agent = derive(agentMembers, ({ capabilities, tools, ...rest }: Agent) => ({
  ...rest,
  capabilities: capabilities.topics,
  examples: capabilities.examples,
  tools: tools.filter((tool) => tool.enabled).map((tool) => tool.name),
  givenTools: tools.map((tool) => ({ ...tool, tool: tool.name })),
}));
const agents = documentSchema(
  "agents",
  "Output of ragctl agents list, show, add, set, enable, disable, give and take --format json",
  { agents: z.array(agent) },
);
/** One member of `agents` in agents.schema.json. */
export const agentView = printer(agent);
const printAgents = printer(agents);
/** agents.schema.json. */
export const agentsShape = (list: readonly Agent[]) => printAgents({ agents: list });

const tool = z.object({
  name: z.string(),
  type: z.string(),
  config: openObject,
  permissions: openObject,
  enabled: z.boolean(),
});
const tools = documentSchema(
  "tools",
  "Output of ragctl tools list, show, add, set, enable and disable --format json",
  { tools: z.array(tool) },
);
/** A tool as printed. */
export const toolView = printer(tool);
const printTools = printer(tools);
/** tools.schema.json. */
export const toolsShape = (list: readonly Source<typeof tool>[]) => printTools({ tools: list });

const provider = derive(
  z.object({
    name: z.string().describe("component/provider, as used by commands."),
    component: z.enum(components),
    provider: z.string(),
    config: openObject,
    enabled: z.boolean().describe("At most one provider per component is active."),
  }),
  (row: ProviderConfig) => ({ ...row, name: `${row.component}/${row.provider}` }),
);
const providers = documentSchema(
  "providers",
  "Output of ragctl providers list, show, add, set, enable and disable --format json",
  { providers: z.array(provider) },
);
/** A provider as printed; `name` is the argument of commands. */
export const providerView = printer(provider);
const printProviders = printer(providers);
/** providers.schema.json. */
export const providersShape = (list: readonly Source<typeof provider>[]) =>
  printProviders({ providers: list });

const summaryMembers = {
  name: z.string(),
  instance,
  documents: count,
  chunks: count,
  embedder: z.string(),
  dimensions: ordinal,
  lexical: z.enum(["sparse", "bm25"]),
};
const collection = documentSchema(
  "collection",
  "Output of ragctl collections show and describe --format json",
  {
    name: z.string(),
    instance,
    department: z.string(),
    description: z.string(),
    ingested: z.object(summaryMembers).nullable().describe("Null before the first ingest into it."),
    grants: z
      .array(
        z.object({
          subject_kind: z.enum(["department", "principal"]),
          subject: z.string(),
          effect: z.enum(["allow", "deny"]),
          level: z.enum(accessLevels),
        }),
      )
      .describe("Rules for it or for every collection; empty for anyone but the owner."),
  },
);
const collections = documentSchema(
  "collections",
  "Output of ragctl collections and collections list --format json",
  {
    collections: z.array(
      z.object({
        ...summaryMembers,
        department: z.string().describe('As described; "" if not set.').optional(),
        description: z.string().describe('Description; "" if not set.').optional(),
      }),
    ),
    planned: z
      .array(z.object({ name: z.string(), instance, department: z.string(), description: z.string() }))
      .describe("Described collections without documents; for the owner only.")
      .optional(),
  },
);
const printCollection = printer(collection);
const printCollections = printer(collections);

/** A collection with its purpose and its permissions; `summary` is null before the first ingest. */
export interface CollectionView extends Pick<Source<typeof collection>, "name" | "grants"> {
  readonly summary: Source<typeof collection>["ingested"];
  readonly profile: Pick<
    Source<typeof collection>,
    "name" | "instance" | "department" | "description"
  > | null;
}

/** The description of a collection, with "" for missing parts, and its present or planned place. */
const description = ({ name, summary, profile }: CollectionView) => ({
  name,
  instance: summary?.instance ?? profile?.instance ?? ("public" as const),
  department: profile?.department ?? "",
  description: profile?.description ?? "",
});
/** collection.schema.json: `ingested` is null before the first ingest into it. */
export const collectionShape = (view: CollectionView) =>
  printCollection({ ...description(view), ingested: view.summary, grants: view.grants });
/**
 * collections.schema.json: collections with documents and, separately, those that are only described so far.
 */
export const collectionListShape = (views: readonly CollectionView[]) =>
  printCollections({
    collections: views.flatMap((view) =>
      view.summary === null ? [] : { ...description(view), ...view.summary },
    ),
    planned: views.filter(({ summary }) => summary === null).map(description),
  });

const change = derive(
  z.object({
    section: z.enum(["providers", "tools", "agents", "collections", "principals", "permissions"]),
    name: z.string(),
    change: z.enum(["add", "change", "remove", "keep"]).describe("keep: in the registry only."),
    fields: z
      .array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }))
      .describe("Empty unless change."),
  }),
  ({ section, name, kind, fields }: ExchangeChange) => ({
    section,
    name,
    change: kind,
    fields: fields.map(({ field, before = null, after = null }) => ({ field, before, after })),
  }),
);
const changes = documentSchema("changes", "Output of ragctl registry import and diff --format json", {
  applied: z.boolean().describe("False for a diff and a dry run."),
  counts: z.object({ add: count, change: count, remove: count, keep: count }),
  changes: z.array(change),
});
const printChanges = printer(changes);
/** changes.schema.json: the changes of an import, or the differences of a file. */
export function changesShape(list: readonly ExchangeChange[], applied: boolean) {
  const counts = { add: 0, change: 0, remove: 0, keep: 0 };
  for (const { kind } of list) counts[kind]++;
  return printChanges({ applied, counts, changes: list });
}

const seed = documentSchema("seed", "Output of ragctl agents seed --format json", {
  added: z.object({
    agents: count,
    tools: count,
    providers: count,
    collections: count,
    principals: count,
    permissions: count,
    agent_tools: count,
  }),
  left_out: z.array(z.string()).describe("Added by an earlier seeding and removed since."),
  undescribed: z.array(z.string()).describe("Existing collections, which keep having no description."),
});
/** seed.schema.json. */
export const seedShape = printer(seed);

const removed = documentSchema(
  "removed",
  "Output of ragctl agents|tools|providers|collections remove --format json",
  { removed: z.object({ kind: z.enum(["agent", "tool", "provider", "collection"]), name: z.string() }) },
);
const printRemoved = printer(removed);
/** removed.schema.json: one row that is gone. */
export const removedShape = (kind: "agent" | "tool" | "provider" | "collection", name: string) =>
  printRemoved({ removed: { kind, name } });

const migration = documentSchema("migration", "Output of ragctl collections migrate --format json", {
  collection: z.string(),
  from: z.string().describe("Instance or address the vectors were copied from; they are kept there."),
  to: instance,
  chunks: count,
  copied: count.describe("Chunks copied by this run; an earlier run may have copied others."),
  removed: count.describe("Chunks unknown to the registry, removed from the copy."),
  compared: count.describe("Chunks whose text and vectors were compared."),
  duration_ms: milliseconds,
});
/** What was copied to another Milvus. */
export type MigrateReport = Source<typeof migration>;
/** migration.schema.json. */
export const migrationShape = printer(migration);

const registry = documentSchema("registry", "Output of ragctl registry export --format json", {
  file: z.string().nullable().describe("Where it was written; null if it was only printed."),
  yaml: z.string(),
});
const printRegistry = printer(registry);
/** registry.schema.json: the registry as YAML, and the file it was written to. */
export const registryShape = (yaml: string, file: string | null) => printRegistry({ file, yaml });

const moved = documentSchema("moved", "Output of ragctl registry move --format json", {
  from: z
    .string()
    .describe("Where the registry was copied from, without user and password; it is still there."),
  to: z.string().describe("Where it was copied to."),
  tables: z.array(
    z.object({
      name: z.string(),
      rows: count,
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe("Checksum over all rows; the same in both places."),
    }),
  ),
});
/** moved.schema.json. */
export const movedShape = printer(moved);

/** The documents of this file, for config/schemas/. */
export const registryDocuments = [
  agents,
  tools,
  providers,
  collection,
  collections,
  changes,
  seed,
  removed,
  migration,
  registry,
  moved,
];
