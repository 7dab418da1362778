import type { Cache } from "../cache/cache.ts";
import type { Settings } from "../config/settings.ts";
import type { LanguageModel } from "../core/answers/answer.ts";
import type { App, SearchRequest } from "../core/app.ts";
import { documentByReference } from "../core/documents/reference.ts";
import { lazy } from "../core/lazy.ts";
import type { Instance, VectorStore } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { openDecisions } from "../registry/company/decisions.ts";
import { openPermissions } from "../registry/company/permissions.ts";
import { openPrincipals } from "../registry/company/principals.ts";
import { openProfiles } from "../registry/company/profiles.ts";
import type { Database } from "../registry/database.ts";
import { openCollections } from "../registry/documents/collections.ts";
import { openDocuments } from "../registry/documents/documents.ts";
import { openShadowStores } from "../registry/documents/shadow-stores.ts";
import { openRuns } from "../registry/history/runs.ts";
import { openAccess } from "./access.ts";
import { openRetrieval } from "./ask/retrieval.ts";
import { placedStores } from "./documents/collection-store.ts";
import { openLibrary } from "./documents/documents.ts";
import type { StepParts } from "./documents/ingest.ts";
import { placementOf } from "./documents/placement.ts";
import type { Embedders } from "./engines/embedders.ts";
import { openTextVectors } from "./engines/text-vectors.ts";
import { type RunView, runView } from "./records.ts";

/** A registry and the engines; the audit brings a copy of the registry and no language model. */
export interface CoreParts {
  readonly settings: Settings;
  readonly programVersion: string;
  readonly registry: Database;
  readonly store: (instance: Instance) => Promise<VectorStore>;
  readonly embedders: Embedders;
  /** A local model by id, or with null the one of the settings; null where it is not installed. */
  readonly localModel: (id: string | null) => Promise<LanguageModel | null>;
  /** Value of an environment variable that an operator's row names. */
  readonly secret: (name: string) => string | undefined;
  /** The only variables that an operator's program is given. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Closes what is opened on first use. */
  readonly resources: AsyncDisposableStack;
  readonly cache: () => Promise<Cache>;
  /** Stands before the names of the collections of chat messages; an audit keeps its own apart. */
  readonly messageMark?: string;
}

/** What past runs left; a principal sees its own, the owner all. */
export interface RunLogs {
  /** Newest first. */
  runRecords(limit: number, run: Run): readonly RunView[];
  /** @throws NOT_FOUND */
  runRecord(reference: string, run: Run): RunView;
}

/** Opens everything that reads or changes what is stored, behind one access door. */
export function openCore(parts: CoreParts) {
  const { settings, programVersion, registry, embedders, cache } = parts;
  const documents = openDocuments(registry, { keepVersions: settings.ingest.keepVersions });
  const collections = openCollections(registry);
  const shadows = openShadowStores(registry);
  const store = placedStores(parts.store, { documents, collections, shadows });
  const runs = openRuns(registry);
  const [principals, permissions, decisions] = [
    openPrincipals(registry),
    openPermissions(registry),
    openDecisions(registry),
  ];
  const access = openAccess({ principals, permissions, decisions, collections, home: settings.home });
  const vectors = openTextVectors(embedders.of(), cache);
  const retrieval = openRetrieval({
    access,
    documents,
    embedder: vectors.embedder,
    // The same function for the same model, so that a question is embedded once.
    embedderOf: (id) => (id === settings.embed.model ? vectors.embedder : embedders.of(id)),
    store: parts.store,
    settings: settings.retrieve,
  });
  const owned = (run: Run) => {
    const principal = access.principal(run);
    return principal.kind === "owner" ? undefined : principal;
  };

  const inStep: StepParts = {
    rawStore: parts.store,
    settings,
    programVersion,
    registry,
    documents,
    collections,
    shadows,
    runs,
    embedders,
    cache,
    store,
    access,
  };

  const conversation = lazy(async () => {
    const { openConversation } = await import("./ask/conversation.ts");
    return openConversation({
      ...parts,
      access,
      documents,
      permissions,
      runs,
      retrieval,
      vectors,
      vectorsOf: (id) => openTextVectors(embedders.of(id), cache),
      embedder: vectors.embedder,
      store,
      resolve(request, run) {
        if (request.collections.length > 0) access.chosen(run, null, request.collections);
        return withDocuments(request, run);
      },
    });
  });

  /** Documents named by id, beginning of an id, name or path become ids; those that may not be read fall away. @throws NOT_FOUND when none is left */
  const withDocuments = <T extends Pick<SearchRequest, "documents">>(request: T, run: Run): T => {
    const names = access.allowed(run, null, "read").collections;
    if (request.documents === undefined || names.length === 0) return request;
    const visible = documents.latest(names);
    const known = new Set(visible.flatMap(({ id, name, path }) => [id, name, path]));
    const there = request.documents.filter((reference) => known.has(reference));
    const wanted = there.length > 0 ? there : request.documents;
    return { ...request, documents: wanted.map((reference) => documentByReference(reference, visible).id) };
  };

  /** Collections that may be read; null for the owner, who reads all. */
  const readableBy = (run: Run): ReadonlySet<string> | null =>
    access.principal(run).kind === "owner" ? null : new Set(access.allowed(run, null, "read").collections);

  const app: Omit<App, typeof Symbol.asyncDispose> & RunLogs = {
    ...openLibrary({ documents, collections, access, store }),
    async *ingest(request, run) {
      access.writable(run, { name: request.collection, instance: request.instance });
      const { ingestFiles } = await import("./documents/ingest.ts");
      yield* ingestFiles(request, inStep, run);
    },
    search: async (request, run) => retrieval.search(withDocuments(request, run), run),
    async *ask(request, run) {
      yield* (await conversation()).ask(withDocuments(request, run), run);
    },
    runRecords(limit, run) {
      const of = owned(run);
      const readable = readableBy(run);
      return runs
        .list({ limit, ...(of === undefined ? {} : { of }) })
        .map((record) => runView(record, readable));
    },
    runRecord: (reference, run) => runView(runs.get(reference, owned(run)), readableBy(run)),
  };
  const reading = async (reference: string, run: Run) => {
    const { document } = await app.show(reference, run);
    const { readingOf } = await import("./engines/reading.ts");
    return readingOf(document, settings, await cache(), run);
  };
  const placement = (name: string) => placementOf(name, { collections, profiles: openProfiles(registry) });
  return {
    app,
    conversation,
    placement,
    reading,
    access,
    retrieval,
    documents,
    collections,
    runs,
    principals,
    permissions,
    decisions,
    inStep,
  };
}

export type Core = ReturnType<typeof openCore>;
