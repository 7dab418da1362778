import { lstat } from "node:fs/promises";
import { sep } from "node:path";
import type { IngestRequest } from "../../core/app.ts";
import { counted } from "../../core/counted.ts";
import type { SyncEvent, SyncFile, SyncReport, SyncRequest } from "../../core/documents/sync.ts";
import { RagctlError } from "../../core/errors.ts";
import { defaultCollection } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { listSources } from "../../pipeline/ingest/read.ts";
import { openScope } from "../../pipeline/ingest/scope.ts";
import { planSync, type SyncPlan } from "../../pipeline/ingest/sync.ts";
import { openProfiles } from "../../registry/company/profiles.ts";
import { openSources, type Source } from "../../registry/documents/folders.ts";
import { openSeenFiles, type SeenFiles } from "../../registry/documents/seen-files.ts";
import { realFolder, visibleSource } from "./folders.ts";
import { ingestFiles, type OpenedIngest, openIngest, type StepParts } from "./ingest.ts";
import { seenFingerprint } from "./ledger.ts";
import { placementOf } from "./placement.ts";

/**
 * The request completed by the folder's mapping, of those to collections the run's principal may read.
 * @throws PERMISSION_DENIED for a folder it may not ingest, USAGE_INVALID when the folder has several and none is named
 */
export async function resolveSource(
  request: SyncRequest,
  parts: StepParts,
  run: Run,
): Promise<Omit<Source, "syncedAt">> {
  parts.access.source(run, request.folder);
  const folder = await realFolder(request.folder);
  const visible = visibleSource(parts, run);
  const mapped = openSources(parts.registry).of(folder).filter(visible);
  if (request.collection === undefined && mapped.length > 1) {
    throw new RagctlError(
      "USAGE_INVALID",
      `${folder} is kept in step with ${mapped.map((each) => each.collection).join(" and ")}`,
      {
        hint: "name one with --collection",
      },
    );
  }
  const known =
    mapped.find((each) => each.collection === request.collection) ??
    (request.collection === undefined ? mapped[0] : undefined);
  const collection = request.collection ?? known?.collection ?? defaultCollection;
  const placed = placementOf(collection, {
    collections: parts.collections,
    profiles: openProfiles(parts.registry),
  });
  return {
    folder,
    collection,
    instance: request.instance ?? known?.instance ?? placed.instance,
    department: request.department ?? known?.department ?? placed.department,
    include: request.include ?? known?.include ?? [],
    exclude: request.exclude ?? known?.exclude ?? [],
  };
}

/** Brings the collection in step with the folder; killed at any moment, the next call ends in the same state. */
export async function* syncFolder(
  request: SyncRequest,
  parts: StepParts,
  run: Run,
): AsyncGenerator<SyncEvent> {
  const startedMs = performance.now();
  const source = await resolveSource(request, parts, run);
  const { folder, collection, instance, department } = source;
  parts.access.writable(run, { name: collection, instance });
  const sources = openSources(parts.registry);
  const seen = openSeenFiles(parts.registry);
  const ingestRequest: IngestRequest = { paths: [folder], collection, instance, department };
  await using opened = await openIngest(ingestRequest, parts, run);
  const plan = await makePlan(source, request, opened, seen, parts, run);
  if (request.dryRun !== true) sources.put(source);

  const files: SyncFile[] = [];
  const moves = plan.moved.map(({ document, file }) => ({
    document,
    file,
    report: syncFile(file, "moved", document.path),
  }));
  const deletes = plan.deleted.map((document) => ({ document, report: syncFile(document, "deleted") }));
  const counts = { ...noCounts, unchanged: plan.unchanged, hashed: plan.hashed };
  const end = (phases: SyncReport["phases"]): SyncEvent => {
    for (const file of files) counts[file.state]++;
    const durationMs = performance.now() - startedMs;
    return {
      type: "sync-end",
      report: {
        runId: run.id,
        folder,
        collection,
        dryRun: request.dryRun === true,
        files,
        counts,
        phases,
        durationMs,
      },
    };
  };
  for (const { path, name, outcome, code, reason } of plan.failedBefore) {
    const again = `${reason}; it was not touched since and is tried again with --verify`;
    files.push({
      ...syncFile({ path, name }, outcome === "skipped" ? "skipped" : "failed"),
      code,
      reason: again,
    });
  }
  if (request.dryRun === true) {
    const known = new Set(parts.documents.latest([collection]).map((document) => document.path));
    files.push(...plan.changed.map((file) => syncFile(file, known.has(file.path) ? "updated" : "added")));
    files.push(
      ...plan.failures.map(({ name, path = name, error }) => ({
        ...syncFile({ path, name }, "failed"),
        code: error.code,
        reason: error.message,
      })),
    );
    files.push(...moves.map(({ report }) => report), ...deletes.map(({ report }) => report));
    yield end([]);
    return;
  }

  seen.put(
    collection,
    plan.confirmed.flatMap((file) => seenNow(file, opened, department)),
  );
  const notMoved = [];
  for (const { document, file, report } of moves) {
    run.signal.throwIfAborted();
    if (parts.documents.move(document.id, file.path, file.name)) {
      seen.drop(collection, [document.path]);
      seen.put(collection, seenNow(file, opened, department));
      files.push(report);
      yield { type: "document-moved", file: report };
    } else {
      notMoved.push(file);
      deletes.push({ document, report: syncFile(document, "deleted") });
    }
  }
  let phases: SyncReport["phases"] = [];
  const changed = [...plan.changed, ...notMoved];
  if (changed.length + plan.failures.length > 0) {
    const flow = async function* () {
      yield* plan.failures;
      yield* changed;
    };
    const drivers = {
      ...opened,
      files: async () => ({ total: changed.length + plan.failures.length, flow: flow() }),
    };
    for await (const event of ingestFiles(ingestRequest, parts, run, drivers)) {
      if (event.type === "ingest-end") {
        phases = event.report.phases;
        counts.chunks = event.report.counts.chunks;
        counts.embeddedFromCache = event.report.counts.embeddedFromCache;
      } else {
        if (event.file.state === "unchanged") {
          counts.unchanged++;
          if (event.file.reason !== "") run.log.warn(`${event.file.name}: ${event.file.reason}`);
        } else files.push({ ...event.file, state: event.file.state, from: "" });
        yield event;
      }
    }
  }
  for (const { document, report } of deletes) {
    run.signal.throwIfAborted();
    parts.documents.forget(document.id);
    seen.drop(collection, [document.path]);
    files.push(report);
    yield { type: "document-deleted", file: report };
  }
  const stale = parts.documents.stale(collection);
  if (stale.length > 0) {
    await opened.discard(stale);
    parts.documents.removed(stale);
  }
  sources.synced(folder, collection);
  yield end(phases);
}

