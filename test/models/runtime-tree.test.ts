import assert from "node:assert/strict";
import { cp, lstat, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { modelsOf, sha256, someBytes, temporaryFolder } from "./fixtures.ts";

const program = Buffer.from("#!/bin/sh\n");
const library = someBytes(100);
const tree = sha256(Buffer.from(`${sha256(program)}  lib/run\n${sha256(library)}  lib/sub/l.so\n`));
const engine = {
  id: "engine",
  task: "runtime",
  licence: "MIT",
  package: "engine==2.0",
  unpack: { from: "pkg/lib", to: "lib" },
  executable: "lib/run",
  archives: [{ platform: "linux-x64", tag: "any", sizeBytes: 1, sha256: sha256(program), treeSha256: tree }],
};

/** The published runtime in a folder, as a stick would hold it, and models to import it into. */
async function published(t: TestContext) {
  const folder = await temporaryFolder(t);
  const stick = join(folder, "stick");
  await mkdir(join(stick, "lib", "sub"), { recursive: true });
  await writeFile(join(stick, "lib", "run"), program, { mode: 0o755 });
  await writeFile(join(stick, "lib", "sub", "l.so"), library);
  await writeFile(join(folder, "evil.so"), "code that no hash covers");
  return { folder, stick, models: await modelsOf(folder, [engine], { platform: "linux-x64" }) };
}

test("a runtime folder that holds a link is not imported, whatever its files hash to", async (t) => {
  const { folder, stick, models } = await published(t);
  await symlink(join(folder, "evil.so"), join(stick, "lib", "librt.so.1"));
  await assert.rejects(models.import("engine", stick), {
    code: "HASH_MISMATCH",
    message: /lib\/librt\.so\.1 is a link/,
  });
  await assert.rejects(models.path("engine"), { code: "RUNTIME_MISSING" });
});

test("a runtime folder that is a link itself, or leads to one, is not imported", async (t) => {
  const { folder, stick, models } = await published(t);
  await rename(join(stick, "lib"), join(folder, "real"));
  await symlink(join(folder, "real"), join(stick, "lib"));
  await assert.rejects(models.import("engine", stick), { code: "HASH_MISMATCH", message: /lib is a link/ });
  await rm(join(stick, "lib"));
  await cp(join(folder, "real"), join(stick, "lib"), { recursive: true });
  await rename(join(stick, "lib", "sub"), join(folder, "sub"));
  await symlink(join(folder, "sub"), join(stick, "lib", "sub"));
  await assert.rejects(models.import("engine", stick), {
    code: "HASH_MISMATCH",
    message: /lib\/sub is a link/,
  });
});

test("a file whose name spells two lines of the listing is not taken for two files", async (t) => {
  const { stick, models } = await published(t);
  await rm(join(stick, "lib"), { recursive: true });
  const [name, more] = [`run\n${sha256(library)}  lib`, "sub"];
  await mkdir(join(stick, "lib", name, more), { recursive: true });
  await writeFile(join(stick, "lib", name, more, "l.so"), program);
  await assert.rejects(models.import("engine", stick), {
    code: "HASH_MISMATCH",
    message: /a name with a control character/,
  });
});

test("verify calls an installed runtime damaged when a link or another file was put beside its own", async (t) => {
  const { folder, stick, models } = await published(t);
  assert.deepEqual(await models.import("engine", stick), ["lib"]);
  const lib = join(await models.path("engine"), "lib");
  assert.equal((await lstat(join(lib, "sub", "l.so"))).isFile(), true);
  assert.deepEqual(await models.verify(["engine"]), [{ id: "engine", file: "lib", state: "ok" }]);
  await symlink(join(folder, "evil.so"), join(lib, "librt.so.1"));
  assert.deepEqual(await models.verify(["engine"]), [{ id: "engine", file: "lib", state: "damaged" }]);
  await rm(join(lib, "librt.so.1"));
  await writeFile(join(lib, "librt.so.1"), "more");
  assert.deepEqual(await models.verify(["engine"]), [{ id: "engine", file: "lib", state: "damaged" }]);
});
