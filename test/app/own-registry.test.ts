import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openHomeRegistry } from "../../src/app/own-registry.ts";
import { namesOf } from "../../src/app/owner/names.ts";
import { loadSettings } from "../../src/config/load.ts";

/** The settings of a home in a folder of its own, with a registry. */
async function openHome(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), "ragctl-own-registry-"));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const { settings } = loadSettings({ flags: { home }, trust: false });
  (await openHomeRegistry(settings)).close();
  return { home, settings, path: join(home, "registry.sqlite") };
}

test("a registry without content in a home that was used is damaged, and stays as it is", async (context) => {
  const { home, settings, path } = await openHome(context);
  mkdirSync(join(home, "stores"));
  truncateSync(path, 0);
  const refused = (error: { code?: string; message?: string; hint?: string }): boolean => {
    assert.equal(error.code, "REGISTRY_CORRUPT");
    assert.match(error.message ?? "", /registry\.sqlite is damaged \(it is empty, but its home is not\)/);
    assert.match(error.hint ?? "", /ragctl backup restore FOLDER --force; without one, move the file away/);
    return true;
  };
  await assert.rejects(openHomeRegistry(settings), refused);
  // Completion of a shell opens it too.
  await assert.rejects(namesOf("agents", settings), refused);
  assert.equal(readFileSync(path).length, 0);
  rmSync(path);
  (await openHomeRegistry(settings)).close();
});

test("a registry without content in a new home is made, also while another process makes it", async (context) => {
  const { home, settings, path } = await openHome(context);
  const content = readFileSync(path);
  truncateSync(path, 0);
  (await openHomeRegistry(settings)).close();
  mkdirSync(join(home, "uploads"));
  truncateSync(path, 0);
  setTimeout(() => writeFileSync(path, content), 200);
  (await openHomeRegistry(settings)).close();
});
