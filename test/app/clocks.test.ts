import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openCore, openWorld } from "./world.ts";

const hourMs = 3_600_000;

for (const apartMs of [hourMs, -hourMs]) {
  const direction = apartMs > 0 ? "ahead of" : "behind";
  test(`a principal made on a machine whose clock is an hour ${direction} others has its jobs done there and sees its runs`, async (context) => {
    const { parts, run, registry } = await openWorld(context);
    // PostgreSQL has one clock, whatever those of the machines say.
    const now = async () => performance.timeOrigin + performance.now();
    const { app, principals, permissions } = openCore({ ...parts, registry: { ...registry, now } });
    const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-clocks-")));
    context.after(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "note.md"), "# Note\n\nThe boiler is emptied in May.\n");
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() + apartMs });
    await principals.add({ name: "bob", roots: [folder] });
    context.mock.timers.reset();
    await permissions.put({
      subjectKind: "principal",
      subject: "bob",
      effect: "allow",
      resource: "general_knowledge",
      level: "write",
    });
    const [bob, owner] = [run("bob"), run("owner")];
    const request = { collection: "general_knowledge", instance: "public", department: "" } as const;
    const [job] = await app.background.enqueue({ paths: [folder], ...request, priority: 0 }, bob);
    assert.deepEqual(
      (await app.background.jobs([], 9, bob)).map(({ id }) => id),
      [job?.id],
    );
    await Array.fromAsync(app.background.work({ once: true }, owner));
    const done = await app.background.job(job?.id ?? "", bob);
    assert.deepEqual([done.state, done.error], ["done", null]);
    await Array.fromAsync(app.ask({ query: "When is the boiler emptied?", topK: 3, collections: [] }, bob));
    const runs = await app.runRecords(9, bob);
    assert.deepEqual(runs.map(({ kind }) => kind).sort(), ["ask", "ingest"]);
    for (const { durationMs } of runs) assert.ok(durationMs >= 0 && durationMs < hourMs, String(durationMs));
  });
}
