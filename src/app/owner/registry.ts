import type { CollectionSummary } from "../../core/app.ts";
import type { Run } from "../../core/run.ts";
import { createAgentToolRepository } from "../../registry/company/agent-tools.ts";
import { type Agent, type Agents, createAgentRepository } from "../../registry/company/agents.ts";
import type { AgentInput } from "../../registry/company/definitions.ts";
import { createPermissionRepository } from "../../registry/company/permissions.ts";
import { type CollectionProfile, createProfileRepository } from "../../registry/company/profiles.ts";
import { createProviderRepository, type Providers } from "../../registry/company/providers.ts";
import type { RowRepository } from "../../registry/company/repository.ts";
import { createToolRepository, type ToolDefinition, type Tools } from "../../registry/company/tools.ts";
import type { Database } from "../../registry/database.ts";
import {
  diffRegistry,
  type ExchangeChange,
  type ExchangeOptions,
  exportRegistry,
  importRegistry,
} from "../../registry/exchange/exchange.ts";
import { type SeedOptions, type SeedReport, seed } from "../../registry/exchange/seed.ts";
import type { MoveReport } from "../../registry/move.ts";
import { findByNameOrId, unknownNameError } from "../../registry/rows.ts";
import type { CollectionView } from "../../shapes/registry.ts";
import { withOwnerCheck } from "./guarded.ts";
import { publicAgents, publicTools } from "./public-tool.ts";

export type { AgentPatch } from "../../registry/company/agents.ts";
export type { AgentInput, ProviderInput, ToolInput } from "../../registry/company/definitions.ts";
export type { ToolPatch } from "../../registry/company/tools.ts";
export type { ExchangeChange } from "../../registry/exchange/exchange.ts";
export type { MoveReport } from "../../registry/move.ts";

/** A tool to give: its priority defaults to below the agent's other tools. */
export interface Given {
  readonly tool: string;
  readonly priority?: number;
  readonly enabled?: boolean;
}

/** The registry, and the permissions of the caller. */
export interface RegistryDrivers {
  readonly registry: Database;
  /** @throws PERMISSION_DENIED for a principal without the right to manage the registry */
  readonly requireAdmin: (run: Run, what: string) => Promise<void>;
  readonly isAdmin: (run: Run) => Promise<boolean>;
  readonly mayUseTool: (run: Run, tool: ToolDefinition) => Promise<boolean>;
  /** Agents the principal may see. */
  readonly agents: (run: Run) => Promise<readonly Agent[]>;
  /** Collections the principal may read. */
  readonly collections: (run: Run) => Promise<readonly CollectionSummary[]>;
}

/** Rows of one kind as a run sees and changes them. */
export type RowsApi<Rows> =
  Rows extends RowRepository<infer Row, infer Input, infer Patch, infer _>
    ? {
        list(run: Run): Promise<readonly Row[]>;
        /** @throws NOT_FOUND */
        get(reference: string, run: Run): Promise<Row>;
        add(row: Input, run: Run): Promise<Row>;
        set(reference: string, patch: Patch, run: Run): Promise<Row>;
        remove(reference: string, run: Run): Promise<undefined>;
      }
    : never;

/**
 * The registry's rows as the command line shows and changes them. Every change throws PERMISSION_DENIED for a
 * principal who may not manage them.
 */
export interface RegistryApi {
  seed(options: SeedOptions, run: Run): Promise<SeedReport>;
  /** The whole registry as YAML. */
  export(run: Run): Promise<string>;
  import(text: string, options: ExchangeOptions, run: Run): Promise<readonly ExchangeChange[]>;
  diff(text: string, options: ExchangeOptions, run: Run): Promise<readonly ExchangeChange[]>;
  /** Copies the registry to another place; relative paths start at `folder`. */
  move(to: string, folder: string, run: Run): Promise<MoveReport>;
  readonly agents: Omit<RowsApi<Agents>, "add"> & {
    /**
     * With its tools, the most preferred first; all or nothing. @throws USAGE_INVALID, NOT_FOUND for a tool
     */
    add(agent: AgentInput, tools: readonly string[], run: Run): Promise<Agent>;
    give(reference: string, given: Given, run: Run): Promise<Agent>;
    /** @throws NOT_FOUND where the agent was not given the tool */
    take(reference: string, tool: string, run: Run): Promise<Agent>;
  };
  readonly tools: RowsApi<Tools>;
  /** Named `component/provider`. */
  readonly providers: RowsApi<Providers>;
  readonly collections: {
    /** The readable collections; for the owner also those that are only described. */
    list(run: Run): Promise<readonly CollectionView[]>;
    get(name: string, run: Run): Promise<CollectionView>;
    /** Omitted fields are unchanged. */
    describe(
      name: string,
      patch: Partial<Omit<CollectionProfile, "name">>,
      run: Run,
    ): Promise<CollectionView>;
    /**
     * Drops the description; the collection itself is removed with `forgetCollection`. False where there was
     * none.
     */
    undescribe(name: string, run: Run): Promise<boolean>;
  };
}

