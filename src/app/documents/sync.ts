import { lstat } from "node:fs/promises";
import { sep } from "node:path";
import type { IngestEvent, IngestRequest } from "../../core/app.ts";
import type { SyncRequest } from "../../core/documents/sync.ts";
import { RagctlError } from "../../core/errors.ts";
import { plural } from "../../core/plural.ts";
import type { Run } from "../../core/run.ts";
import { failureReport } from "../../pipeline/ingest/file-report.ts";
import { listSources } from "../../pipeline/ingest/read.ts";
import { createIngestScope } from "../../pipeline/ingest/scope.ts";
import { planSync, type SyncPlan } from "../../pipeline/ingest/sync.ts";
import { createSourceRepository } from "../../registry/documents/folders.ts";
import { createSeenFileRepository, type SeenFiles } from "../../registry/documents/seen-files.ts";
import type { SyncReport } from "../../shapes/documents.ts";
import type { Home } from "../home.ts";
import { type CollectionWork, recordWork } from "../records.ts";
import { ingestFiles, ingestFingerprint, type OpenedIngest, openIngest } from "./ingest.ts";
import { type ResolvedSource, resolveSource, withFetchedNames } from "./source.ts";

/** A file that is not unchanged. */
export type SyncFile = SyncReport["files"][number];

export type SyncEvent =
  | Extract<IngestEvent, { type: "file-end" }>
  | { readonly type: "document-moved"; readonly file: SyncFile }
  | { readonly type: "document-deleted"; readonly file: SyncFile }
  | { readonly type: "sync-end"; readonly report: SyncReport };

export type WatchEvent =
  | SyncEvent
  | { readonly type: "watch-ready"; readonly folder: string; readonly collection: string }
  /**
   * A sync that failed as a whole; the watch continues and retries with the next change, or after a pause.
   */
  | { readonly type: "sync-failed"; readonly code: string; readonly message: string };

/** A sync on its way: what it does, with what, and what it did so far. */
interface Sync {
  readonly source: ResolvedSource;
  readonly request: SyncRequest;
  readonly opened: OpenedIngest;
  readonly seen: SeenFiles;
  readonly home: Home;
  readonly run: Run;
  readonly files: SyncFile[];
  readonly counts: { -readonly [K in keyof SyncReport["counts"]]: number };
}

type PlannedFile = SyncPlan["changed"][number];
type IngestedFile = Extract<IngestEvent, { readonly type: "file-end" }>["file"];
type PlannedDocument = SyncPlan["deleted"][number];

/**
 * Brings the collection in step with the folder; killed at any moment, the next call ends in the same state.
 */
export async function* syncFolder(request: SyncRequest, home: Home, run: Run): AsyncGenerator<SyncEvent> {
  const startedMs = performance.now();
  const source = await resolveSource(request, home, run);
  const { folder, collection, instance, department } = source;
  await home.access.writable(run, { name: collection, instance });
  const sources = createSourceRepository(home.registry);
  const seen = createSeenFileRepository(home.registry);
  await using opened = await openIngest({ paths: [folder], collection, instance, department }, home, run);
  const sync: Sync = { source, request, opened, seen, home, run, files: [], counts: { ...noCounts } };
  const plan = await makePlan(sync);
  sync.counts.unchanged = plan.unchanged;
  sync.counts.hashed = plan.hashed;
  sync.files.push(...plan.failedBefore.map(failedAgain));
  if (request.dryRun === true) {
    sync.files.push(...(await preview(plan, sync)));
    yield { type: "sync-end", report: reportOf(sync, [], startedMs) };
    return;
  }
  await sources.put(source);
  await seen.put(
    collection,
    plan.confirmed.flatMap((file) => seenNow(file, sync)),
  );
  // An ingest leaves its row by itself.
  const isIngest = plan.moved.length + plan.deleted.length === 0;
  const phases = yield* isIngest ? applyPlan(plan, sync) : recordedPlan(plan, sync);
  await sources.synced(folder, collection);
  yield { type: "sync-end", report: reportOf(sync, phases, startedMs) };
}

async function* applyPlan(
  plan: SyncPlan,
  sync: Sync,
  keep?: OpenedIngest["keep"],
): AsyncGenerator<SyncEvent, SyncReport["phases"]> {
  const notMoved = yield* moveDocuments(plan.moved, sync);
  const changed = [...plan.changed, ...notMoved.map(({ file }) => file)];
  const phases = yield* ingestChanged(changed, plan.failures, sync, keep);
  yield* deleteDocuments([...plan.deleted, ...notMoved.map(({ document }) => document)], sync);
  await sweep(sync);
  return phases;
}

