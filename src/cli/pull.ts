import type { Models } from "../models/models.ts";
import { openProgress } from "./progress.ts";
import type { Session } from "./session.ts";

/** Downloads what is missing of `ids`, with a bar on a terminal and a line per model elsewhere. */
export async function pullWithProgress(models: Models, ids: readonly string[], session: Session): Promise<void> {
  const progress = openProgress("download", "kB", session.output);
  const done = new Map<string, number>();
  const totals = new Map<string, number>();
  try {
    await models.pull(
      ids,
      {
        onProgress(event) {
          if (event.state === "source-failed")
            session.output.note(`${event.id}: ${event.source} did not work (${event.reason}); trying the next source`);
          if (event.state === "ready") session.output.note(`${event.id} is ready`);
          done.set(event.id, Math.max(done.get(event.id) ?? 0, event.state === "ready" ? (event.totalBytes ?? 0) : event.doneBytes));
          totals.set(event.id, event.totalBytes ?? event.doneBytes);
          progress.set(kilobytes(done), kilobytes(totals), event.id);
        },
      },
      session.run.signal,
    );
  } finally {
    progress.close();
  }
}

function kilobytes(sizes: ReadonlyMap<string, number>): number {
  return Math.round([...sizes.values()].reduce((sum, size) => sum + size, 0) / 1000);
}
