import type { Job } from "../../core/documents/queue.ts";
import type { ReembedReport } from "../../core/documents/reembed.ts";
import type { SyncFile, SyncReport } from "../../core/documents/sync.ts";
import type {
  DocumentDiff,
  DocumentHistory,
  DuplicateReport,
  PruneReport,
} from "../../core/documents/versions.ts";
import { documentShape, phaseShape, schemaVersion } from "./shapes.ts";

function syncFileShape({ path, name, state, from, code, reason, chunks }: SyncFile) {
  return { path, name, state, from, code, reason, chunks };
}

/** sync.schema.json: `report` is the document, `file` one member of its `files`. */
export const syncShape = {
  file: syncFileShape,
  report({ runId, folder, collection, dryRun, files, counts, phases, durationMs }: SyncReport) {
    const { embeddedFromCache, ...sums } = counts;
    return {
      ...{ schema_version: schemaVersion, run_id: runId, folder, collection, dry_run: dryRun },
      files: files.map(syncFileShape),
      counts: { ...sums, embedded_from_cache: embeddedFromCache },
      phases: phases.map(phaseShape),
      duration_ms: durationMs,
    };
  },
};

/** A folder and its collection. */
export interface SourceView {
  readonly folder: string;
  readonly collection: string;
  readonly instance: string;
  readonly department: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly syncedAt: string | null;
}

/** sources.schema.json. */
export function sourcesShape(sources: readonly SourceView[]) {
  return {
    schema_version: schemaVersion,
    sources: sources.map(({ syncedAt, folder, collection, instance, department, include, exclude }) => {
      return { folder, collection, instance, department, include, exclude, synced_at: syncedAt };
    }),
  };
}

/** history.schema.json. */
export function historyShape({ document, versions }: DocumentHistory) {
  return {
    schema_version: schemaVersion,
    document: documentShape(document),
    versions: versions.map(
      ({ version, isLatest, kept, sha256, sizeBytes, name, path, pages, chunks, origin, at }) => {
        return {
          version,
          is_latest: isLatest,
          kept,
          sha256,
          size_bytes: sizeBytes,
          name,
          path,
          pages,
          chunks,
          origin,
          at,
        };
      },
    ),
  };
}

/** diff.schema.json. */
export function diffShape({ document, from, to, added, removed, patch }: DocumentDiff) {
  return {
    schema_version: schemaVersion,
    document: documentShape(document),
    from,
    to,
    added,
    removed,
    patch,
  };
}

/** prune.schema.json. */
export function pruneShape({ dryRun, versions }: PruneReport) {
  return {
    schema_version: schemaVersion,
    dry_run: dryRun,
    versions: versions.map(({ documentId, collection, name, version, chunks }) => ({
      document_id: documentId,
      collection,
      name,
      version,
      chunks,
    })),
  };
}

/** duplicates.schema.json. */
export function duplicatesShape({ exact, near }: DuplicateReport) {
  return { schema_version: schemaVersion, exact, near };
}

/** reembed.schema.json. */
export function reembedShape({
  collection,
  from,
  to,
  contents,
  chunks,
  embeddedFromCache,
  truncated,
  phases,
  durationMs,
}: ReembedReport) {
  return {
    ...{ schema_version: schemaVersion, collection, from, to, contents, chunks, truncated },
    ...{ embedded_from_cache: embeddedFromCache, phases: phases.map(phaseShape), duration_ms: durationMs },
  };
}

/** One member of `jobs` in jobs.schema.json. */
export function jobShape({ progress, ...job }: Job) {
  const { files, totalFiles, pages, chunks, failed, etaMs } = progress;
  return {
    id: job.id,
    document_path: job.documentPath,
    department: job.department,
    target_collection: job.targetCollection,
    instance: job.instance,
    principal: job.principal,
    priority: job.priority,
    timestamp: job.timestamp,
    state: job.state,
    attempts: job.attempts,
    worker: job.worker,
    not_before: job.notBefore,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    error: job.error,
    progress: { files, total_files: totalFiles, pages, chunks, failed, eta_ms: etaMs },
  };
}

/** jobs.schema.json. */
export function jobsShape(jobs: readonly Job[]) {
  return { schema_version: schemaVersion, jobs: jobs.map(jobShape) };
}
