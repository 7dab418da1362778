import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openCore, openWorld } from "../world.ts";

test("forgetting documents beside an ingest leaves those out by name, and the others are updated", async (context) => {
  const { parts, run } = await openWorld(context);
  const owner = run("owner");
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-forgotten-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const names = ["a.md", "b.md", "c.md", "d.md"];
  const put = async (text: string): Promise<void> => {
    for (const name of names) await writeFile(join(folder, name), `# ${name}\n\n${text}\n`);
  };
  const request = { paths: [folder], collection: "lamps", instance: "public", department: "" } as const;
  const core = openCore(parts);
  await put("It burns at night.");
  await Array.fromAsync(core.app.ingest(request, owner));
  await put("It burns by day.");
  const store = await parts.store("public");
  const forgetting: typeof store = {
    ...store,
    async write(name, chunks) {
      await store.write(name, chunks);
      await core.app.forget(["b.md", "d.md"], owner);
    },
  };
  const beside = openCore({ ...parts, store: async () => forgetting });
  const events = await Array.fromAsync(beside.app.ingest(request, owner));
  const end = events.at(-1);
  assert.ok(end?.type === "ingest-end");
  const skipped =
    "skipped NOT_FOUND another command removed it during the ingest; ingest it again to keep it";
  assert.deepEqual(
    end.report.files.map(({ name, state, code, reason }) => `${name} ${state} ${code} ${reason}`.trim()),
    ["a.md updated", `b.md ${skipped}`, "c.md updated", `d.md ${skipped}`],
  );
  const again = (await Array.fromAsync(core.app.ingest(request, owner))).at(-1);
  assert.ok(again?.type === "ingest-end");
  assert.deepEqual(
    again.report.files.map(({ state }) => state),
    ["unchanged", "unchanged", "added", "added"],
    "what was forgotten comes back when it is asked for",
  );
});

test("an uploaded file is deleted with its document or its collection, and no other file is", async (context) => {
  const { core, run } = await openWorld(context);
  const owner = run("owner");
  const collection = "manuals";
  const request = { collection, instance: "public", department: "" } as const;
  const uploads = join(core.settings.home, "uploads", "public", collection);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ragctl-own-")));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(uploads, { recursive: true });
  const paths = [join(uploads, "a.md"), join(uploads, "b.md"), join(folder, "own.md"), join(folder, "c.md")];
  for (const path of paths) await writeFile(path, `# Valve\n\nThe valve of ${path} opens at 12 bar.\n`);
  await Array.fromAsync(core.app.ingest({ ...request, paths }, owner));
  const left = () => paths.map((path) => existsSync(path));
  await core.app.forget(["a.md", "own.md"], owner);
  assert.deepEqual(left(), [false, true, true, true]);
  await core.app.forgetCollection(collection, owner);
  assert.deepEqual(left(), [false, false, true, true]);
});
