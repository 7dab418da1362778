import assert from "node:assert/strict";
import { mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createDocumentsApi } from "../../../src/app/documents/documents.ts";
import { reembedCollection } from "../../../src/app/documents/reembed.ts";
import { syncFolder } from "../../../src/app/documents/sync.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import type { Run } from "../../../src/core/run.ts";
import { openCore, openWorld } from "../world.ts";

const collection = "lamps";

/** A folder of three documents that is in step, and what its syncs and re-embeddings leave in the logs. */
async function openSynced(context: TestContext) {
  const { core, parts, run } = await openWorld(context);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-runs-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const owner = (id: string): Run => ({ ...run("owner"), id });
  const write = (name: string, text = `# ${name}\n\nIt burns.\n`) => writeFile(join(folder, name), text);
  const sync = (id: string, dryRun = false, home = core) =>
    Array.fromAsync(syncFolder({ collection, folder, dryRun, allowEmpty: true }, home, owner(id)));
  for (const name of ["a.md", "b.md", "c.md"]) await write(name);
  await sync("first");
  return {
    ...{ core, parts, folder, owner, write, sync },
    logged: async (id: string) => {
      const rows = await core.app.runRecords(100, owner("reader"));
      return rows
        .filter((row) => row.id === id)
        .map(({ kind, state, summary }) => `${kind} ${state} ${summary}`);
    },
  };
}

test("a sync that only moves and deletes leaves a run that counts both", async (context) => {
  const { folder, sync, logged } = await openSynced(context);
  await rename(join(folder, "a.md"), join(folder, "moved.md"));
  await rm(join(folder, "b.md"));
  await sync("dry", true);
  await sync("second");
  await sync("third");
  assert.deepEqual(await logged("second"), ["ingest completed lamps: 1 moved, 1 deleted"]);
  assert.deepEqual(
    [await logged("dry"), await logged("third")],
    [[], []],
    "what changes nothing leaves none",
  );
});

test("a sync that ingests counts in its run what it moved and deleted beside", async (context) => {
  const { folder, write, sync, logged } = await openSynced(context);
  await write("new.md");
  await rename(join(folder, "a.md"), join(folder, "moved.md"));
  await rm(join(folder, "b.md"));
  await sync("second");
  const [row = ""] = await logged("second");
  assert.match(row, /^ingest completed lamps: 1 added, .*1 moved, 1 deleted$/);
});

test("a sync that fails while it removes documents leaves a run that says so", async (context) => {
  const { core, parts, folder, sync, logged } = await openSynced(context);
  await rm(join(folder, "b.md"));
  const store = await parts.store("private");
  const full = async (): Promise<never> => {
    throw new Error("no answer");
  };
  const broken = openCore({ ...parts, store: async () => ({ ...store, delete: full }) });
  await assert.rejects(sync("second", false, { ...broken, app: core.app }), /no answer/);
  assert.deepEqual(await logged("second"), ["ingest failed failed: lamps: 1 deleted"]);
});

test("a re-embedding leaves a run that counts what it embedded, and one of its end where it is stopped", async (context) => {
  const { core, owner, logged } = await openSynced(context);
  await Array.fromAsync(reembedCollection({ collection }, core, owner("anew")));
  assert.deepEqual(await logged("anew"), [
    "ingest completed lamps: 3 reembedded, 3 chunks, 3 embedded from cache",
  ]);
  const stopped = { ...owner("stopped"), signal: AbortSignal.abort() };
  await assert.rejects(Array.fromAsync(reembedCollection({ collection, scope: "all" }, core, stopped)));
  assert.deepEqual(await logged("stopped"), ["ingest cancelled cancelled: lamps"]);
  await Array.fromAsync(reembedCollection({ collection, rollback: true }, core, owner("back")));
  assert.match((await logged("back"))[0] ?? "", /^ingest completed lamps: 1 rollback\b/);
});

test("forgetting documents leaves a run that counts them, a refusal leaves none", async (context) => {
  const { core, owner, logged } = await openSynced(context);
  await core.app.forget(["a.md", "generalknowledgesecret.md"], owner("forget"));
  assert.deepEqual(await logged("forget"), ["ingest completed general_knowledge, lamps: 2 deleted"]);
  await assert.rejects(core.app.forget(["unknown.md"], owner("unknown")), { code: "NOT_FOUND" });
  assert.deepEqual(await logged("unknown"), []);
});

test("forgetting a collection leaves a run that counts its documents and itself", async (context) => {
  const { core, owner, logged } = await openSynced(context);
  await core.app.forgetCollection(collection, owner("forget"));
  assert.deepEqual(await logged("forget"), ["ingest completed lamps: 3 deleted, 1 collection deleted"]);
});

test("a forgetting that cannot remove the vectors leaves a run that says so", async (context) => {
  const { core, parts, owner, logged } = await openSynced(context);
  const store = await parts.store("private");
  const full = async (): Promise<never> => {
    throw new Error("no answer");
  };
  const broken = openCore({ ...parts, store: async () => ({ ...store, delete: full }) });
  await assert.rejects(broken.app.forget(["a.md"], owner("forget")), /no answer/);
  assert.deepEqual(await logged("forget"), ["ingest failed failed: lamps: 1 deleted"]);
  assert.ok(!(await core.app.documents([collection], owner("reader"))).some(({ name }) => name === "a.md"));
});

test("documents are forgotten where the disk has no room for the row, which is said once", async (context) => {
  const { core, owner } = await openSynced(context);
  const warnings: string[] = [];
  const log = { event: () => undefined, warn: (message: string) => void warnings.push(message) };
  const record = (): never => {
    throw new RagctlError("DISK_FULL", "the disk is full", { hint: "free some space" });
  };
  const library = createDocumentsApi({ ...core, runs: { ...core.runs, record } });
  const gone = await library.forget(["a.md"], { ...owner("forget"), log });
  assert.deepEqual(
    gone.map(({ name }) => name),
    ["a.md"],
  );
  assert.deepEqual(warnings, ["this command was not saved in the history: the disk is full"]);
});