/** Creates the operations that show and change a registry. */
export function createRegistryApi(drivers: RegistryDrivers): RegistryApi {
  const { registry, requireAdmin } = drivers;
  const admin: Admin = (run) => requireAdmin(run, "manage the registry");
  return {
    ...withOwnerCheck(admin, {
      seed: (options: SeedOptions) => seed(registry, options),
      export: () => exportRegistry(registry),
      import: (text: string, options: ExchangeOptions) => importRegistry(registry, text, options),
      diff: (text: string, options: ExchangeOptions) => diffRegistry(registry, text, options),
      move: async (to: string, folder: string) =>
        (await import("../../registry/move.ts")).moveRegistry(registry, to, folder),
    }),
    agents: agentsApi(drivers, admin),
    tools: toolsApi(drivers, admin),
    providers: changesOf(createProviderRepository(registry), admin),
    collections: collectionsApi(drivers, admin),
  };
}

type Admin = (run: Run) => Promise<void>;

/** What an owner does with rows of one kind. */
function changesOf<Row, Input, Patch>(rows: RowRepository<Row, Input, Patch, unknown>, admin: Admin) {
  return withOwnerCheck(admin, {
    list: () => rows.list(),
    get: (reference: string) => rows.get(reference),
    add: (row: Input) => rows.add(row),
    set: (reference: string, patch: Patch) => rows.set(reference, patch),
    remove: (reference: string) => rows.remove(reference),
  });
}

function agentsApi(
  { registry, isAdmin, mayUseTool, agents: usable }: RegistryDrivers,
  admin: Admin,
): RegistryApi["agents"] {
  const agents = createAgentRepository(registry);
  const tools = createToolRepository(registry);
  const mappings = createAgentToolRepository(registry);
  const visible = async (run: Run): Promise<readonly Agent[]> =>
    (await isAdmin(run))
      ? await usable(run)
      : publicAgents(await usable(run), await tools.list(), (tool) => mayUseTool(run, tool));
  const change = async (reference: string, work: () => Promise<void>): Promise<Agent> => {
    await registry.write(work);
    return agents.get(reference);
  };
  return {
    ...changesOf(agents, admin),
    list: visible,
    get: async (reference, run) => findByNameOrId("agent", reference, await visible(run)),
    ...withOwnerCheck(admin, {
      add: (agent: AgentInput, toolNames: readonly string[]) =>
        change(agent.name, async () => {
          const { id } = await agents.add(agent);
          for (const [index, tool] of toolNames.entries())
            await mappings.give(id, await tools.idOf(tool), { priority: (toolNames.length - index) * 10 });
        }),
      give: (reference: string, { tool, ...given }: Given) =>
        change(reference, async () =>
          mappings.give(await agents.idOf(reference), await tools.idOf(tool), given),
        ),
      take: (reference: string, tool: string) =>
        change(reference, async () => {
          const id = await agents.idOf(reference);
          if (await mappings.take(id, await tools.idOf(tool))) return;
          const names = (await mappings.of(id)).map(({ name }) => name);
          throw unknownNameError(`tool of the agent "${reference}"`, tool, names);
        }),
    }),
  };
}

function toolsApi({ registry, isAdmin, mayUseTool }: RegistryDrivers, admin: Admin): RegistryApi["tools"] {
  const tools = createToolRepository(registry);
  const visible = async (run: Run) => {
    const all = await tools.list();
    return (await isAdmin(run)) ? all : publicTools(all, (tool) => mayUseTool(run, tool));
  };
  return {
    ...changesOf(tools, admin),
    list: visible,
    get: async (reference, run) =>
      (await isAdmin(run))
        ? await tools.get(reference)
        : findByNameOrId("tool", reference, await visible(run)),
  };
}

function collectionsApi(
  { registry, isAdmin, collections }: RegistryDrivers,
  admin: Admin,
): RegistryApi["collections"] {
  const profiles = createProfileRepository(registry);
  const permissions = createPermissionRepository(registry);
  const list = async (run: Run): Promise<readonly CollectionView[]> => {
    const owner = await isAdmin(run);
    const summaries = new Map((await collections(run)).map((summary) => [summary.name, summary]));
    const described = new Map((await profiles.list()).map((profile) => [profile.name, profile]));
    const rules = owner ? await permissions.list({ resourceKind: "collection" }) : [];
    const names = owner ? new Set([...summaries.keys(), ...described.keys()]) : new Set(summaries.keys());
    return [...names].sort().map((name) => ({
      name,
      summary: summaries.get(name) ?? null,
      profile: described.get(name) ?? null,
      grants: rules.filter(({ resource }) => resource === "*" || resource.toLowerCase() === name),
    }));
  };
  const get = async (name: string, run: Run): Promise<CollectionView> => {
    const views = await list(run);
    return findByNameOrId(
      "collection",
      name,
      views.map((view) => ({ ...view, id: view.name })),
    );
  };
  return {
    list,
    get,
    async describe(name, patch, run) {
      await admin(run);
      const summary = (await collections(run)).find((each) => each.name === name);
      await registry.write(async () => {
        const before = await profiles.find(name);
        const instance = summary?.instance ?? before?.instance;
        await profiles.put({
          name,
          ...before,
          ...(instance === undefined ? {} : { instance }),
          ...patch,
        });
      });
      return get(name, run);
    },
    ...withOwnerCheck(admin, { undescribe: (name: string) => profiles.remove(name) }),
  };
}
