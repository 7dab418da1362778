import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readBytes } from "../../../../src/drivers/parsers/process/read-bytes.ts";
import { source } from "../make.ts";

async function hashed(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-bytes-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return await source(join(folder, "a.txt"), "a.txt", "text", new TextEncoder().encode("the words"));
}

test("a hashed file is read whole, and only as it was", async (context) => {
  const file = await hashed(context);
  assert.equal(Buffer.from(await readBytes(file, 9)).toString(), "the words");
  await assert.rejects(readBytes(file, 8), { code: "SOURCE_TOO_LARGE" });
  await appendFile(file.path, "!");
  await assert.rejects(readBytes(file, 100), { code: "SOURCE_CHANGED" });
  await truncate(file.path, 3);
  await assert.rejects(readBytes(file, 100), { code: "SOURCE_CHANGED" });
});

test("what took the place of a hashed file is neither followed nor waited for", async (context) => {
  const file = await hashed(context);
  await writeFile(`${file.path}.twin`, "the words");
  for (const swapIn of [
    () => symlink(`${file.path}.twin`, file.path),
    () => symlink("/dev/zero", file.path),
    async () => void execFileSync("mkfifo", [file.path]),
  ]) {
    await rm(file.path);
    await swapIn();
    await assert.rejects(readBytes(file, 100), { code: "SOURCE_CHANGED" });
  }
});
