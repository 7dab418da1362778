import { resolve } from "node:path";
import type { DocumentSummary, IngestRequest } from "../../core/app.ts";
import { sameName } from "../../core/decide.ts";
import type { Job, JobState, Queue, WorkerEvent } from "../../core/documents/queue.ts";
import type { ReembedEvent, ReembedRequest } from "../../core/documents/reembed.ts";
import { documentByReference } from "../../core/documents/reference.ts";
import type { SyncEvent, SyncRequest, WatchEvent } from "../../core/documents/sync.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { openSources, type Source } from "../../registry/documents/folders.ts";
import { openJobs } from "../../registry/history/jobs.ts";
import { realFolder, visibleSource } from "./folders.ts";
import type { StepParts } from "./ingest.ts";
import type { WorkerOptions } from "./jobs.ts";
import { openVersionsDoor, type VersionsDoor } from "./versions.ts";

/** Keeping collections in step with folders, versions of documents, new vectors, and work in the background. */
export interface InStep extends VersionsDoor {
  sync(request: SyncRequest, run: Run): AsyncIterable<SyncEvent>;
  watch(request: SyncRequest, run: Run): AsyncIterable<WatchEvent>;
  /** The folders that are kept in step, of collections that may be read. */
  sources(run: Run): readonly Source[];
  /** Forgets that a folder is kept in step; its documents stay. @throws NOT_FOUND */
  removeSource(folder: string, run: Run): Promise<void>;
  reembed(request: ReembedRequest, run: Run): AsyncIterable<ReembedEvent>;
  /** One job a path; the collection may be `auto`. */
  enqueue(request: IngestRequest & { readonly priority: number }, run: Run): Promise<readonly Job[]>;
  jobs(states: readonly JobState[], limit: number, run: Run): Promise<readonly Job[]>;
  job(reference: string, run: Run): Promise<Job>;
  cancelJob(reference: string, run: Run): Promise<Job>;
  retryJob(reference: string, run: Run): Promise<Job>;
  work(options: WorkerOptions, run: Run): AsyncIterable<WorkerEvent>;
}

/** Opens what keeps in step; `documents` lists what the run's principal may read. */
export function openInStep(
  parts: StepParts,
  documents: (run: Run) => Promise<readonly DocumentSummary[]>,
): InStep {
  const queue: Queue = openJobs(parts.registry, {
    maxAttempts: parts.settings.queue.maxAttempts,
    backOffMs: parts.settings.queue.backOffMs,
  });
  const sources = openSources(parts.registry);
  /** Jobs of somebody else do not exist for anyone but the owner; nor do those of an earlier principal of the name. */
  const visible = (run: Run): ((job: Job) => boolean) => {
    const { kind, name, createdAt } = parts.access.principal(run);
    return (job) => kind === "owner" || (sameName(job.principal, name) && job.timestamp >= createdAt);
  };
  const listed = async (states: readonly JobState[], run: Run): Promise<readonly Job[]> =>
    (await queue.list(states, Number.MAX_SAFE_INTEGER)).filter(visible(run));
  const own = async (reference: string, run: Run): Promise<Job> => {
    if (parts.access.principal(run).kind === "owner") return queue.get(reference);
    const fits = (await listed([], run)).filter(
      ({ id }) => id === reference || (reference.length >= 4 && id.startsWith(reference)),
    );
    const [job] = fits;
    if (job !== undefined && fits.length === 1) return job;
    const message = job === undefined ? `there is no job "${reference}"` : `"${reference}" fits several jobs`;
    throw new RagctlError("NOT_FOUND", message, { hint: "ragctl queue list shows every job with its id" });
  };
  const find = async (reference: string, run: Run): Promise<DocumentSummary> => {
    const known = new Set((await documents(run)).map((document) => document.id));
    return documentByReference(
      reference,
      parts.documents.latest().filter((document) => known.has(document.id)),
    );
  };
  return {
    ...openVersionsDoor(parts, find),
    async *sync(request, run) {
      const { syncFolder } = await import("./sync.ts");
      yield* syncFolder(request, parts, run);
    },
    async *watch(request, run) {
      const { watchSource } = await import("./watch.ts");
      yield* watchSource(request, parts, run);
    },
    sources: (run) => sources.list().filter(visibleSource(parts, run)),
    async removeSource(folder, run) {
      parts.access.owner(run, "say which folders are kept in step");
      sources.remove(await realFolder(folder).catch(() => resolve(folder)));
    },
    async *reembed(request, run) {
      const { reembedCollection } = await import("./reembed.ts");
      yield* reembedCollection(request, parts, run);
    },
    async enqueue({ paths, collection, instance, department, priority }, run) {
      if (collection !== "auto") parts.access.writable(run, { name: collection, instance });
      for (const path of paths) parts.access.source(run, path);
      const timestamp = new Date().toISOString();
      const principal = parts.access.principal(run).name;
      const shared = { department, targetCollection: collection, instance, principal, priority, timestamp };
      return queue.push(paths.map((path) => ({ ...shared, documentPath: resolve(path) })));
    },
    jobs: async (states, limit, run) => (await listed(states, run)).slice(0, limit),
    job: own,
    cancelJob: async (reference, run) => queue.cancel((await own(reference, run)).id),
    retryJob: async (reference, run) => queue.retry((await own(reference, run)).id),
    async *work(options, run) {
      parts.access.owner(run, "run a worker");
      const { work } = await import("./jobs.ts");
      yield* work(queue, options, parts, run);
    },
  };
}