const noCounts = {
  ...{ added: 0, updated: 0, moved: 0, deleted: 0, skipped: 0, failed: 0 },
  ...{ unchanged: 0, hashed: 0, chunks: 0, embeddedFromCache: 0 },
};

function syncFile(
  { path, name }: { readonly path: string; readonly name: string },
  state: SyncFile["state"],
  from = "",
): SyncFile {
  return { path, name, state, code: "", reason: "", chunks: 0, from };
}

function seenNow(file: SyncPlan["changed"][number], opened: OpenedIngest, department: string) {
  if (file.stamp === undefined) return [];
  const fingerprint = seenFingerprint(opened.fingerprint, department);
  return [
    {
      path: file.path,
      ...file.stamp,
      sha256: file.sha256,
      fingerprint,
      outcome: "ready" as const,
      code: "",
      reason: "",
      seenAtMs: Date.now(),
    },
  ];
}

async function makePlan(
  { folder, collection, department, include, exclude }: Omit<Source, "syncedAt">,
  request: SyncRequest,
  opened: OpenedIngest,
  seen: SeenFiles,
  parts: StepParts,
  run: Run,
): Promise<SyncPlan> {
  const below = folder.endsWith(sep) ? folder : folder + sep;
  const limits = { maxBytes: parts.settings.parse.maxBytes, refuse: parts.access.refusal(run) };
  const options = { cwd: folder, ...limits, scope: openScope({ include, exclude }) };
  const found = await listSources([folder], options, run.signal);
  const known = parts.documents.latest([collection]).filter((document) => document.path.startsWith(below));
  if (found.length === 0 && known.length > 0 && request.allowEmpty !== true) {
    throw new RagctlError(
      "USAGE_INVALID",
      `${folder} holds no file, and ${counted(known.length, "document")} of it would be deleted`,
      {
        hint: "check that it is mounted; --allow-empty goes on",
      },
    );
  }
  return planSync(
    found,
    {
      // What the store lost went through nothing that counts: its file is taken again.
      known: known.map((document) => ({
        ...document,
        fingerprint: opened.lost.has(document.versionId)
          ? ""
          : seenFingerprint(document.fingerprint, document.department),
      })),
      seen: seen.below(collection, below),
      fingerprint: seenFingerprint(opened.fingerprint, department),
      verify: request.verify === true,
      again: request.again !== false,
      deleteExcluded: request.deleteExcluded === true,
      gone: async (path) => {
        const error = await lstat(path).then(
          () => undefined,
          (thrown: NodeJS.ErrnoException) => thrown.code,
        );
        return error === "ENOENT" || error === "ENOTDIR";
      },
    },
    run,
  );
}
