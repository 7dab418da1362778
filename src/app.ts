import { fileURLToPath } from "node:url";
import { chooseModels } from "./app/choose-models.ts";
import { type Check, doctor } from "./app/doctor.ts";
import { chosenCollections, forgetCollection, forgetDocuments, showDocument } from "./app/documents.ts";
import { embedEntry, openEmbedder, openLanguageModel } from "./app/engines.ts";
import { lazy } from "./app/lazy.ts";
import { askRecord, ingestRecord, type RunView, runView } from "./app/records.ts";
import { openStore } from "./app/stores.ts";
import { createHome } from "./config/home.ts";
import type { Settings } from "./config/settings.ts";
import type { App } from "./core/app.ts";
import type { Instance, VectorStore } from "./core/retrieval.ts";
import type { Run } from "./core/run.ts";
import { type HostStatus, hostStatus, stopHost } from "./host/client.ts";
import { type Models, openModels } from "./models/models.ts";
import { type Agent, openAgents } from "./registry/agents.ts";
import { openCollections } from "./registry/collections.ts";
import { openDocuments } from "./registry/documents.ts";
import { openRegistry } from "./registry/registry.ts";
import { openRuns } from "./registry/runs.ts";
import { type SeedCounts, seed } from "./registry/seed.ts";

/** The app with what only the machine's own command line may do. */
export interface LocalApp extends App {
  models(): Promise<Models>;
  agents(): readonly Agent[];
  /** @throws NOT_FOUND */
  agent(reference: string): Agent;
  seed(): SeedCounts;
  runRecords(limit: number): readonly RunView[];
  /** @throws NOT_FOUND */
  runRecord(reference: string): RunView;
  hostStatus(): Promise<HostStatus | null>;
  stopHost(): Promise<boolean>;
  doctor(run: Run): Promise<readonly Check[]>;
  /** Name of the accelerator llama.cpp found; null for none. */
  gpu(): Promise<string | null>;
  /** Makes the embedding and the answering model among `ids` the ones of this home, in its settings.yaml. */
  chooseModels(ids: readonly string[]): Promise<void>;
}

const manifestPath = fileURLToPath(new URL("../models/manifest.yaml", import.meta.url));

/** The only place where settings become drivers. Engines open on first use, and close in reverse order. */
export async function openApp(settings: Settings, programVersion: string, log: Run["log"]): Promise<LocalApp> {
  const paths = createHome(settings.home, settings.registry.path);
  const resources = new AsyncDisposableStack();
  const registry = await openRegistry(paths.registry);
  resources.defer(() => registry.close());
  const documents = openDocuments(registry);
  const collections = openCollections(registry);
  const runs = openRuns(registry);
  const agents = openAgents(registry);

  const models = lazy(() => openModels({ home: settings.home, manifestPath, hubUrl: settings.hub.url }));
  const embedder = lazy(async () => resources.use(await openEmbedder(settings, await models())));
  const language = async () => embedEntry(settings, await models()).embed.language;
  const languageModel = lazy(async () => {
    const model = await openLanguageModel(settings, await models(), settings.embed.device === "cpu" ? false : "auto");
    return model === null ? null : resources.use(model);
  });
  const cache = lazy(async () => {
    const { openCache } = await import("./registry/cache.ts");
    return resources.use(await openCache(paths.cache, { maxBytes: settings.cache.maxBytes, warn: (message) => log.warn(message) }));
  });
  const openInstance = (instance: Instance) => lazy(() => openStore(instance, settings, models, resources, { id: "store", principal: "owner", log }));
  const stores: Readonly<Record<Instance, () => Promise<VectorStore>>> = {
    public: openInstance("public"),
    private: openInstance("private"),
  };
  const store = (instance: Instance): Promise<VectorStore> => stores[instance]();
  const documentDrivers = { documents, collections, store };

  const retrieveDrivers = {
    embedder,
    targets: ({ collections: names }: { readonly collections: readonly string[] }) =>
      Promise.all(chosenCollections(names, collections).map(async (spec) => ({ spec, store: await store(spec.instance) }))),
    live: documents.liveVersions,
    settings: settings.retrieve,
  };

  return {
    async *ingest(request, run) {
      const startedAt = new Date();
      const { openIngest } = await import("./app/ingest.ts");
      const drivers = await openIngest(request, { settings, documents, collections, embedder, language, cache, store });
      const { ingest } = await import("./pipeline/ingest.ts");
      try {
        for await (const event of ingest(request, drivers, run)) {
          if (event.type === "ingest-end") runs.record(ingestRecord(event.report, request, { startedAt, programVersion }));
          yield event;
        }
      } finally {
        await drivers[Symbol.asyncDispose]();
      }
    },
    async search(request, run) {
      const { retrieve } = await import("./pipeline/retrieve.ts");
      return retrieve(request, retrieveDrivers, run);
    },
    async *ask(request, run) {
      const startedAt = new Date();
      const { answerSettings } = await import("./app/answer-settings.ts");
      const [{ retrieve }, { ask }] = await Promise.all([import("./pipeline/retrieve.ts"), import("./pipeline/ask.ts")]);
      const drivers = {
        retrieve: (question: typeof request, each: Run) => retrieve({ ...question, mode: "hybrid" as const }, retrieveDrivers, each),
        model: languageModel,
        settings: answerSettings(settings),
      };
      for await (const event of ask(request, drivers, run)) {
        if (event.type === "answer-end") {
          const provider = event.answer.model === null ? "" : ((await languageModel())?.provider ?? "");
          runs.record(askRecord(event.answer, run, provider, { startedAt, programVersion }));
        }
        yield event;
      }
    },
    documents: async (names) => documents.latest(names),
    show: (reference) => showDocument(reference, documentDrivers),
    forget: (references) => forgetDocuments(references, documentDrivers),
    forgetCollection: (name) => forgetCollection(name, documentDrivers),
    collections: async () => collections.list(),
    models,
    agents: () => agents.list(),
    agent: (reference) => agents.get(reference),
    seed: () => seed(registry),
    runRecords: (limit) => runs.list({ limit }).map(runView),
    runRecord: (reference) => runView(runs.get(reference)),
    hostStatus: () => hostStatus(settings.home),
    stopHost: () => stopHost(settings.home),
    doctor: async () => doctor({ settings, models: await models(), registryFaults: () => registry.check(), store, embedder, gpu }),
    gpu,
    chooseModels: async (ids) => chooseModels(ids, await models(), paths.settings),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function gpu(): Promise<string | null> {
  const { gpuName } = await import("./drivers/runtime/llama.ts");
  return gpuName();
}
