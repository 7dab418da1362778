import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createVersionsApi } from "../../../src/app/documents/versions.ts";
import type { Run } from "../../../src/core/run.ts";
import { createSourceRepository } from "../../../src/registry/documents/folders.ts";
import { createRetentionPolicy } from "../../../src/registry/history/retention.ts";
import { openWorld, said } from "../world.ts";

async function withSteps(context: Pick<TestContext, "after">) {
  const world = await openWorld(context);
  const { core, run } = world;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-steps-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "note.md"), "# Note\n\nA note.\n");
  await core.principals.add({ name: "bob", roots: [folder] });
  const steps = core.app.background;
  const map = (collection: string) =>
    createSourceRepository(world.registry).put({
      folder,
      collection,
      instance: "private",
      department: "",
      address: "",
      depth: 0,
      include: [],
      exclude: [],
    });
  return { ...world, folder, steps, map, bob: run("bob"), owner: run("owner") };
}

test("a folder does not tell which collections it is kept in step with to whoever may not read them", async (context) => {
  const { steps, folder, map, bob } = await withSteps(context);
  const sync = () => said(() => Array.fromAsync(steps.sync({ folder }, bob)));
  const unmapped = await sync();
  await map("hr_private_docs");
  assert.deepEqual(await sync(), unmapped);
  await map("finance_private_docs");
  assert.deepEqual(await sync(), unmapped);
  assert.deepEqual(await said(() => Array.fromAsync(steps.watch({ folder }, bob))), unmapped);
});

test("a job that may go anywhere does not go, and does not tell of, where its principal may not write", async (context) => {
  const { steps, folder, map, bob, owner } = await withSteps(context);
  const errorOf = async (): Promise<string> => {
    const [job] = await steps.enqueue(
      { paths: [folder], collection: "auto", instance: "public", department: "", priority: 0 },
      bob,
    );
    await Array.fromAsync(steps.work({ once: true }, owner));
    const done = await steps.job(job?.id ?? "", bob);
    return `${done.state} ${done.error?.message}`;
  };
  const unmapped = await errorOf();
  await map("hr_private_docs");
  assert.equal(await errorOf(), unmapped);
});

test("giving up old versions tells of no collection that may not be read", async (context) => {
  const { steps, bob } = await withSteps(context);
  const prune = (collection?: string) =>
    said(() =>
      steps.prune({ keep: 0, dryRun: true, ...(collection === undefined ? {} : { collection }) }, bob),
    );
  for (const { text } of [await prune(), await prune("hr_private_doc")])
    assert.doesNotMatch(text, /(hr|finance|engineering)_private_docs/);
  assert.equal(
    (await prune("hr_private_docs")).text.replaceAll("hr_private_docs", "x"),
    (await prune("no_such_docs")).text.replaceAll("no_such_docs", "x"),
  );
});

test("the owner alone prunes the history, and only without a collection", async (context) => {
  const { core, registry, bob, owner } = await withSteps(context);
  const door = createVersionsApi({ ...core, retention: createRetentionPolicy(registry, { keepDays: 30 }) });
  await core.runs.record({
    kind: "ask",
    id: "aaaa1111",
    principal: "bob",
    startedAt: "2020-01-01T00:00:00.000Z",
    durationMs: 1,
    state: "cancelled",
    error: null,
    model: "",
    provider: "",
    peakRssBytes: 1,
    programVersion: "0.0.0",
    phases: [],
    question: "q",
    response: "",
    verdict: null,
    citations: [],
    replay: null,
  });
  const prune = async (run: Run, more: { readonly collection?: string; readonly dryRun?: boolean } = {}) =>
    (await door.prune({ keep: 1, dryRun: false, ...more }, run)).history;
  const none = { runs: 0, jobs: 0 };
  assert.deepEqual(await prune(bob), none);
  assert.deepEqual(await prune(owner, { collection: "hr_private_docs" }), none);
  assert.deepEqual(await prune(owner, { dryRun: true }), { runs: 1, jobs: 0 });
  assert.equal((await core.runs.list()).length, 1);
  assert.deepEqual(await prune(owner), { runs: 1, jobs: 0 });
  assert.deepEqual(await core.runs.list(), []);
});

test("a job of somebody else answers as one that is not there, by id and by its beginning", async (context) => {
  const { steps, folder, bob, owner } = await withSteps(context);
  const [job] = await steps.enqueue(
    { paths: [folder], collection: "auto", instance: "public", department: "", priority: 9 },
    owner,
  );
  const id = job?.id ?? "";
  for (const act of [steps.job, steps.cancelJob, steps.retryJob])
    for (const [reference, absent] of [
      [id, "00000000-0000-4000-8000-000000000000"],
      [id.slice(0, 6), "zzzzzz"],
    ] as const) {
      const [hidden, none] = [await said(() => act(reference, bob)), await said(() => act(absent, bob))];
      assert.deepEqual(
        { ...hidden, text: hidden.text.replaceAll(reference, "x") },
        { ...none, text: none.text.replaceAll(absent, "x") },
      );
    }
  await steps.enqueue(
    { paths: [folder], collection: "auto", instance: "public", department: "", priority: 0 },
    bob,
  );
  assert.equal((await steps.jobs([], 1, bob)).length, 1, "others' jobs take no place in a list");
});

test("a new principal of an old name has none of the old one's jobs, and they are not done with its rights", async (context) => {
  const { core, steps, registry, folder, bob, owner } = await withSteps(context);
  const [job] = await steps.enqueue(
    { paths: [folder], collection: "auto", instance: "public", department: "", priority: 0 },
    bob,
  );
  await registry.statement("UPDATE jobs SET queued_at = '2020-01-01T00:00:00.000Z'").run();
  await core.principals.remove("bob");
  await core.principals.add({ name: "bob", roots: [folder] });
  assert.deepEqual(await steps.jobs([], 9, bob), []);
  assert.equal((await said(() => steps.job(job?.id ?? "", bob))).code, "NOT_FOUND");
  await core.permissions.put({
    subjectKind: "principal",
    subject: "bob",
    effect: "allow",
    resource: "*",
    level: "write",
  });
  await Array.fromAsync(steps.work({ once: true }, owner));
  assert.equal((await steps.job(job?.id ?? "", owner)).error?.code, "PERMISSION_DENIED");
});

test("a job that may go anywhere names the collection that was chosen when it is queued", async (context) => {
  const { core, run } = await openWorld(context);
  const [job] = await core.app.background.enqueue(
    { paths: ["/documents"], collection: "auto", instance: "public", department: "", priority: 0 },
    { ...run("owner"), log: { event: () => undefined, warn: () => undefined } },
  );
  assert.equal(job?.targetCollection, core.settings.ingest.collection);
});
