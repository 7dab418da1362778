import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { listFetchedNames, replaceFolder } from "../../../src/app/fetch/folder.ts";

async function base(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-fetched-"));
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function stage(folder: string, files: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return new Map(Object.keys(files).map((name) => [name, `at ${name}`]));
}

const inodes = async (folder: string, name: string) => (await stat(join(folder, name))).ino;

test("what was fetched takes the place of what was there; an equal file stays the very file", async (context) => {
  const parent = await base(context);
  const folder = join(parent, "site");
  const first = await stage(`${folder}.1`, { a: "one", "sub/b": "two", c: "three", d: "four" });
  await replaceFolder(`${folder}.1`, folder, first, () => false);
  const before = [await inodes(folder, "a"), await inodes(folder, "sub/b")];
  const second = await stage(`${folder}.2`, { a: "one", "sub/b": "TWO", "d/e": "a folder now" });
  await replaceFolder(`${folder}.2`, folder, second, (name) => name === "at c");
  assert.equal(await inodes(folder, "a"), before[0]);
  assert.notEqual(await inodes(folder, "sub/b"), before[1]);
  assert.equal(await readFile(join(folder, "c"), "utf8"), "three", "it stays");
  assert.equal(await readFile(join(folder, "d/e"), "utf8"), "a folder now");
  assert.deepEqual(Object.fromEntries(await listFetchedNames(folder)), {
    a: "at a",
    c: "at c",
    "d/e": "at d/e",
    "sub/b": "at sub/b",
  });
  assert.deepEqual(await readdir(parent), ["site"], "nothing else is left");
});

test("a list of names that is broken is as none", async (context) => {
  const folder = await base(context);
  for (const text of ["{", "[1]", '{"a":1}']) {
    await writeFile(join(folder, ".fetched.json"), text);
    assert.equal((await listFetchedNames(folder)).size, 0, text);
  }
});
