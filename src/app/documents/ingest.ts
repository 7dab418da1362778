import type { Cache } from "../../cache/cache.ts";
import type { Settings } from "../../config/settings.ts";
import type { IngestEvent, IngestRequest } from "../../core/app.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import type { Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { openChunker } from "../../drivers/chunkers/table.ts";
import { documentTitle } from "../../pipeline/ingest/chunk.ts";
import { type IngestDrivers, type IngestTally, ingest } from "../../pipeline/ingest/ingest.ts";
import { listSources, readSources } from "../../pipeline/ingest/read.ts";
import type { Database } from "../../registry/database.ts";
import type { Collections } from "../../registry/documents/collections.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import { openSeenFiles } from "../../registry/documents/seen-files.ts";
import type { ShadowStores } from "../../registry/documents/shadow-stores.ts";
import type { Runs } from "../../registry/history/runs.ts";
import type { Access } from "../access.ts";
import type { Embedders } from "../engines/embedders.ts";
import {
  declaredExtensions,
  openSourceReaders,
  parseCached,
  readingFingerprint,
} from "../engines/parsers.ts";
import { ingestRecord, unfinishedIngest } from "../records.ts";
import { seenLedger } from "./ledger.ts";
import { lostOrNone } from "./lost.ts";

/** Names of what ragctl itself keeps in a store: messages of rooms, and collections that are being embedded anew. */
const reserved = /^(?:audit_)?chat_messages|__/;

/** What everything needs that changes what is stored. */
export interface StepParts {
  readonly settings: Settings;
  readonly programVersion: string;
  readonly registry: Database;
  readonly documents: Documents;
  readonly collections: Collections;
  readonly shadows: ShadowStores;
  readonly runs: Pick<Runs, "record">;
  readonly embedders: Embedders;
  readonly cache: () => Promise<Cache>;
  /** By the names stores have inside an instance. */
  readonly rawStore: (instance: Instance) => Promise<VectorStore>;
  /** By the names of collections. */
  readonly store: (instance: Instance) => Promise<VectorStore>;
  readonly access: Access;
}

/** What an ingest into one collection needs. */
export interface OpenedIngest extends IngestDrivers, AsyncDisposable {
  /** Contents that the registry shows and the store does not hold: their files are taken again. */
  readonly lost: ReadonlySet<string>;
}

/**
 * Opens what an ingest into the request's collection needs; model and store come with the first document that is not known.
 * A collection that is there keeps its model. @throws FINGERPRINT_MISMATCH, USAGE_INVALID
 */
export async function openIngest(
  request: IngestRequest,
  parts: StepParts,
  run: Pick<Run, "signal">,
): Promise<OpenedIngest> {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(request.collection) || reserved.test(request.collection)) {
    throw new RagctlError("USAGE_INVALID", `"${request.collection}" cannot name a collection`, {
      hint: "use a lowercase letter, then up to 62 lowercase letters, digits and underscores; chat_messages… and __ are kept for ragctl itself",
    });
  }
  const { settings, collections, documents } = parts;
  const known = collections.find(request.collection);
  const facts = await parts.embedders.facts(known?.embedder);
  const { id, maxTokens: modelTokens, ...spec } = facts;
  const record = { ...spec, name: request.collection, instance: request.instance, embedder: id };
  collections.check(record);
  const storeName = known?.storeName ?? request.collection;
  const shown = known === undefined ? [] : documents.latest([request.collection]);
  const lost =
    shown.length === 0
      ? new Set<string>()
      : await lostOrNone(request.collection, shown, lazyStore(request.instance, parts));
  const cache = await parts.cache();
  const pool = openSourceReaders(settings);
  const maxTokens = Math.min(settings.chunk.maxTokens, modelTokens);
  const chunker = await openChunker(settings.chunk.preset, {
    maxTokens,
    minTokens: Math.min(settings.chunk.minTokens, maxTokens / 2),
    titleOf: documentTitle,
  });
  return {
    files: async ({ paths }, run) => {
      const options = {
        cwd: process.cwd(),
        maxBytes: settings.parse.maxBytes,
        refuse: parts.access.refusal(run),
      };
      const found = await listSources(paths, options, run.signal);
      return { total: found.length, flow: readSources(found, run, declaredExtensions(settings)) };
    },
    parse: (file, signal) => parseCached(file, settings, cache, () => pool.parse(file, signal)),
    parseAhead: settings.parse.workers + 1,
    chunker,
    fingerprint: `${spec.fingerprint}/${chunker.id}/${readingFingerprint(settings)}`,
    model: { id, fingerprint: spec.fingerprint },
    embedder: parts.embedders.of(id),
    cache: cache.embeddings,
    // Pinned to the store of now: the registry refuses what was written to one that was replaced meanwhile.
    vectors: lazy(async () => {
      const store = await parts.rawStore(request.instance);
      await store.ensure({ ...spec, name: storeName }, run.signal);
      // Only now: a collection is known when there is a store behind its name, else it could not be searched.
      collections.ensure(record);
      return { ...store, write: (_, chunks) => store.write(storeName, chunks) };
    }),
    discard: async (contentIds) => {
      if (collections.find(request.collection) === undefined) return;
      await (await parts.store(request.instance)).delete(request.collection, {
        field: "versionId",
        in: contentIds,
      });
    },
    ledger: seenLedger(documents, openSeenFiles(parts.registry), storeName, lost),
    lost,
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** The store of an instance, opened by the first count. */
function lazyStore(instance: Instance, parts: Pick<StepParts, "store">): Pick<VectorStore, "count"> {
  return { count: async (collection, filter) => (await parts.store(instance)).count(collection, filter) };
}

/**
 * Ingests and records the run, however it ends; `opened` is used where the caller has what is needed already.
 * @throws PERMISSION_DENIED for a path the run's principal may not ingest
 */
export async function* ingestFiles(
  request: IngestRequest,
  parts: StepParts,
  run: Run,
  opened?: OpenedIngest,
): AsyncGenerator<IngestEvent> {
  for (const path of request.paths) parts.access.source(run, path);
  const timing = { startedAt: new Date(), programVersion: parts.programVersion };
  // A principal may be named by its id or in another case; its runs are found by its name.
  const recorded: Run = { ...run, principal: parts.access.principal(run).name };
  const own = opened === undefined ? await openIngest(request, parts, run) : undefined;
  const drivers = opened ?? own;
  if (drivers === undefined) return;
  let tally: IngestTally = { files: [], phases: [], peakRssBytes: 0 };
  let failure: RagctlError | undefined;
  let whole = false;
  try {
    for await (const event of ingest(request, drivers, run, (end) => {
      tally = end;
    })) {
      if (event.type === "ingest-end") {
        whole = true;
        parts.runs.record(ingestRecord(event.report, request, recorded, timing));
      }
      yield event;
    }
  } catch (error) {
    failure = asRagctlError(error);
    throw error;
  } finally {
    await own?.[Symbol.asyncDispose]();
    if (!whole)
      parts.runs.record(
        unfinishedIngest(tally, failure, request, recorded, { ...timing, model: drivers.model.id }),
      );
  }
}
