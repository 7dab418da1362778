import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { JobMessage } from "../../../src/core/documents/queue.ts";
import { openJobs } from "../../../src/registry/history/jobs.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { codeOf, temporaryFolder } from "../support.ts";

const message = (documentPath: string, priority = 0): JobMessage => ({
  documentPath,
  department: "hr",
  targetCollection: "auto",
  instance: "public",
  principal: "owner",
  priority,
  timestamp: "2026-01-01T00:00:00.000Z",
});
const progress = { files: 1, totalFiles: 2, pages: 3, chunks: 4, failed: 0, etaMs: 5 };
const failed = { code: "STORE_BUSY", message: "busy" } as const;

async function open(context: TestContext) {
  const path = join(temporaryFolder(context), "r.sqlite");
  const clock = { ms: 1_000_000 };
  const connect = async () => {
    const database = await openRegistry(path);
    context.after(() => database.close());
    return openJobs(database, { maxAttempts: 3, backOffMs: 100, now: () => clock.ms });
  };
  return { queue: await connect(), connect, clock };
}

test("jobs are taken by priority, then by age, each once, whoever asks", async (context) => {
  const { queue, connect } = await open(context);
  const other = await connect();
  await queue.push([message("/d/a"), message("/d/b", 5), message("/d/c")]);
  const taken = [
    await queue.claim("one", 1000),
    await other.claim("two", 1000),
    await queue.claim("one", 1000),
    await other.claim("two", 1000),
  ];
  assert.deepEqual(
    taken.map((job) => job?.documentPath),
    ["/d/b", "/d/a", "/d/c", undefined],
  );
});

test("a worker that goes silent loses its job, which another takes; its late word changes nothing", async (context) => {
  const { queue, clock } = await open(context);
  const [job] = await queue.push([message("/d/a")]);
  const id = job?.id ?? "";
  await queue.claim("one", 1000);
  clock.ms += 900;
  assert.equal(await queue.renew(id, "one", 1000, progress), true);
  clock.ms += 900;
  assert.equal(await queue.claim("two", 1000), undefined, "a renewed lease holds");
  clock.ms += 200;
  const second = await queue.claim("two", 1000);
  assert.deepEqual([second?.id, second?.attempts, second?.worker], [id, 2, "two"]);
  assert.equal(await queue.renew(id, "one", 1000, progress), false);
  await queue.complete(id, "one", progress);
  assert.equal((await queue.get(id)).state, "running");
  await queue.complete(id, "two", progress);
  assert.deepEqual([(await queue.get(id)).state, (await queue.get(id)).progress.chunks], ["done", 4]);
});

test("a failed job waits twice as long each time, is dead after the last, and can be retried by hand", async (context) => {
  const { queue, clock } = await open(context);
  const [job] = await queue.push([message("/d/a")]);
  const id = job?.id ?? "";
  for (const pause of [100, 200]) {
    await queue.claim("one", 1000);
    assert.equal((await queue.fail(id, "one", failed, true)).state, "waiting");
    clock.ms += pause - 1;
    assert.equal(await queue.claim("one", 1000), undefined);
    clock.ms += 1;
  }
  await queue.claim("one", 1000);
  const dead = await queue.fail(id, "one", failed, true);
  assert.deepEqual([dead.state, dead.error, dead.attempts], ["dead", failed, 3]);
  assert.deepEqual(
    (await queue.list(["dead"])).map((each) => each.id),
    [id],
  );
  assert.equal((await queue.retry(id.slice(0, 8))).state, "waiting");
  assert.equal((await queue.claim("one", 1000))?.attempts, 1);
});

test("an error that another attempt cannot mend makes a job dead at once", async (context) => {
  const { queue } = await open(context);
  const [job] = await queue.push([message("/d/a")]);
  await queue.claim("one", 1000);
  assert.equal(
    (await queue.fail(job?.id ?? "", "one", { code: "SOURCE_MISSING", message: "gone" }, false)).state,
    "dead",
  );
});

test("a cancelled job is not taken, and its worker is told; one that has ended cannot be cancelled", async (context) => {
  const { queue } = await open(context);
  const [one, two] = await queue.push([message("/d/a"), message("/d/b")]);
  await queue.cancel(two?.id ?? "");
  assert.equal((await queue.claim("w", 1000))?.id, one?.id);
  assert.equal(await queue.claim("w", 1000), undefined);
  await queue.cancel(one?.id ?? "");
  assert.equal(await queue.renew(one?.id ?? "", "w", 1000, progress), false);
  assert.equal(await codeOf(() => queue.cancel(one?.id ?? "")), "USAGE_INVALID");
  assert.equal(await codeOf(() => queue.get("nothing")), "NOT_FOUND");
  assert.equal(await codeOf(() => queue.retry("nothing")), "NOT_FOUND");
});

test("a job given back is due at once and the attempt does not count", async (context) => {
  const { queue } = await open(context);
  const [job] = await queue.push([message("/d/a")]);
  await queue.claim("one", 1000);
  await queue.release(job?.id ?? "", "one");
  assert.equal((await queue.claim("two", 1000))?.attempts, 1);
});

test("a job whose workers keep dying ends as dead", async (context) => {
  const { queue, clock } = await open(context);
  const [job] = await queue.push([message("/d/a")]);
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.equal((await queue.claim("w", 1000))?.id, job?.id);
    clock.ms += 1001;
  }
  assert.equal(await queue.claim("w", 1000), undefined);
  const dead = await queue.get(job?.id ?? "");
  assert.deepEqual([dead.state, dead.error?.code], ["dead", "JOB_FAILED"]);
});
