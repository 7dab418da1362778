import type { Cache } from "../cache/cache.ts";
import type { Settings } from "../config/settings.ts";
import type { QueueTransport } from "../core/documents/queue.ts";
import { lazy } from "../core/lazy.ts";
import type { Instance, VectorStore } from "../core/retrieval.ts";
import { type Agents, createAgentRepository } from "../registry/company/agents.ts";
import { createDecisionLog, type Decisions } from "../registry/company/decisions.ts";
import { createPermissionRepository, type Permissions } from "../registry/company/permissions.ts";
import { createPrincipalRepository, type Principals } from "../registry/company/principals.ts";
import { type CollectionProfiles, createProfileRepository } from "../registry/company/profiles.ts";
import { createProviderRepository, type Providers } from "../registry/company/providers.ts";
import { createToolRepository, type Tools } from "../registry/company/tools.ts";
import type { Database } from "../registry/database.ts";
import { type Collections, createCollectionRepository } from "../registry/documents/collections.ts";
import { createDocumentRepository, type Documents } from "../registry/documents/documents.ts";
import { createShadowRepository, type ShadowStores } from "../registry/documents/shadow-stores.ts";
import { createRateRepository, type Rates } from "../registry/history/rates.ts";
import { createRetentionPolicy, type Retention } from "../registry/history/retention.ts";
import { createRunRepository, type RunProcess, type Runs } from "../registry/history/runs.ts";
import { type Access, createAccessControl } from "./access.ts";
import type { Classifiers } from "./engines/classifiers.ts";
import { collectionStores } from "./engines/collection-store.ts";
import type { Embedders } from "./engines/embedders.ts";
import { createLanguageModels, type LanguageModels } from "./engines/language-models.ts";
import type { LocalModels } from "./engines/local-models.ts";
import { openProbeResults, type Readings } from "./engines/readings.ts";
import { createTextVectors, type TextVectors } from "./engines/text-vectors.ts";
import { currentProcess } from "./run-process.ts";

/** A registry and the engines; the audit brings a copy of the registry and a reader of its own. */
export interface HomeEngines {
  readonly settings: Settings;
  /** The caller named `answer.model` for this call: no provider's row takes its place. */
  readonly isModelNamed?: boolean;
  readonly programVersion: string;
  readonly registry: Database;
  /** The store of an instance, here or at an address, by the names it has inside for collections. */
  readonly store: (instance: Instance, uri?: string) => Promise<VectorStore>;
  readonly embedders: Embedders;
  readonly localModels: LocalModels;
  /** Models that read two texts together. */
  readonly classifiers: Classifiers;
  /** Value of an environment variable that an operator's row names. */
  readonly secret: (name: string) => string | undefined;
  /** The only variables that an operator's program is given. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Closes everything opened on first use. */
  readonly resources: AsyncDisposableStack;
  readonly cache: () => Promise<Cache>;
  /** Carries jobs to workers; absent: they poll the registry. */
  readonly transport?: () => Promise<QueueTransport>;
  /**
   * Prefix of the names of the collections of chat messages, which separates those of an audit. Default none.
   */
  readonly messageMark?: string;
}

/**
 * Everything that is opened once for a home. A function takes the members it uses: `Pick<Home, "access" |
 * "documents">`.
 */
export interface Home extends HomeEngines {
  /** The store of an instance, by the names of collections. */
  readonly collectionStore: (instance: Instance) => Promise<VectorStore>;
  /** Vectors by the embedding model of the settings. */
  readonly vectors: TextVectors;
  readonly languageModels: LanguageModels;
  /** The only place that checks permissions. */
  readonly access: Access;
  readonly documents: Documents;
  readonly collections: Collections;
  readonly shadows: ShadowStores;
  readonly runs: Runs;
  /** Who works on the runs that begin here. */
  readonly process: () => Promise<RunProcess>;
  readonly retention: Retention;
  readonly rates: Rates;
  readonly readings: Readings;
  readonly principals: Principals;
  readonly permissions: Permissions;
  readonly decisions: Decisions;
  readonly profiles: CollectionProfiles;
  readonly agents: Agents;
  readonly tools: Tools;
  readonly providers: Providers;
}

/** Opens the tables of a registry and access control; models and stores open on first use. */
export function openHome(engines: HomeEngines): Home {
  const { settings, registry, embedders, resources } = engines;
  const documents = createDocumentRepository(registry, { keepVersions: settings.ingest.keepVersions });
  const collections = createCollectionRepository(registry);
  const shadows = createShadowRepository(registry);
  const principals = createPrincipalRepository(registry);
  const permissions = createPermissionRepository(registry);
  const decisions = createDecisionLog(registry);
  // What could not be saved is tried once more.
  resources.defer(() => decisions.record([]).catch(() => undefined));
  const providers = createProviderRepository(registry);
  const rates = createRateRepository(registry);
  const readings = openProbeResults(rates);
  const retention = createRetentionPolicy(registry, settings.history);
  const access = createAccessControl({
    principals,
    permissions,
    decisions,
    collections,
    registry,
    home: settings.home,
  });
  return {
    ...engines,
    collectionStore: collectionStores(engines.store, { documents, collections, shadows }),
    vectors: createTextVectors(embedders.of(), engines.cache),
    languageModels: createLanguageModels({
      settings,
      isModelNamed: engines.isModelNamed === true,
      providers,
      local: engines.localModels,
      readings,
      secret: engines.secret,
      isOwner: async (run) => (await access.principal(run)).kind === "owner",
      resources,
    }),
    access,
    documents,
    collections,
    shadows,
    runs: createRunRepository(registry, retention),
    process: lazy(currentProcess),
    retention,
    rates,
    readings,
    principals,
    permissions,
    decisions,
    profiles: createProfileRepository(registry),
    agents: createAgentRepository(registry),
    tools: createToolRepository(registry),
    providers,
  };
}
