import { existsSync } from "node:fs";
import { callerPath } from "../../config/caller.ts";
import type { IngestRequest } from "../../core/app.ts";
import { sameName } from "../../core/decide.ts";
import type { Job, JobState, Queue, QueueStatus, WorkerEvent } from "../../core/documents/queue.ts";
import type { ReembedRequest } from "../../core/documents/reembed.ts";
import type { SyncRequest } from "../../core/documents/sync.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { isPattern } from "../../files.ts";
import { createSourceRepository, type SourceFolder } from "../../registry/documents/folders.ts";
import { createJobRepository } from "../../registry/history/jobs.ts";
import { fetchedFolder, isAddress, parseSourceAddress } from "../fetch/address.ts";
import type { Home } from "../home.ts";
import { brokeredQueue } from "./brokered-queue.ts";
import type { WorkerOptions } from "./jobs.ts";
import { createSourceFilter, resolveFolder, targetOf } from "./placement.ts";
import { readMessage } from "./queue-messages.ts";
import type { ReembedEvent } from "./reembed.ts";
import type { SyncEvent, WatchEvent } from "./sync.ts";
import { createVersionsApi, type VersionsDoor } from "./versions.ts";

/**
 * Keeping collections in step with folders, versions of documents, new vectors, and work in the background.
 */
export interface DocumentWork extends VersionsDoor {
  sync(request: SyncRequest, run: Run): AsyncIterable<SyncEvent>;
  watch(request: SyncRequest, run: Run): AsyncIterable<WatchEvent>;
  /** The folders that are kept in step, of collections that may be read. */
  sources(run: Run): Promise<readonly SourceFolder[]>;
  /** Forgets that a folder is kept in step; its documents stay. @throws NOT_FOUND */
  removeSource(folder: string, run: Run): Promise<void>;
  reembed(request: ReembedRequest, run: Run): AsyncIterable<ReembedEvent>;
  /** Whether collections can be embedded with a model, were there any. @throws NOT_FOUND, MODEL_MISSING */
  checkModel(id: string): Promise<void>;
  /** One job a path, with a warning for one where nothing is; the collection may be `auto`. */
  enqueue(request: IngestRequest & { readonly priority: number }, run: Run): Promise<readonly Job[]>;
  jobs(states: readonly JobState[], limit: number, run: Run): Promise<readonly Job[]>;
  job(reference: string, run: Run): Promise<Job>;
  cancelJob(reference: string, run: Run): Promise<Job>;
  retryJob(reference: string, run: Run): Promise<Job>;
  work(options: WorkerOptions, run: Run): AsyncIterable<WorkerEvent>;
  /** Everybody's jobs in numbers. @throws PERMISSION_DENIED for anyone but the owner */
  queueStatus(run: Run): Promise<QueueStatus>;
}

/** Creates folders kept in step, versions, new vectors and the queue of jobs. */
export function createBackgroundWork(home: Home): DocumentWork {
  const sources = createSourceRepository(home.registry);
  return {
    ...createVersionsApi(home),
    ...openQueue(home),
    async *sync(request, run) {
      const { syncFolder } = await import("./sync.ts");
      yield* syncFolder(request, home, run);
    },
    async *watch(request, run) {
      const { watchSource } = await import("./watch.ts");
      yield* watchSource(request, home, run);
    },
    sources: async (run) => (await sources.list()).filter(await createSourceFilter(home, run)),
    async removeSource(folder, run) {
      await home.access.owner(run, "manage synced folders");
      const place = isAddress(folder)
        ? fetchedFolder(home.settings.home, parseSourceAddress(folder))
        : folder;
      await sources.remove(await resolveFolder(place).catch(() => callerPath(place)));
    },
    async *reembed(request, run) {
      const { reembedCollection } = await import("./reembed.ts");
      yield* reembedCollection(request, home, run);
    },
    async checkModel(id) {
      await home.embedders.facts(id);
    },
  };
}

function openQueue(
  home: Home,
): Pick<DocumentWork, "enqueue" | "jobs" | "job" | "cancelJob" | "retryJob" | "work" | "queueStatus"> {
  const { maxAttempts, backOffMs } = home.settings.queue;
  const jobs = createJobRepository(home.registry, { maxAttempts, backOffMs });
  const { transport } = home;
  const queue: Queue =
    transport === undefined
      ? jobs
      : brokeredQueue({ jobs, transport, read: (delivery, log) => readMessage(delivery, home, log) });
  const idOf = async (reference: string, run: Run): Promise<string> =>
    (await visibleJob(reference, queue, home, run)).id;
  return {
    async enqueue({ paths, collection, instance, department, priority }, run) {
      if (collection !== "auto") await home.access.writable(run, { name: collection, instance });
      for (const path of paths) await home.access.source(run, path);
      for (const path of paths.filter(isMissing))
        run.log.warn(`${path} does not exist; its job will fail unless the file appears first`);
      const timestamp = new Date(await home.registry.now()).toISOString();
      const principal = (await home.access.principal(run)).name;
      const shared = { principal, priority, timestamp };
      return queue.push(
        await Promise.all(
          paths.map(async (path) => {
            const asked = {
              documentPath: callerPath(path),
              targetCollection: collection,
              instance,
              department,
            };
            // Chosen here, so that the caller who queues it learns which one.
            const { collection: targetCollection, ...place } = await targetOf(asked, home, run);
            return { ...shared, ...asked, ...place, targetCollection };
          }),
        ),
      );
    },
    jobs: async (states, limit, run) => (await visibleJobs(states, queue, home, run)).slice(0, limit),
    job: (reference, run) => visibleJob(reference, queue, home, run),
    cancelJob: async (reference, run) => queue.cancel(await idOf(reference, run)),
    retryJob: async (reference, run) => queue.retry(await idOf(reference, run)),
    async *work(options, run) {
      await home.access.owner(run, "run a worker");
      const { runWorkerLoop } = await import("./jobs.ts");
      yield* runWorkerLoop(queue, options, home, run);
    },
    async queueStatus(run) {
      await home.access.owner(run, "see everyone's jobs");
      return queue.status();
    },
  };
}

/** Whether nothing is at a path that is no pattern. */
const isMissing = (path: string): boolean => !isPattern(path) && !existsSync(callerPath(path));

/**
 * Jobs of other principals do not exist for anyone but the owner; nor do those of an earlier principal of the
 * same name.
 */
async function visibleJobs(
  states: readonly JobState[],
  queue: Queue,
  { access }: Pick<Home, "access">,
  run: Run,
): Promise<readonly Job[]> {
  const { kind, name, createdAt } = await access.principal(run);
  const jobs = await queue.list(states, Number.MAX_SAFE_INTEGER);
  return jobs.filter(
    (job) => kind === "owner" || (sameName(job.principal, name) && job.timestamp >= createdAt),
  );
}

/** A job by id, or by the beginning of it (4 characters or more). @throws NOT_FOUND */
async function visibleJob(
  reference: string,
  queue: Queue,
  home: Pick<Home, "access">,
  run: Run,
): Promise<Job> {
  if ((await home.access.principal(run)).kind === "owner") return queue.get(reference);
  const matches = (await visibleJobs([], queue, home, run)).filter(
    ({ id }) => id === reference || (reference.length >= 4 && id.startsWith(reference)),
  );
  const [job] = matches;
  if (job !== undefined && matches.length === 1) return job;
  const message =
    job === undefined ? `there is no job "${reference}"` : `"${reference}" matches several jobs`;
  throw new RagctlError("NOT_FOUND", message, { hint: "`ragctl queue list` shows every job with its id" });
}
