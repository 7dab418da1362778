import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createBackup, restoreBackup } from "../../../src/app/owner/backup.ts";
import { loadSettings } from "../../../src/config/load.ts";
import { openRegistry } from "../../../src/registry/registry.ts";

const names = ["public/lamps/Bản vẽ (1).pdf", "private/hr_docs/a.md"];

/** Settings of an empty home, removed at the end. */
function emptyHome(context: TestContext) {
  const base = mkdtempSync(join(tmpdir(), "ragctl-backup-"));
  context.after(() => rmSync(base, { recursive: true, force: true }));
  return { base, ...loadSettings({ flags: { home: join(base, "home") }, trust: false }) };
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text);
  await chmod(path, 0o644);
}

async function uploadedHome(context: TestContext) {
  const home = emptyHome(context);
  const { settings } = home;
  await mkdir(settings.home, { recursive: true, mode: 0o700 });
  (await openRegistry(join(settings.home, "registry.sqlite"))).close();
  const uploads = join(settings.home, "uploads");
  for (const name of names) await write(join(uploads, name), `the file ${name}`);
  await write(join(uploads, "incoming", "half.part"), "half a file");
  return { ...home, uploads };
}

test("a backup holds what was uploaded, and a restore puts it back where it was", async (context) => {
  const { base, settings } = await uploadedHome(context);
  const target = join(base, "saved");
  const { files } = await createBackup(target, settings, "0.0.0");
  assert.deepEqual(
    files.map(({ path }) => path),
    ["registry.sqlite", ...names.map((name) => `uploads/${name}`).sort()],
  );
  const other = await uploadedHome(context);
  await writeFile(join(other.uploads, names[0] ?? ""), "another file");
  await write(join(other.uploads, "public/lamps/later.md"), "uploaded there");
  const restore = (force: boolean) => restoreBackup(target, other.settings, { force });
  await assert.rejects(restore(false), { code: "USAGE_INVALID" });
  const { setAside } = await restore(true);
  for (const name of names)
    assert.equal(await readFile(join(other.uploads, name), "utf8"), `the file ${name}`);
  assert.deepEqual(await readdir(join(other.uploads, "public/lamps")), ["Bản vẽ (1).pdf"]);
  assert.equal(await readFile(join(setAside, "uploads/public/lamps/later.md"), "utf8"), "uploaded there");
});

test("an upload that is damaged in the backup, or leads out of it, leaves the home as it is", async (context) => {
  const { base, settings } = await uploadedHome(context);
  const target = join(base, "saved");
  await createBackup(target, settings, "0.0.0");
  const other = emptyHome(context);
  await writeFile(join(target, "uploads", names[1] ?? ""), "another file");
  const restore = () => restoreBackup(target, other.settings, { force: false });
  await assert.rejects(restore, { code: "HASH_MISMATCH" });
  const manifest = join(target, "manifest.json");
  const text = await readFile(manifest, "utf8");
  for (const path of [
    "uploads/public/lamps/../../../x",
    "uploads/incoming/x",
    "uploads/public/lamps/.x",
    "uploads/x",
  ]) {
    await writeFile(manifest, text.replace(`uploads/${names[1]}`, path));
    await assert.rejects(restore, { code: "USAGE_INVALID" }, path);
  }
  assert.deepEqual(await readdir(other.settings.home), []);
  await rm(target, { recursive: true });
});

test("a process backs up and restores one home again and again, one at a time", async (context) => {
  const { base, settings } = await uploadedHome(context);
  for (const name of ["first", "second"]) await createBackup(join(base, name), settings, "0.0.0");
  const other = emptyHome(context);
  const restore = (name: string, force: boolean) =>
    restoreBackup(join(base, name), other.settings, { force });
  await restore("first", false);
  await assert.rejects(restore("second", false), { code: "USAGE_INVALID" });
  const { setAside } = await restore("second", true);
  assert.deepEqual((await readdir(setAside)).sort(), ["registry.sqlite", "uploads"]);
  await assertWhole(join(other.settings.home, "registry.sqlite"));
});

test("of two backups of one home at once, one is refused and leaves no folder behind", async (context) => {
  const { base, settings } = await uploadedHome(context);
  const back = (name: string) => createBackup(join(base, name, "saved"), settings, "0.0.0");
  const ends = await Promise.allSettled([back("first"), back("second")]);
  assert.deepEqual(ends.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const made = ["first", "second"].map((name) => existsSync(join(base, name)));
  assert.deepEqual(
    made,
    ends.map(({ status }) => status === "fulfilled"),
  );
});

test("of two restores into one empty home at once, one is refused and changes nothing", async (context) => {
  const { base, settings } = await uploadedHome(context);
  const target = join(base, "saved");
  await createBackup(target, settings, "0.0.0");
  const other = emptyHome(context);
  const restore = () => restoreBackup(target, other.settings, { force: false });
  const ends = await Promise.allSettled([restore(), restore()]);
  assert.deepEqual(ends.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const [refused] = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  assert.match(refused.code, /^(?:STORE_BUSY|USAGE_INVALID)$/, String(refused));
  await assertWhole(join(other.settings.home, "registry.sqlite"));
  assert.deepEqual((await readdir(other.settings.home)).sort(), ["host", "registry.sqlite", "uploads"]);
});

async function assertWhole(path: string): Promise<void> {
  const registry = await openRegistry(path);
  assert.deepEqual(await registry.check(), []);
  registry.close();
}

test("a registry on another disk than the home is set aside and brought back", async (context) => {
  const disk = await stat("/dev/shm").catch(() => undefined);
  if (disk === undefined || disk.dev === (await stat(tmpdir())).dev)
    return context.skip("/dev/shm is not another disk than the folder for temporary files here");
  const elsewhere = await mkdtemp("/dev/shm/ragctl-backup-");
  context.after(() => rm(elsewhere, { recursive: true, force: true }));
  const { base, settings } = await uploadedHome(context);
  const target = join(base, "saved");
  await createBackup(target, settings, "0.0.0");
  const path = join(elsewhere, "registry.sqlite");
  const restore = async (force: boolean, uploads?: string) => {
    const { settings: empty } = emptyHome(context);
    if (uploads !== undefined) await write(join(empty.home, "uploads"), uploads);
    return restoreBackup(target, { ...empty, registry: { ...empty.registry, path } }, { force });
  };
  await restore(false);
  await assertWhole(path);
  await writeFile(path, "what was there before");
  const { setAside } = await restore(true);
  await assertWhole(path);
  assert.equal(await readFile(join(setAside, "registry.sqlite"), "utf8"), "what was there before");
  // Where a file cannot be put in its place, the registry that was set aside goes back.
  await writeFile(path, "what is there now");
  await assert.rejects(restore(true, "no folder"), { code: /EEXIST|ENOTDIR/ });
  assert.equal(await readFile(path, "utf8"), "what is there now");
  assert.deepEqual(await readdir(elsewhere), ["registry.sqlite"]);
});
