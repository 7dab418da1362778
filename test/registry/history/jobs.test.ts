import assert from "node:assert/strict";
import { test } from "node:test";
import { createJobRepository } from "../../../src/registry/history/jobs.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { jobMessage, queueContract } from "../../contracts/queue.ts";
import { registryPlace } from "../support.ts";

queueContract("the registry", false, async (context) => {
  const path = registryPlace(context);
  const clock = { ms: 1_000_000 };
  const connect = async () => {
    const database = await openRegistry(path);
    context.after(() => database.close());
    return createJobRepository(database, { maxAttempts: 3, backOffMs: 100, now: () => clock.ms });
  };
  return { queue: await connect(), connect, clock };
});

test("a job that a message names is taken before its equals, and after a more urgent one", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const jobs = createJobRepository(database);
  const [, , third] = await jobs.push(["/a", "/b", "/c"].map((path) => jobMessage(path)));
  await jobs.push([jobMessage("/urgent", 1)]);
  const taken = [];
  for (let count = 0; count < 3; count++) taken.push(await jobs.take("w", 1000, third?.id));
  assert.deepEqual(
    taken.map((job) => job?.documentPath),
    ["/urgent", "/c", "/a"],
  );
});

test("a job is accepted once under its sender's id, and sent once until it is begun anew", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const jobs = createJobRepository(database);
  const id = "00000000-0000-8000-8000-000000000000";
  for (const path of ["/a", "/other"]) await jobs.accept(id, jobMessage(path));
  assert.deepEqual(
    (await jobs.unsent(9)).map((job) => [job.id, job.documentPath]),
    [[id, "/a"]],
  );
  assert.equal(await jobs.unsentCount(), 1);
  assert.equal(await jobs.isDue(id), true);
  await jobs.markSent([id]);
  assert.deepEqual(await jobs.unsent(9), []);
  assert.equal(await jobs.unsentCount(), 0);
  await jobs.cancel(id);
  assert.equal(await jobs.isDue(id), false);
  await jobs.retry(id);
  assert.equal((await jobs.unsent(9)).length, 1);
});
