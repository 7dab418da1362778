import { resolve } from "node:path";
import type { DocumentSummary, IngestRequest } from "../core/app.ts";
import { RagctlError } from "../core/errors.ts";
import type { Job, JobState, Queue, WorkerEvent } from "../core/queue.ts";
import type { ReembedEvent, ReembedRequest } from "../core/reembed.ts";
import type { Run } from "../core/run.ts";
import type { SyncEvent, SyncRequest, WatchEvent } from "../core/sync.ts";
import { openJobs } from "../registry/jobs.ts";
import { openSources, type Source } from "../registry/sources.ts";
import { byReference } from "./documents.ts";
import { realFolder } from "./folders.ts";
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
export function openInStep(parts: StepParts, documents: (run: Run) => Promise<readonly DocumentSummary[]>): InStep {
  const queue: Queue = openJobs(parts.registry, {
    maxAttempts: parts.settings.queue.maxAttempts,
    backOffMs: parts.settings.queue.backOffMs,
  });
  const sources = openSources(parts.registry);
  const readable = (run: Run) => new Set(parts.access.allowed(run, null, "read").collections);
  const isOwner = (run: Run): boolean => parts.access.principal(run).kind === "owner";
  /** A job of somebody else does not exist for anyone but the owner. */
  const own = async (reference: string, run: Run): Promise<Job> => {
    const job = await queue.get(reference);
    if (isOwner(run) || job.principal === run.principal) return job;
    throw new RagctlError("NOT_FOUND", `there is no job "${reference}"`, { hint: "ragctl queue list shows every job" });
  };
  const find = async (reference: string, run: Run): Promise<DocumentSummary> => {
    const visible = new Set((await documents(run)).map((document) => document.id));
    return byReference(
      reference,
      parts.documents.latest().filter((document) => visible.has(document.id)),
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
    sources(run) {
      const names = readable(run);
      return sources.list().filter((source) => isOwner(run) || names.has(source.collection));
    },
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
      const timestamp = new Date().toISOString();
      const shared = { department, targetCollection: collection, instance, principal: run.principal, priority, timestamp };
      return queue.push(paths.map((path) => ({ ...shared, documentPath: resolve(path) })));
    },
    async jobs(states, limit, run) {
      const all = await queue.list(states, limit);
      return isOwner(run) ? all : all.filter((job) => job.principal === run.principal);
    },
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
