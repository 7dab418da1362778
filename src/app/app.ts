import type { LexicalIndexes } from "../cache/lexical-index.ts";
import { createHome } from "../config/home.ts";
import { environmentValue, programEnvironment, traceEnvironment } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import type { MigrateRequest } from "../core/documents/reembed.ts";
import { asRagctlError } from "../core/errors.ts";
import { lazy, lazyMap } from "../core/lazy.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import type { Models } from "../models/models.ts";
import { createProviderRepository } from "../registry/company/providers.ts";
import type { Documents } from "../registry/documents/documents.ts";
import { createWriteTimes } from "../registry/documents/store-writes.ts";
import { createRateRepository } from "../registry/history/rates.ts";
import type { Check } from "../shapes/machine.ts";
import { type Company, createCompanyApi } from "./company.ts";
import type { MigrateEvent, OpenCopied } from "./documents/migrate.ts";
import { createClassifiers } from "./engines/classifiers.ts";
import { createEmbedders } from "./engines/embedders.ts";
import { createEndpointEmbedders } from "./engines/endpoint-embedders.ts";
import type { Loader } from "./engines/loader.ts";
import { createLocalModels } from "./engines/local-models.ts";
import { openProbeResults } from "./engines/readings.ts";
import { type BesideServer, openStore } from "./engines/stores.ts";
import { createEvaluationApi, type Evaluation } from "./evaluate/evaluation.ts";
import { type HomeEngines, openHome } from "./home.ts";
import { detectGpu, modelsOf } from "./machine.ts";
import { openHomeRegistry } from "./own-registry.ts";
import { chooseModels } from "./owner/choose-models.ts";
import { doctor } from "./owner/doctor/doctor.ts";
import { answeringModelInfo, readerUse } from "./owner/doctor/reader-use.ts";
import { createReadinessCheck } from "./readiness.ts";
import { createSurface } from "./surface.ts";
import { openTelemetry, type Telemetry } from "./telemetry.ts";

/** The app with what only the machine's own command line may do. */
export interface LocalApp extends AsyncDisposable, Company {
  models(): Promise<Models>;
  /** Follows requests of a server; nothing where no endpoint is named. */
  readonly telemetry: Telemetry;
  /** Measures the quality of answers on the user's own questions. */
  readonly evaluation: Evaluation;
  /** Copies a collection with its vectors to another server or instance. @throws NOT_FOUND */
  migrate(request: MigrateRequest, run: Run): AsyncIterable<MigrateEvent>;
  doctor(run: Run): Promise<readonly Check[]>;
  /** Names of the parts that no question can be answered without, and that do not answer themselves. */
  readiness(): Promise<readonly string[]>;
  /** Name of the accelerator llama.cpp found; null for none. */
  gpu(): Promise<string | null>;
  /** In a line: what answers are made of with the answering model among `ids`, or an active provider. */
  reader(ids: readonly string[]): Promise<string>;
  /** Makes the embedding and the answering model among `ids` the ones of this home, in its settings.yaml. */
  chooseModels(ids: readonly string[]): Promise<void>;
}

/**
 * The only place where settings become drivers. Engines open on first use, and close in reverse order.
 * `loader`: of a process that keeps them for the next app. `isModelNamed`: the caller named `answer.model`
 * for this call.
 */
