import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openWorld, said } from "./world.ts";

/** A document with two versions, of which the first was restored. */
async function openRestored(context: Parameters<typeof openWorld>[0]) {
  const { core, run, parts } = await openWorld(context);
  const owner = run("owner");
  const folder = mkdtempSync(join(tmpdir(), "ragctl-restored-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "lamp.md");
  const write = (color: string) => writeFileSync(path, `# Lamp\n\nThe lamp is ${color}.\n`);
  const step = core.app.background;
  const place = { collection: "lamps", instance: "public", department: "" } as const;
  const ingest = async (department = ""): Promise<string | undefined> => {
    const events = await Array.fromAsync(core.app.ingest({ ...place, department, paths: [path] }, owner));
    return events.find((event) => event.type === "file-end")?.file.state;
  };
  const sync = async (verify = false) => {
    const end = (await Array.fromAsync(step.sync({ folder, collection: "lamps", verify }, owner))).at(-1);
    return end?.type === "sync-end" ? [end.report.counts.updated, end.report.counts.unchanged] : undefined;
  };
  const job = async () => {
    await step.enqueue({ ...place, paths: [path], priority: 0 }, owner);
    const [end] = (await Array.fromAsync(step.work({ once: true }, owner))).slice(-1);
    return end?.type === "job-end" ? end.job.state : undefined;
  };
  const visible = async () =>
    (await core.documents.latest(["lamps"])).map(({ version, sizeBytes }) => [version, sizeBytes]);
  write("green");
  await ingest();
  write("violet");
  await ingest();
  await step.restore("lamp.md", 1, owner);
  const green = await visible();
  assert.equal(green[0]?.[0], 3, "the restored version has a number of its own");
  return { ...{ ingest, sync, job, visible, green, write, step, owner }, store: await parts.store("public") };
}

test("a restored version stays when the unchanged file is ingested, synced or done by a job again", async (context) => {
  const { ingest, sync, job, visible, green } = await openRestored(context);
  assert.equal(await ingest(), "unchanged");
  assert.deepEqual(await visible(), green);
  assert.deepEqual(await sync(), [0, 1]);
  assert.deepEqual(await sync(true), [0, 1]);
  assert.equal(await job(), "done");
  assert.deepEqual(await visible(), green);
});

test("a file that changes after a restore makes a new version, and so does one that changes back", async (context) => {
  const { ingest, visible, write } = await openRestored(context);
  write("orange, or amber");
  assert.equal(await ingest(), "updated");
  assert.equal((await visible())[0]?.[0], 4);
  write("violet");
  assert.equal(await ingest(), "updated");
  assert.equal((await visible())[0]?.[0], 5);
});

test("a file that is given the restored content itself counts as changed when it changes again", async (context) => {
  const { ingest, visible, write } = await openRestored(context);
  write("green");
  assert.equal(await ingest(), "unchanged");
  write("violet");
  assert.equal(await ingest(), "updated");
  assert.equal((await visible())[0]?.[0], 4);
});

test("a restored document that goes into another department goes there with the file's content", async (context) => {
  const { ingest } = await openRestored(context);
  assert.equal(await ingest("hr"), "updated");
});

test("a version whose chunks the store lost is not restored: the document keeps the text it has", async (context) => {
  const { visible, green, store, step, owner } = await openRestored(context);
  await store.drop("lamps");
  const lost = await said(() => step.restore("lamp.md", 2, owner));
  assert.equal(lost.code, "NOT_FOUND");
  assert.match(lost.text, /version 2 of lamp\.md is no longer in the public store/);
  assert.deepEqual(await visible(), green);
});
