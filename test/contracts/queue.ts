import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Job, JobMessage, Queue } from "../../src/core/documents/queue.ts";
import { codeOf } from "../registry/support.ts";

/** A job for a path, as the owner asks for it. */
export const jobMessage = (documentPath: string, priority = 0): JobMessage => ({
  documentPath,
  department: "hr",
  targetCollection: "auto",
  instance: "public",
  principal: "owner",
  priority,
  timestamp: "2026-01-01T00:00:00.000Z",
});

/** A queue whose jobs are tried three times, 100 ms after the first failure. */
export interface OpenedQueue {
  readonly queue: Queue;
  /** The same queue, as another process opens it. */
  readonly connect: () => Promise<Queue>;
  /** Time of the leases and pauses, ms; the queue follows it. */
  readonly clock: { ms: number };
}

const progress = { files: 1, totalFiles: 2, pages: 3, chunks: 4, failed: 0, etaMs: 5 };
const failed = { code: "STORE_BUSY", message: "busy" } as const;
const run = {
  signal: new AbortController().signal,
  log: { event: () => undefined, warn: (message: string) => assert.fail(message) },
};
const take = (queue: Queue, worker: string): Promise<Job | undefined> =>
  queue.claim(worker, 1000, { ms: 0, run });

/** What every queue must do; `skip` the reason it cannot run here. */
export function queueContract(
  name: string,
  skip: string | false,
  open: (context: TestContext) => Promise<OpenedQueue>,
): void {
  describe(`${name} is a queue`, { skip }, () => {
    // `it` gives its functions the same context as `test`, under another type.
    const opened = (context: unknown) => open(context as TestContext);

    it("gives jobs by priority, then by age, each once, whoever asks", async (context) => {
      const { queue, connect } = await opened(context);
      const other = await connect();
      await queue.push([jobMessage("/d/a"), jobMessage("/d/b", 5), jobMessage("/d/c")]);
      const first = await take(queue, "one");
      const rest = [await take(other, "two"), await take(queue, "one")].map((job) => job?.documentPath);
      assert.equal(first?.documentPath, "/d/b");
      assert.deepEqual(rest.sort(), ["/d/a", "/d/c"]);
      assert.equal(await take(other, "two"), undefined);
    });

    it("gives the job of a worker that goes silent to another; its late word changes nothing", async (context) => {
      const { queue, clock } = await opened(context);
      const [job] = await queue.push([jobMessage("/d/a")]);
      const id = job?.id ?? "";
      await take(queue, "one");
      clock.ms += 900;
      assert.equal(await queue.renew(id, "one", 1000, progress), true);
      clock.ms += 900;
      assert.equal(await take(queue, "two"), undefined, "a renewed lease holds");
      clock.ms += 200;
      const second = await take(queue, "two");
      assert.deepEqual([second?.id, second?.attempts, second?.worker], [id, 2, "two"]);
      assert.equal(await queue.renew(id, "one", 1000, progress), false);
      await queue.complete(id, "one", progress);
      assert.equal((await queue.get(id)).state, "running");
      await queue.complete(id, "two", progress);
      assert.deepEqual([(await queue.get(id)).state, (await queue.get(id)).progress.chunks], ["done", 4]);
    });

    it("lets a failed job wait twice as long each time, ends it after the last, and begins it anew by hand", async (context) => {
      const { queue, clock } = await opened(context);
      const [job] = await queue.push([jobMessage("/d/a")]);
      const id = job?.id ?? "";
      for (const pause of [100, 200]) {
        await take(queue, "one");
        assert.equal((await queue.fail(id, "one", failed, "passing")).state, "waiting");
        clock.ms += pause - 1;
        assert.equal(await take(queue, "one"), undefined);
        clock.ms += 1;
      }
      await take(queue, "one");
      const dead = await queue.fail(id, "one", failed, "passing");
      assert.deepEqual([dead.state, dead.error, dead.attempts], ["dead", failed, 3]);
      assert.deepEqual(
        (await queue.list(["dead"])).map((each) => each.id),
        [id],
      );
      assert.equal((await queue.retry(id.slice(0, 8))).state, "waiting");
      assert.equal((await take(queue, "one"))?.attempts, 1);
    });

    it("does not count an attempt that an outage ended", async (context) => {
      const { queue, clock } = await opened(context);
      const [job] = await queue.push([jobMessage("/d/a")]);
      const id = job?.id ?? "";
      for (let outage = 0; outage < 5; outage++) {
        assert.equal((await take(queue, "one"))?.attempts, 1);
        const left = await queue.fail(id, "one", failed, "outage");
        assert.deepEqual([left.state, left.error, left.attempts], ["waiting", failed, 0]);
        clock.ms += 99;
        assert.equal(await take(queue, "one"), undefined);
        clock.ms += 1;
      }
    });

    it("ends a job at once by an error that another attempt cannot mend", async (context) => {
      const { queue } = await opened(context);
      const [job] = await queue.push([jobMessage("/d/a")]);
      await take(queue, "one");
      const gone = { code: "SOURCE_MISSING", message: "gone" } as const;
      assert.equal((await queue.fail(job?.id ?? "", "one", gone, "final")).state, "dead");
    });

    it("does not give a cancelled job, and tells its worker; one that has ended cannot be cancelled", async (context) => {
      const { queue } = await opened(context);
      const [one, two] = await queue.push([jobMessage("/d/a"), jobMessage("/d/b")]);
      await queue.cancel(two?.id ?? "");
      assert.equal((await take(queue, "w"))?.id, one?.id);
      assert.equal(await take(queue, "w"), undefined);
      await queue.cancel(one?.id ?? "");
      assert.equal(await queue.renew(one?.id ?? "", "w", 1000, progress), false);
      assert.equal(await codeOf(() => queue.cancel(one?.id ?? "")), "USAGE_INVALID");
      assert.equal(await codeOf(() => queue.get("nothing")), "NOT_FOUND");
      assert.equal(await codeOf(() => queue.retry("nothing")), "NOT_FOUND");
    });

    it("gives a job that was given back at once, and the attempt does not count", async (context) => {
      const { queue } = await opened(context);
      const [job] = await queue.push([jobMessage("/d/a")]);
      await take(queue, "one");
      await queue.release(job?.id ?? "", "one");
      assert.equal((await take(queue, "two"))?.attempts, 1);
    });

    it("ends a job whose workers keep dying", async (context) => {
      const { queue, clock } = await opened(context);
      const [job] = await queue.push([jobMessage("/d/a")]);
      for (let attempt = 0; attempt < 3; attempt++) {
        assert.equal((await take(queue, "w"))?.id, job?.id);
        clock.ms += 1001;
      }
      assert.equal(await take(queue, "w"), undefined);
      const dead = await queue.get(job?.id ?? "");
      assert.deepEqual([dead.state, dead.error?.code], ["dead", "JOB_FAILED"]);
    });

    it("counts what waits, runs and has ended, and how old the oldest is", async (context) => {
      const { queue, clock } = await opened(context);
      clock.ms = Date.parse("2026-01-01T00:10:00.000Z");
      assert.equal((await queue.status()).oldestWaitingMs, null);
      const jobs = await queue.push(["/d/a", "/d/b", "/d/c", "/d/d"].map((path) => jobMessage(path)));
      for (const end of ["done", "dead", "run"] as const) {
        const { id = "" } = (await take(queue, "w")) ?? {};
        if (end === "done") await queue.complete(id, "w", progress);
        if (end === "dead") await queue.fail(id, "w", failed, "final");
      }
      const { states, oldestWaitingMs, endedPerMinute, unsent } = await queue.status();
      assert.deepEqual(states, { waiting: 1, running: 1, done: 1, dead: 1, cancelled: 0 });
      assert.deepEqual([jobs.length, oldestWaitingMs, endedPerMinute, unsent], [4, 600_000, 0.4, 0]);
    });
  });
}