/** Leaves one row, which counts moved, deleted and ingested documents. */
function recordedPlan(plan: SyncPlan, sync: Sync): ReturnType<typeof applyPlan> {
  const { source, files, home, run } = sync;
  let ingested: CollectionWork = { ...source, counts: {} };
  const count = (wanted: SyncFile["state"]): number => files.filter(({ state }) => state === wanted).length;
  const sofar = (): CollectionWork => {
    const { collection, department, model = "", provider = "", phases = [], files = [], counts } = ingested;
    const beside = { moved: count("moved"), deleted: count("deleted") };
    return { collection, department, model, provider, phases, files, counts: { ...counts, ...beside } };
  };
  const work = applyPlan(plan, sync, async (row) => {
    ingested = row;
  });
  return recordWork(work, sofar, home, run);
}

const noCounts: Sync["counts"] = {
  added: 0,
  updated: 0,
  moved: 0,
  deleted: 0,
  skipped: 0,
  failed: 0,
  unchanged: 0,
  hashed: 0,
  chunks: 0,
  embeddedFromCache: 0,
};

function reportOf(
  { source, request, run, files, counts }: Sync,
  phases: SyncReport["phases"],
  startedMs: number,
): SyncReport {
  for (const file of files) counts[file.state]++;
  return {
    runId: run.id,
    folder: source.address || source.folder,
    collection: source.collection,
    dryRun: request.dryRun === true,
    files,
    counts,
    phases,
    durationMs: performance.now() - startedMs,
  };
}

function syncFile(
  { path, name }: { readonly path: string; readonly name: string },
  state: SyncFile["state"],
  from = "",
): SyncFile {
  return { path, name, state, code: "", reason: "", chunks: 0, from };
}

/** A file that failed in an earlier sync and is unchanged. */
function failedAgain({ path, name, outcome, code, reason }: SyncPlan["failedBefore"][number]): SyncFile {
  return {
    ...syncFile({ path, name }, outcome === "skipped" ? "skipped" : "failed"),
    code,
    reason: `${reason}; failed before and unchanged, --verify retries it`,
  };
}

/** The changes that a sync would make. */
async function preview(plan: SyncPlan, { home, source }: Sync): Promise<readonly SyncFile[]> {
  const existing = new Set((await home.documents.latest([source.collection])).map(({ path }) => path));
  return [
    ...plan.changed.map((file) => syncFile(file, existing.has(file.path) ? "updated" : "added")),
    ...plan.failures.map((failure) => {
      const { path, name, state, code, reason } = failureReport(failure);
      return { ...syncFile({ path, name }, state === "skipped" ? "skipped" : "failed"), code, reason };
    }),
    ...plan.moved.map(({ document, file }) => syncFile(file, "moved", document.path)),
    ...plan.deleted.map((document) => syncFile(document, "deleted")),
  ];
}

/** Gives documents the paths their files have now; returns those whose new path is another document's. */
async function* moveDocuments(
  moved: SyncPlan["moved"],
  sync: Sync,
): AsyncGenerator<SyncEvent, readonly SyncPlan["moved"][number][]> {
  const { home, run, seen, files } = sync;
  const { collection } = sync.source;
  const notMoved: SyncPlan["moved"][number][] = [];
  for (const move of moved) {
    const { document, file } = move;
    run.signal.throwIfAborted();
    if (!(await home.documents.move(document.id, file.path, file.name))) {
      notMoved.push(move);
      continue;
    }
    await seen.drop(collection, document.path);
    await seen.put(collection, seenNow(file, sync));
    const report = syncFile(file, "moved", document.path);
    files.push(report);
    yield { type: "document-moved", file: report };
  }
  return notMoved;
}

/** Ingests new and changed files; files that could not even be read are reported with them. */
async function* ingestChanged(
  changed: readonly PlannedFile[],
  failures: SyncPlan["failures"],
  sync: Sync,
  keep: OpenedIngest["keep"],
): AsyncGenerator<SyncEvent, SyncReport["phases"]> {
  const { folder, collection, instance, department } = sync.source;
  const total = changed.length + failures.length;
  if (total === 0) return [];
  const flow = async function* () {
    yield* failures;
    yield* changed;
  };
  const own = keep === undefined ? {} : { keep };
  const drivers = { ...sync.opened, ...own, files: async () => ({ total, flow: flow() }) };
  const { metadata } = sync.request;
  const given = metadata === undefined ? {} : { metadata };
  const request: IngestRequest = { paths: [folder], collection, instance, department, ...given };
  let phases: SyncReport["phases"] = [];
  for await (const event of ingestFiles(request, sync.home, sync.run, drivers)) {
    if (event.type === "ingest-end") {
      phases = event.report.phases;
      sync.counts.chunks = event.report.counts.chunks;
      sync.counts.embeddedFromCache = event.report.counts.embeddedFromCache;
    } else if (event.type === "file-end") {
      note(event.file, sync);
      yield event;
    }
  }
  return phases;
}

