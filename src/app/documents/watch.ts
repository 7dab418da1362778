import type { SyncReport, SyncRequest, WatchEvent } from "../../core/documents/sync.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { watchFolder } from "../../pipeline/ingest/watch.ts";
import type { StepParts } from "./ingest.ts";
import { resolveSource, syncFolder } from "./sync.ts";

/** A sync that failed as a whole is tried again after this long even without a change, ms. */
const retryMs = 5000;
/** A file that was being written is looked at again after this long, ms. */
const settleMs = 500;

const hasWork = ({ counts }: SyncReport): boolean =>
  counts.added + counts.updated + counts.moved + counts.deleted + counts.failed + counts.skipped > 0;

/** Keeps a collection in step with a folder until the run is stopped: a sync to begin with, then one after every change. */
export async function* watchSource(
  request: SyncRequest,
  parts: StepParts,
  run: Run,
): AsyncGenerator<WatchEvent> {
  const { folder, collection, instance } = await resolveSource(request, parts, run);
  parts.access.writable(run, { name: collection, instance });
  // Before the first sync, so that what changes during it is not missed.
  await using changes = await watchFolder(folder, { quietMs: parts.settings.watch.quietMs });
  // Opened now, so that the first change is as quick as the next ones.
  await (await parts.embedders.of(parts.collections.find(collection)?.embedder)()).embed(
    ["ready"],
    { purpose: "query" },
    run.signal,
  );
  yield { type: "watch-ready", folder, collection };
  /** Failures told already; one that lasts is told once. */
  const told = new Set<string>();
  for (let first = true; ; first = false) {
    let againMs: number | undefined;
    try {
      for await (const event of syncFolder({ ...request, collection, again: first }, parts, run)) {
        if (event.type !== "sync-end") yield event;
        else {
          const failed = event.report.files.filter(
            (file) => file.state === "failed" || file.state === "skipped",
          );
          if (failed.some((file) => file.code === "SOURCE_CHANGED" || file.code === "REGISTRY_BUSY"))
            againMs = settleMs;
          const fresh = failed.filter((file) => !told.has(`${file.path} ${file.code}`));
          const done = event.report.files.length - failed.length + fresh.length;
          for (const file of fresh) told.add(`${file.path} ${file.code}`);
          if (first || (hasWork(event.report) && done > 0)) yield event;
        }
      }
    } catch (thrown) {
      run.signal.throwIfAborted();
      const { code, message } = asRagctlError(thrown);
      yield { type: "sync-failed", code, message };
      againMs = retryMs;
    }
    while (!(await changes.next(run.signal, againMs)) && againMs === undefined);
  }
}
