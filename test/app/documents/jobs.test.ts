import assert from "node:assert/strict";
import { test } from "node:test";
import { work } from "../../../src/app/documents/jobs.ts";
import type { Queue } from "../../../src/core/documents/queue.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import { openJobs } from "../../../src/registry/history/jobs.ts";
import { openWorld } from "../world.ts";

const away = () => Promise.reject(new RagctlError("REGISTRY_UNAVAILABLE", "the registry does not answer"));

test("a worker waits for a registry that restarts, warns once each time, and ends with it where it is to end anyway", async (context) => {
  const { core, registry } = await openWorld(context);
  const jobs = openJobs(registry);
  const stop = new AbortController();
  const warnings: string[] = [];
  const log = { event: () => undefined, warn: (message: string) => void warnings.push(message) };
  const run = { id: "worker-run", principal: "owner", signal: stop.signal, log };
  // Two restarts, and no job in between.
  const claims: readonly Queue["claim"][] = [away, away, jobs.claim, away, jobs.claim];
  let claimed = 0;
  const queue: Queue = {
    ...jobs,
    claim(...given) {
      const claim = claims[claimed++];
      if (claim !== undefined) return claim(...given);
      stop.abort();
      return jobs.claim(...given);
    },
  };
  const worked = Array.fromAsync(work(queue, { once: false, pollMs: 1 }, core, run));
  await assert.rejects(worked, { name: "AbortError" });
  const expected = "the registry does not answer; the worker waits for it";
  assert.deepEqual(warnings, [expected, expected]);
  const once = Array.fromAsync(
    work({ ...jobs, claim: away }, { once: true }, core, { ...run, signal: new AbortController().signal }),
  );
  await assert.rejects(once, { code: "REGISTRY_UNAVAILABLE" });
});
