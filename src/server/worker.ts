import { setTimeout as sleep } from "node:timers/promises";
import { asRagctlError } from "../core/errors.ts";
import { ownerName } from "../core/permission.ts";
import type { Run } from "../core/run.ts";
import type { Server } from "./server.ts";

/** Pause after the queue could not be worked on, ms. */
const pauseMs = 5000;

/** Ingests uploaded and queued files until the run is stopped; an unfinished job is then given back. */
export async function runWorker({ app, metrics }: Pick<Server, "app" | "metrics">, run: Run): Promise<void> {
  const owner: Run = { ...run, principal: ownerName };
  while (!run.signal.aborted) {
    try {
      for await (const event of app.background.work({ once: false }, owner))
        if (event.type === "job-end") metrics.job(event.job.state);
    } catch (thrown) {
      if (run.signal.aborted) return;
      run.log.warn(`cannot process the queue: ${asRagctlError(thrown).message}`);
      await sleep(pauseMs, undefined, { signal: run.signal }).catch(() => undefined);
    }
  }
}