export async function openApp(
  settings: Settings,
  programVersion: string,
  log: Run["log"],
  {
    loader,
    isModelNamed = false,
  }: { readonly loader?: Loader | undefined; readonly isModelNamed?: boolean } = {},
): Promise<LocalApp> {
  const paths = createHome(settings.home, settings.registry.path);
  const resources = new AsyncDisposableStack();
  const registry = await openHomeRegistry(settings);
  resources.defer(() => registry.close());
  const models = lazy(() => modelsOf(settings));
  const lexicalIndexes = lexicalIndexOf(paths.lexicalIndex, resources, log);
  const beside = { lexicalIndexes, writes: (server: string) => createWriteTimes(registry, server) };
  const stores = storesOf(settings, models, resources, log, beside, loader);
  const used = new Set<Instance>();
  const here = (instance: Instance) => {
    used.add(instance);
    return stores(instance);
  };
  const elsewhere = lazyMap((instance: Instance) => lazyMap((uri: string) => stores(instance, uri)));
  const secret = (name: string) => environmentValue(name, settings.home);
  const endpoints = createEndpointEmbedders(settings, createProviderRepository(registry), secret);
  const home = openHome({
    settings,
    isModelNamed,
    programVersion,
    registry,
    store: (instance, uri) => (uri === undefined ? here(instance) : elsewhere(instance)(uri)),
    embedders: createEmbedders(settings, models, resources, loader, endpoints),
    classifiers: createClassifiers(settings, models, resources),
    localModels: createLocalModels(
      settings,
      models,
      resources,
      loader,
      openProbeResults(createRateRepository(registry)),
    ),
    cache: cacheOf(paths.cache, settings, resources, log),
    ...transportOf(settings, resources),
    resources,
    secret,
    environment: programEnvironment,
  });
  resources.defer(() => release(home.documents, log));
  const telemetry = await openTelemetry(traceEnvironment());
  resources.defer(() => telemetry.flush());
  const surface = createSurface(home, undefined, telemetry);
  return {
    ...createCompanyApi(home, surface),
    models,
    telemetry,
    evaluation: createEvaluationApi({ surface, home }),
    async *migrate(request, run) {
      const { migrateCollection } = await import("./documents/migrate.ts");
      yield* migrateCollection(request, home, stores, run);
    },
    doctor: async () => doctor({ ...home, models: await models(), gpu: detectGpu }, home),
    readiness: createReadinessCheck(home, models, (instance) => used.has(instance)),
    gpu: detectGpu,
    async reader(ids) {
      const known = await models();
      const id = ids.find((each) => known.entry(each).task === "generate") ?? null;
      const facts = await answeringModelInfo(home, id);
      const { message, hint } = readerUse(settings.answer, facts, await known.list());
      return [`${facts?.id ?? ""} ${message}`.trim(), hint].filter(Boolean).join("; ");
    },
    chooseModels: async (ids) => chooseModels(ids, await models(), paths.settings),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Drops unfinished versions. On a full disk this fails; they are swept when this process has ended. */
async function release(documents: Documents, log: Run["log"]): Promise<void> {
  try {
    await documents.release();
  } catch (error) {
    log.warn(`unfinished documents are kept until this process ends: ${asRagctlError(error).message}`);
  }
}

function storesOf(
  settings: Settings,
  models: () => Promise<Models>,
  resources: AsyncDisposableStack,
  log: Run["log"],
  beside: Pick<BesideServer, "writes"> & { readonly lexicalIndexes: () => Promise<LexicalIndexes> },
  loader: Loader | undefined,
): OpenCopied {
  const run = { id: "store", principal: "owner", log };
  const openAt = (instance: Instance, from?: string) => {
    const key = instance === "public" ? "publicUri" : "privateUri";
    const uri = from === "local" ? "" : (from ?? settings.milvus[key]);
    const placed = { ...settings, milvus: { ...settings.milvus, [key]: uri } };
    const lexicalIndex = async () => (await beside.lexicalIndexes()).of(from === undefined ? instance : from);
    return openStore(instance, placed, models, resources, run, loader, {
      lexicalIndex,
      writes: beside.writes,
    });
  };
  const configured = lazyMap((instance: Instance) => openAt(instance));
  return (instance, from) => (from === undefined ? configured(instance) : openAt(instance, from));
}

function cacheOf(
  path: string,
  { cache }: Settings,
  resources: AsyncDisposableStack,
  log: Run["log"],
): HomeEngines["cache"] {
  const { maxBytes, ttlSeconds, redisUrl, redisAuthorityFile } = cache;
  const warn = (message: string): void => log.warn(message);
  return lazy(async () => {
    if (redisUrl !== "") {
      const { openRedisCache } = await import("../cache/redis.ts");
      const options = { url: redisUrl, authorityFile: redisAuthorityFile, ttlSeconds, warn };
      return resources.use(await openRedisCache(options));
    }
    const { openCache } = await import("../cache/cache.ts");
    return resources.use(await openCache(path, { maxBytes, ttlSeconds, warn }));
  });
}

function lexicalIndexOf(
  path: string,
  resources: AsyncDisposableStack,
  log: Run["log"],
): () => Promise<LexicalIndexes> {
  return lazy(async () => {
    const { openLexicalIndexes } = await import("../cache/lexical-index.ts");
    return resources.use(await openLexicalIndexes(path, (message) => log.warn(message)));
  });
}

function transportOf({ kafka }: Settings, resources: AsyncDisposableStack): Pick<HomeEngines, "transport"> {
  if (kafka.brokers === "") return {};
  const transport = lazy(async () => {
    const { openKafka } = await import("../drivers/queues/kafka.ts");
    return resources.use(openKafka(kafka));
  });
  return { transport };
}