function note(file: IngestedFile, { counts, files, run }: Sync): void {
  if (file.state !== "unchanged") {
    files.push({ ...file, state: file.state, from: "" });
    return;
  }
  counts.unchanged++;
  if (file.reason !== "") run.log.warn(`${file.name}: ${file.reason}`);
}

async function* deleteDocuments(
  documents: readonly PlannedDocument[],
  { home, run, seen, files, source }: Sync,
): AsyncGenerator<SyncEvent> {
  for (const document of documents) {
    run.signal.throwIfAborted();
    await home.documents.forget(document.id);
    await seen.drop(source.collection, document.path);
    const report = syncFile(document, "deleted");
    files.push(report);
    yield { type: "document-deleted", file: report };
  }
}

/** Removes chunks that no document needs from the store. */
async function sweep({ opened, source }: Sync): Promise<void> {
  const stale = await opened.ledger.stale(source.collection);
  if (stale.length === 0) return;
  await opened.discard(stale);
  await opened.ledger.removed(stale);
}

function seenNow(file: PlannedFile, { opened, source }: Sync) {
  if (file.stamp === undefined) return [];
  return [
    {
      path: file.path,
      ...file.stamp,
      sha256: file.sha256,
      fingerprint: ingestFingerprint(opened.fingerprint, source.department),
      outcome: "ready" as const,
      code: "",
      reason: "",
      seenAtMs: Date.now(),
    },
  ];
}

/** The refusal to sync a folder without matching files whose documents are in the registry. */
function emptyFolder({ folder, include, exclude }: Sync["source"], documents: number): RagctlError {
  const patterns = [
    ...include.map((pattern) => `--include ${pattern}`),
    ...exclude.map((pattern) => `--exclude ${pattern}`),
  ];
  if (patterns.length === 0)
    return new RagctlError(
      "USAGE_INVALID",
      `${folder} is empty; this would delete ${plural(documents, "document")}`,
      { hint: "check that it is mounted; to continue, pass --allow-empty" },
    );
  return new RagctlError(
    "USAGE_INVALID",
    `no file in ${folder} matches ${patterns.join(" ")}; this would delete ${plural(documents, "document")}`,
    { hint: "correct the patterns, or check that the folder is mounted; to continue, pass --allow-empty" },
  );
}

async function makePlan({ source, request, opened, seen, home, run }: Sync): Promise<SyncPlan> {
  const { folder, collection, department, include, exclude } = source;
  const below = folder.endsWith(sep) ? folder : folder + sep;
  const limits = { maxBytes: home.settings.parse.maxBytes, refuse: await home.access.refusal(run) };
  const options = { cwd: folder, ...limits, scope: createIngestScope({ include, exclude }) };
  const files = await listSources([folder], options, run.signal);
  const documents = (await home.documents.latest([collection])).filter(({ path }) => path.startsWith(below));
  if (files.length === 0 && documents.length > 0 && request.allowEmpty !== true)
    throw emptyFolder(source, documents.length);
  // Lost contents count as not ingested: their files are ingested again.
  const lost = await opened.lost.among(documents);
  const fingerprintOf = (document: (typeof documents)[number]): string =>
    lost.has(document.versionId) ? "" : ingestFingerprint(document.fingerprint, document.department);
  const plan = await planSync(
    files,
    {
      known: documents.map((document) => ({ ...document, fingerprint: fingerprintOf(document) })),
      seen: await seen.below(collection, below),
      fingerprint: ingestFingerprint(opened.fingerprint, department),
      verify: request.verify === true,
      again: request.again !== false,
      deleteExcluded: request.deleteExcluded === true,
      gone: isGone,
    },
    run,
  );
  return source.fetched === undefined ? plan : withFetchedNames(plan, source.fetched, folder);
}

/** Whether there is nothing at a path, or what is no document itself: a folder, a link. */
const isGone = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory() || stats.isSymbolicLink(),
    ({ code }: NodeJS.ErrnoException) => code === "ENOENT" || code === "ENOTDIR",
  );
