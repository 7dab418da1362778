import type { SyncRequest } from "../../core/documents/sync.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { watchFolder } from "../../pipeline/ingest/watch.ts";
import type { SyncReport } from "../../shapes/documents.ts";
import { isAddress } from "../fetch/address.ts";
import type { Home } from "../home.ts";
import { resolveSource } from "./source.ts";
import type { WatchEvent } from "./sync.ts";
import { syncFolder } from "./sync.ts";

/** A sync that failed as a whole is tried again after this long even without a change, ms. */
const retryMs = 5000;
/** A file that was being written is looked at again after this long, ms. */
const settleMs = 500;

const hasWork = ({ counts }: SyncReport): boolean =>
  counts.added + counts.updated + counts.moved + counts.deleted + counts.failed + counts.skipped > 0;

/**
 * Keeps a collection in step with a folder until the run is stopped: a sync to begin with, then one after
 * every change.
 */
export async function* watchSource(request: SyncRequest, home: Home, run: Run): AsyncGenerator<WatchEvent> {
  if (isAddress(request.folder))
    throw new RagctlError("USAGE_INVALID", "a URL cannot be watched", {
      hint: `to fetch it again: ragctl sync ${request.folder}`,
    });
  const { folder, collection, instance } = await resolveSource(request, home, run);
  await home.access.writable(run, { name: collection, instance });
  // Started before the first sync, so that changes during it are not missed.
  await using changes = await watchFolder(folder, { quietMs: home.settings.watch.quietMs });
  // Opened now, so that the first change is as quick as the next ones.
  await (await home.embedders.of((await home.collections.find(collection))?.embedder, collection)()).embed(
    ["ready"],
    { purpose: "query" },
    run.signal,
  );
  yield { type: "watch-ready", folder, collection };
  const reported = new Set<string>();
  for (let first = true; ; first = false) {
    const againMs = yield* syncOnce({ ...request, collection, again: first }, reported, home, run);
    await nextChange(changes, againMs, run.signal);
  }
}

/** Waits for a change, or until it is time to try again. */
async function nextChange(
  changes: Awaited<ReturnType<typeof watchFolder>>,
  againMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  let changed = false;
  do changed = await changes.next(signal, againMs);
  while (!changed && againMs === undefined);
}

/**
 * One sync; returns after how many ms it is to be tried again even without a change. A failure that lasts is
 * reported once.
 */
async function* syncOnce(
  request: SyncRequest,
  reported: Set<string>,
  home: Home,
  run: Run,
): AsyncGenerator<WatchEvent, number | undefined> {
  let againMs: number | undefined;
  try {
    for await (const event of syncFolder(request, home, run)) {
      if (event.type !== "sync-end") {
        yield event;
        continue;
      }
      const failed = event.report.files.filter(({ state }) => state === "failed" || state === "skipped");
      if (failed.some(({ code }) => code === "SOURCE_CHANGED" || code === "REGISTRY_BUSY"))
        againMs = settleMs;
      const keys = failed.map(({ path, code }) => `${path} ${code}`);
      const fresh = keys.filter((key) => !reported.has(key));
      const done = event.report.files.length - failed.length + fresh.length;
      // Forget files that work again, so that a new failure is reported.
      reported.clear();
      for (const key of keys) reported.add(key);
      if (request.again === true || (hasWork(event.report) && done > 0)) yield event;
    }
  } catch (thrown) {
    run.signal.throwIfAborted();
    const { code, message } = asRagctlError(thrown);
    yield { type: "sync-failed", code, message };
    againMs = retryMs;
  }
  return againMs;
}
