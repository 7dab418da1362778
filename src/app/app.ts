import { fileURLToPath } from "node:url";
import { createHome } from "../config/home.ts";
import { environmentValue, programEnvironment } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import type { App } from "../core/app.ts";
import type { ParsedContent } from "../core/documents/document.ts";
import { keyed, lazy } from "../core/lazy.ts";
import type { Instance, VectorStore } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { type HostStatus, hostStatus, stopHost } from "../host/client.ts";
import { type Models, openModels } from "../models/models.ts";
import { type Agent, openAgents } from "../registry/company/agents.ts";
import { openProviders } from "../registry/company/providers.ts";
import { openTools } from "../registry/company/tools.ts";
import { openRegistry } from "../registry/registry.ts";
import { named } from "../registry/rows.ts";
import type { Chat } from "./ask/chat.ts";
import { type InStep, openInStep } from "./documents/background.ts";
import type { Placement } from "./documents/placement.ts";
import { openEmbedders } from "./engines/embedders.ts";
import { openLanguageModel } from "./engines/models.ts";
import { openStore } from "./engines/stores.ts";
import { type CoreParts, openCore, type RunLogs } from "./home.ts";
import type { Check } from "./owner/check.ts";
import { chooseModels } from "./owner/choose-models.ts";
import { doctor } from "./owner/doctor.ts";
import { answeringProvider } from "./owner/doctor-provider.ts";
import { checkVectors } from "./owner/doctor-vectors.ts";
import { endpoints } from "./owner/endpoints.ts";
import { type Administration, openAdministration } from "./owner/permissions.ts";
import { type Management, openManagement } from "./owner/registry.ts";

/** The app with what only the machine's own command line may do. */
export interface LocalApp extends App, RunLogs {
  models(): Promise<Models>;
  /** Agents that the run's principal may use; the owner sees the disabled ones too. */
  agents(run: Run): readonly Agent[];
  /** @throws NOT_FOUND */
  agent(reference: string, run: Run): Agent;
  /** Principals, their permissions, what was decided, and the search for leaks. */
  readonly administration: Administration;
  /** What the parser saw in a document. @throws NOT_FOUND, SOURCE_* */
  reading(reference: string, run: Run): Promise<ParsedContent>;
  /** @throws NOT_FOUND, PERMISSION_DENIED for anyone but the owner */
  ownerOnly(run: Run, what: string): void;
  /** Instance and department of a collection's documents where nobody names them. */
  placement(collection: string): Placement;
  /** Rooms with memory. */
  chat(): Promise<Chat>;
  /** Agents, tools, providers, collections: shown and changed; seeding, export and import. */
  readonly manage: Management;
  /** Folders, versions, new vectors, background work. */
  readonly inStep: InStep;
  hostStatus(): Promise<HostStatus | null>;
  stopHost(): Promise<boolean>;
  doctor(run: Run): Promise<readonly Check[]>;
  /** Name of the accelerator llama.cpp found; null for none. */
  gpu(): Promise<string | null>;
  /** Makes the embedding and the answering model among `ids` the ones of this home, in its settings.yaml. */
  chooseModels(ids: readonly string[]): Promise<void>;
}

const manifestPath = fileURLToPath(new URL("../../models/manifest.yaml", import.meta.url));

/** The only place where settings become drivers. Engines open on first use, and close in reverse order. */
export async function openApp(
  settings: Settings,
  programVersion: string,
  log: Run["log"],
): Promise<LocalApp> {
  const paths = createHome(settings.home, settings.registry.path);
  const resources = new AsyncDisposableStack();
  const registry = await openRegistry(paths.registry);
  resources.defer(() => registry.close());
  const agents = openAgents(registry);

  const models = lazy(() => openModels({ home: settings.home, manifestPath, hubUrl: settings.hub.url }));
  const embedders = openEmbedders(settings, models, resources);
  const localModel = keyed(async (id: string | null) => {
    const wanted = id === null ? settings : { ...settings, answer: { ...settings.answer, model: id } };
    const model = await openLanguageModel(
      wanted,
      await models(),
      settings.embed.device === "cpu" ? false : "auto",
    );
    return model === null ? null : resources.use(model);
  });
  const cache = lazy(async () => {
    const { openCache } = await import("../cache/cache.ts");
    return resources.use(
      await openCache(paths.cache, {
        maxBytes: settings.cache.maxBytes,
        warn: (message) => log.warn(message),
      }),
    );
  });
  const openInstance = (instance: Instance) =>
    lazy(() => openStore(instance, settings, models, resources, { id: "store", principal: "owner", log }));
  const stores: Readonly<Record<Instance, () => Promise<VectorStore>>> = {
    public: openInstance("public"),
    private: openInstance("private"),
  };
  const store = (instance: Instance): Promise<VectorStore> => stores[instance]();
  const parts: CoreParts = {
    settings,
    programVersion,
    registry,
    store,
    embedders,
    localModel,
    cache,
    resources,
    secret: environmentValue,
    environment: programEnvironment,
  };
  const core = openCore(parts);
  const { access } = core;
  const visibleAgents = (run: Run): readonly Agent[] =>
    access.principal(run).kind === "owner" ? agents.list() : access.agents(run, agents.list());

  return {
    ...core.app,
    ownerOnly: (run, what) => access.owner(run, what),
    placement: core.placement,
    reading: core.reading,
    chat: async () => (await core.conversation()).chat,
    administration: openAdministration(core, parts),
    models,
    agents: visibleAgents,
    agent: (reference, run) => named("agent", reference, visibleAgents(run)),
    manage: openManagement({
      registry,
      requireAdmin: access.owner,
      isAdmin: (run) => access.principal(run).kind === "owner",
      mayUseTool: (run, tool) => access.tool(run, null, tool).effect === "allow",
      agents: visibleAgents,
      collections: core.app.collections,
    }),
    inStep: openInStep(core.inStep, (run) => core.app.documents([], run)),
    hostStatus: () => hostStatus(settings.home),
    stopHost: () => stopHost(settings.home),
    doctor: async () => {
      const rows = () => ({
        providers: openProviders(registry).list(),
        tools: openTools(registry).list(),
        agents: agents.list(),
      });
      return doctor({
        settings,
        models: await models(),
        registryFaults: () => registry.check(),
        store,
        embedder: embedders.of(),
        gpu,
        vectors: () => checkVectors(core.inStep),
        provider: () => answeringProvider(openProviders(registry)),
        secret: environmentValue,
        endpoints: () => endpoints({ settings, ...rows() }),
      });
    },
    gpu,
    chooseModels: async (ids) => chooseModels(ids, await models(), paths.settings),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function gpu(): Promise<string | null> {
  const { gpuName } = await import("../drivers/runtime/llama.ts");
  return gpuName();
}
