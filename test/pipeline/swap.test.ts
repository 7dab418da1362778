import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isFailure } from "../../src/core/flow.ts";
import { listSources, readSources } from "../../src/pipeline/ingest/read.ts";
import { createIngestScope } from "../../src/pipeline/ingest/scope.ts";
import { zip } from "../drivers/parsers/make.ts";
import { runOf } from "./fixtures.ts";

/** A folder with one good file and one to be swapped, next to one that nobody named. */
async function place(context: TestContext) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ragctl-swap-")));
  context.after(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "in/sub"), { recursive: true });
  await mkdir(join(root, "out/sub"), { recursive: true });
  for (const name of ["in/a.md", "in/sub/z.md", "out/z.md", "out/sub/z.md"])
    await writeFile(join(root, name), "# words\n");
  return root;
}

/** What is read of `in` when `swap` happens after the folder was listed. */
async function readAfter(root: string, swap: () => Promise<unknown>): Promise<Record<string, string>> {
  const listed = await listSources([join(root, "in")], { cwd: root, maxBytes: 1e6 }, runOf().signal);
  await swap();
  const found: Record<string, string> = {};
  for await (const item of readSources(listed, runOf()))
    found[item.name] = isFailure(item) ? item.error.code : item.format;
  return found;
}

const oneChanged = { "a.md": "markdown", "sub/z.md": "SOURCE_CHANGED" };

test("a file swapped for a link after it was listed is not read", async (context) => {
  const root = await place(context);
  const swap = async () => {
    await symlink(join(root, "out/z.md"), join(root, "link"));
    await rename(join(root, "link"), join(root, "in/sub/z.md"));
  };
  assert.deepEqual(await readAfter(root, swap), oneChanged);
});

test("a file whose folder was swapped for a link after it was listed is not read", async (context) => {
  const root = await place(context);
  const swap = async () => {
    await rename(join(root, "in/sub"), join(root, "sub"));
    await symlink(join(root, "out/sub"), join(root, "in/sub"));
  };
  assert.deepEqual(await readAfter(root, swap), oneChanged);
});

test("a file reached through a link that took its folder's place is not read, be it the very same file", async (context) => {
  const root = await place(context);
  const swap = async () => {
    await rename(join(root, "in/sub"), join(root, "sub"));
    await symlink(join(root, "sub"), join(root, "in/sub"));
  };
  assert.deepEqual(await readAfter(root, swap), oneChanged);
});

test("a pipe, a socket or a device's link swapped in is refused without waiting for it", async (context) => {
  for (const swapIn of [
    (path: string) => void execFileSync("mkfifo", [path]),
    (path: string) => symlink("/dev/zero", path),
    (path: string) => symlink("z.md", path),
    async (path: string) => {
      const server = createServer();
      context.after(() => void server.close());
      await new Promise<void>((resolve) => server.listen(path, resolve));
    },
  ]) {
    const root = await place(context);
    const path = join(root, "in/sub/z.md");
    assert.deepEqual(await readAfter(root, () => rm(path).then(() => swapIn(path))), oneChanged);
  }
});

test("a file replaced by another or grown since it was listed has changed, one that is gone is missing", async (context) => {
  const root = await place(context);
  const path = join(root, "in/sub/z.md");
  assert.deepEqual(await readAfter(root, () => rename(join(root, "out/z.md"), path)), oneChanged);
  assert.deepEqual(await readAfter(root, () => appendFile(path, "more")), oneChanged);
  assert.deepEqual(await readAfter(root, () => rm(path)), { ...oneChanged, "sub/z.md": "SOURCE_MISSING" });
});

test("the format of an archive is told from the file that was opened, whatever its path leads to by then", async (context) => {
  const root = await place(context);
  const path = join(root, "in/sub/z.md");
  await writeFile(path, zip({ "word/document.xml": "<x/>" }));
  assert.deepEqual(await readAfter(root, async () => undefined), { "a.md": "markdown", "sub/z.md": "docx" });
});

test("an ignore file that is a pipe, a device or a folder is named, and the files beside it are read", async (context) => {
  for (const make of [
    (path: string) => void execFileSync("mkfifo", [path]),
    (path: string) => symlink("/dev/zero", path),
    (path: string) => mkdir(path),
  ]) {
    const root = await place(context);
    await writeFile(join(root, "in/sub/.gitignore"), "y.md\n");
    await writeFile(join(root, "in/sub/y.md"), "# ignored\n");
    await make(join(root, "in/sub/.ragctlignore"));
    const scope = createIngestScope({ include: [], exclude: [] });
    const listed = await listSources([join(root, "in")], { cwd: root, maxBytes: 1e6, scope }, runOf().signal);
    assert.deepEqual(
      listed.map((item) => (isFailure(item) ? [item.name, item.error.code] : item.name)),
      ["a.md", ["sub/.ragctlignore", "SOURCE_SPECIAL"], "sub/z.md"],
    );
  }
});

test("a folder whose ignore file is too large to be one is not read, for what it rules out is not known", async (context) => {
  const root = await place(context);
  await writeFile(join(root, "in/sub/.ragctlignore"), "#".repeat(2 ** 20 + 1));
  const scope = createIngestScope({ include: [], exclude: [] });
  const listed = await listSources([join(root, "in")], { cwd: root, maxBytes: 1e6, scope }, runOf().signal);
  assert.deepEqual(
    listed.map((item) => (isFailure(item) ? [item.name, item.error.code] : item.name)),
    ["a.md", ["sub", "SOURCE_TOO_LARGE"]],
  );
});

test("the good files of a folder are read and each hostile one is named", async (context) => {
  const root = await place(context);
  const folder = join(root, "six");
  await mkdir(folder);
  const good = ["a.md", "b.md", "c.md", "m.md", "x.md", "z.md"];
  for (const name of good) await writeFile(join(folder, name), `# ${name}\n`);
  execFileSync("mkfifo", [join(folder, "pipe.md")]);
  await symlink("/dev/zero", join(folder, "device.md"));
  await symlink("loop2.md", join(folder, "loop1.md"));
  await symlink("loop1.md", join(folder, "loop2.md"));
  await symlink(folder, join(folder, "round"));
  await symlink("nothing", join(folder, "dangling.md"));
  await writeFile(join(folder, "vanished.md"), "here for now");
  const server = createServer();
  context.after(() => void server.close());
  await new Promise<void>((resolve) => server.listen(join(folder, "socket.md"), resolve));
  const listed = await listSources([folder], { cwd: root, maxBytes: 1e6 }, runOf().signal);
  await rm(join(folder, "vanished.md"));
  const found: Record<string, string> = {};
  for await (const item of readSources(listed, runOf()))
    found[item.name] = isFailure(item) ? item.error.code : item.format;
  assert.deepEqual(found, {
    ...Object.fromEntries(good.map((name) => [name, "markdown"])),
    "dangling.md": "SOURCE_MISSING",
    "device.md": "SOURCE_OUTSIDE",
    "loop1.md": "SOURCE_OUTSIDE",
    "loop2.md": "SOURCE_OUTSIDE",
    "pipe.md": "SOURCE_SPECIAL",
    "socket.md": "SOURCE_SPECIAL",
    "vanished.md": "SOURCE_MISSING",
  });
});
