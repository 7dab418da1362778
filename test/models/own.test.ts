import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { weightsIdentity } from "../../src/models/own.ts";
import { temporaryFolder } from "./fixtures.ts";

test("weights that cannot be read are named, with the reason and what to do", async (context) => {
  const folder = await temporaryFolder(context);
  // A folder opens and cannot be read, also by root.
  for (const path of [folder, join(folder, "vanished.gguf")])
    await assert.rejects(weightsIdentity(path), (error: Error & { code?: string; hint?: string }) => {
      assert.equal(error.code, "MODEL_UNREADABLE");
      assert.ok(error.message.startsWith(`cannot read the model file ${path}: `), error.message);
      assert.match(error.hint ?? "", /choose another model/);
      return true;
    });
});

test("weights that nobody but root may read are named to others", {
  skip: process.getuid?.() === 0 ? "root may read every file" : process.platform === "win32",
}, async (context) => {
  const path = join(await temporaryFolder(context), "mine.gguf");
  await writeFile(path, "GGUF");
  await chmod(path, 0o000);
  await assert.rejects(weightsIdentity(path), { code: "MODEL_UNREADABLE", message: /EACCES/ });
});
