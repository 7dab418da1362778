import type { Models } from "../../models/models.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

/** Downloads the missing models of `ids`, with a bar on a terminal and a line per model elsewhere. */
export async function pullWithProgress(
  models: Models,
  ids: readonly string[],
  session: Session,
): Promise<void> {
  using progress = createProgress("download", "byte", session.output);
  progress.stage("checking installed models");
  session.onStop("stopping: run the same command again to resume the download");
  const done = new Map<string, number>();
  const totals = new Map<string, number>();
  await models.pull(
    ids,
    {
      onProgress(event) {
        if (event.state === "source-failed")
          session.output.note(
            `${event.id}: ${event.source} failed (${event.reason}); trying the next source`,
          );
        if (event.state === "ready") session.output.note(`${event.id} is ready`);
        done.set(
          event.id,
          Math.max(
            done.get(event.id) ?? 0,
            event.state === "ready" ? (event.totalBytes ?? 0) : event.doneBytes,
          ),
        );
        totals.set(event.id, event.totalBytes ?? event.doneBytes);
        progress.set(sum(done), sum(totals), event.id);
      },
    },
    session.run.signal,
  );
}

function sum(sizes: ReadonlyMap<string, number>): number {
  return [...sizes.values()].reduce((total, size) => total + size, 0);
}
